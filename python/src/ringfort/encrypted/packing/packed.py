# SPDX-License-Identifier: Apache-2.0
"""Operations on packed tables: operations on elements, broadcasts, sums and moves. A packed table is a table of numbers
in the slots of ciphertexts (layout.py). These operations do not check users' input.

``unused`` describes what the slots outside the table contain. Sums and broadcasts depend on it.

ZERO: these slots are zero.

CLAIMED: these slots are zero if the writer of a file is right. An operation on one array treats them as zero, because
the writer chose all values of the array anyway. An operation that joins arrays treats them as ANY: a wrong claim must
not change the values of another array.

DOUBTED: like CLAIMED, for a reader who does not trust the file. A broadcast, too, treats these slots as ANY. Then every
copy of an element equals the element that decryption returns.

ROWS: the table has one row, and every other row of slots is a copy of it. Then a broadcast costs nothing.

ANY: these slots have undefined values. Before a sum, a product with a mask (zeros and ones in the clear) must clear
them. It takes one level, as every product does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...errors import Unsupported
from . import moves
from .arithmetic import Arithmetic, Vector
from .layout import Layout
from .row_maps import RowMap, row_product
from .ways import Move, most_ways

__all__ = ["Packed", "UnusedSlots", "Tables", "require_few"]

C = TypeVar("C")
Each = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
Shape = tuple[int, ...]
_SHORT = ("add", "subtract", "negate")


class UnusedSlots(Enum):
    ZERO = "zero"
    CLAIMED = "claimed"
    DOUBTED = "doubted"
    ROWS = "rows"
    ANY = "any"

    @property
    def is_zero(self) -> bool:
        return self in _ZERO

    @property
    def depends_on_file(self) -> bool:
        return self in (UnusedSlots.CLAIMED, UnusedSlots.DOUBTED)

    def with_other(self, other: UnusedSlots) -> UnusedSlots:
        """Returns the state of the slots outside the table in a sum of two tables."""
        if self is other:
            return self
        return max(self, other, key=_ZERO.index) if self.is_zero and other.is_zero else UnusedSlots.ANY


# In the order of certainty, the most certain state first.
_ZERO = (UnusedSlots.ZERO, UnusedSlots.CLAIMED, UnusedSlots.DOUBTED)


@dataclass(frozen=True)
class Packed(Generic[C]):
    layout: Layout
    ciphertexts: tuple[C, ...]
    unused: UnusedSlots = UnusedSlots.ZERO


class Tables(Generic[C]):
    """Operations on packed tables of one scheme. on: the operations on ciphertexts (arithmetic.py). each: applies a
    function to items, possibly in several threads, and returns the results in order.

    each_short: like ``each``, for additions and other short operations. rotates_sources: as in ``moves.gather``.
    """

    def __init__(
        self, on: Arithmetic[C], each: Each, each_short: Each | None = None, rotates_sources: bool = True
    ) -> None:
        self.on = on
        self.each = each
        self._rotates_sources = rotates_sources
        self._each_short = each if each_short is None else each_short

    def _each_of(self, verb: Callable[..., Any]) -> Each:
        return self._each_short if getattr(verb, "__name__", "") in _SHORT else self.each

    def unary(self, verb: Callable[[C], C], a: Packed[C]) -> Packed[C]:
        """Applies an operation that maps zero to zero."""
        return replace(a, ciphertexts=tuple(self._each_of(verb)(verb, a.ciphertexts)))

    def with_bounds(self, verb: Callable[[C], C], a: Packed[C]) -> Packed[C]:
        """Applies an operation that changes only the bounds of ciphertexts. The results share the encrypted data of the
        operands."""
        return replace(a, ciphertexts=tuple(map(verb, a.ciphertexts)))

    def binary(self, verb: Callable[[C, C], C], a: Packed[C], b: Packed[C]) -> Packed[C]:
        """Applies an operation to two tables of the same layout."""
        pairs = zip(a.ciphertexts, b.ciphertexts, strict=True)
        ciphertexts = tuple(self._each_of(verb)(lambda pair: verb(*pair), pairs))
        return Packed(a.layout, ciphertexts, a.unused.with_other(b.unused))

    def products(self, a: Packed[C], b: Packed[C]) -> Packed[C]:
        """Multiplies two tables of the same layout. Multiplies all ciphertexts in one batch if this is faster on the
        device."""
        if self.on.wants_batches:
            result = Packed(
                a.layout, tuple(self.on.multiply_each(a.ciphertexts, b.ciphertexts)), a.unused.with_other(b.unused)
            )
        else:
            result = self.binary(self.on.multiply, a, b)
        zero = next((state for state in _ZERO if state in (a.unused, b.unused)), result.unused)
        return replace(result, unused=zero)

    def powers(self, a: Packed[C], exponent: int) -> Packed[C]:
        if self.on.wants_batches:
            return replace(a, ciphertexts=tuple(self.on.power_each(a.ciphertexts, exponent)))
        return self.unary(lambda ciphertext: self.on.power(ciphertext, exponent), a)

    def with_plain(
        self, verb: Callable[[C, Vector], C], a: Packed[C], values: NDArray[Any], *, product: bool
    ) -> Packed[C]:
        """Applies an operation to a table and plain values. There is a plain value for each element, in C order.
        product: True for a product. It clears unused slots, unless they are copies of the row."""
        vectors = a.layout.pack(values)
        unused = a.unused
        if unused is UnusedSlots.ROWS:
            vectors = np.tile(vectors[:, : a.layout.stride], (1, a.layout.rows_per_ciphertext))
        elif product:
            unused = UnusedSlots.ZERO
        pairs = zip(a.ciphertexts, vectors, strict=True)
        return Packed(a.layout, tuple(self.each(lambda pair: verb(*pair), pairs)), unused)

    def cleaned(self, a: Packed[C]) -> Packed[C]:
        """Clears unused slots. Takes a mask and a level. Takes nothing if the unused slots are already zero, or if no
        slot is unused."""
        if a.layout.is_full:
            return replace(a, unused=UnusedSlots.ZERO)
        if a.unused.is_zero:
            return a
        ones = np.ones(a.layout.size, np.int64)
        return self.with_plain(self.on.multiply_plain, replace(a, unused=UnusedSlots.ANY), ones, product=True)

    def total(self, a: Packed[C]) -> Packed[C]:
        """Adds all elements. The result is a table of one element."""
        clean = self.cleaned(a)
        one = Layout.of_shape((), a.layout.slots)
        return Packed(one, (moves.total(self.on, clean.ciphertexts, a.layout),), _unused_of_sum(a.layout))

    def sum_rows(self, a: Packed[C]) -> Packed[C]:
        clean = self.cleaned(a)
        ciphertexts = moves.sum_rows(self.on, clean.ciphertexts, a.layout)
        return Packed(a.layout.with_table(1, a.layout.cols), tuple(ciphertexts), _unused_of_sum(a.layout))

    def sum_groups(self, a: Packed[C], count: int) -> Packed[C]:
        """Adds up groups of ``count`` neighbouring rows: row i of the result is the sum of row i of all groups. Takes
        no level. count: a power of two. A group must fit an orbit."""
        clean, stride = self.cleaned(a), a.layout.stride * count
        rows = a.layout.rows // count
        groups = replace(a.layout, size=rows * stride, rows=rows, cols=stride, stride=stride)
        ciphertexts = moves.sum_rows(self.on, clean.ciphertexts, groups)
        return Packed(a.layout.with_table(count, a.layout.cols), tuple(ciphertexts), UnusedSlots.ANY)

    def sum_columns(self, a: Packed[C]) -> Packed[C]:
        clean = self.cleaned(a)
        ciphertexts = moves.sum_columns(self.on, clean.ciphertexts, a.layout)
        unused = clean.unused if a.layout.stride == 1 else UnusedSlots.ANY
        return Packed(a.layout.with_table(a.layout.rows, 1), tuple(ciphertexts), unused)

    def product(self, a: Packed[C], axis: int | None) -> Packed[C]:
        """Multiplies all elements (axis None), all rows (axis 0) or all columns (axis 1). Unused slots must be 1.

        For k factors, takes log2(k) levels, rounded up, and at most as many rotations of a ciphertext. Unused slots in
        a row count as factors.
        """
        layout, on = a.layout, self.on
        if axis is None:
            one = Layout.of_shape((), layout.slots)
            return Packed(one, (moves.total(on, a.ciphertexts, layout, on.multiply),), _unused_of_sum(layout))
        if axis == 0:
            ciphertexts = moves.sum_rows(on, a.ciphertexts, layout, on.multiply)
            return Packed(layout.with_table(1, layout.cols), tuple(ciphertexts), UnusedSlots.ANY)
        ciphertexts = moves.sum_columns(on, a.ciphertexts, layout, on.multiply)
        return Packed(layout.with_table(layout.rows, 1), tuple(ciphertexts), UnusedSlots.ANY)

    def gather(self, a: Packed[C], target: Layout, element: NDArray[np.int64]) -> Packed[C]:
        """Moves elements of one table. Errors, before any work: Unsupported (too many moves)."""
        return self.move([a], Move(a.layout, target, element.reshape(-1)))

    def move(self, tables: Sequence[Packed[C]], move: Move) -> Packed[C]:
        """Moves elements of several tables, as if their elements were concatenated. Takes a level for each stage
        (ways.py)."""
        require_few(move.total_cost, most_ways(move.target), "moving the elements")
        ciphertexts, clean = (
            [ciphertext for table in tables for ciphertext in table.ciphertexts],
            all(table.unused.is_zero for table in tables),
        )
        unused = max((table.unused for table in tables), key=_ZERO.index) if clean else UnusedSlots.ZERO
        for stage in move.stages:
            ciphertexts = moves.gather(self.on, ciphertexts, stage, clean, self.each, self._rotates_sources)
            clean = True
        return Packed(move.layout, tuple(ciphertexts), unused)

    def matrix_product(
        self, a: Packed[C], matrices: NDArray[Any], of_row: NDArray[np.int64] | None = None
    ) -> Packed[C]:
        """Multiplies every row by the same matrix. If ``of_row`` is given, multiplies row i by matrices[of_row[i]]."""
        clean = self.cleaned(a)
        plain = moves.Matrices(matrices.reshape(-1, *matrices.shape[-2:]), of_row)
        ciphertexts, layout = moves.matrix_product(self.on, clean.ciphertexts, a.layout, plain, self.each)
        return Packed(layout, tuple(ciphertexts), clean.unused)

    def row_product(self, a: Packed[C], entries: RowMap) -> Packed[C]:
        ciphertexts, layout = row_product(self.on, a.ciphertexts, a.layout, entries, self.each)
        return Packed(layout, tuple(ciphertexts))

    def outer_products(self, a: Packed[C], b: Packed[C]) -> Packed[C]:
        """Computes a @ b for two tables with equal strides. Adds up the outer products of the columns of ``a`` and the
        rows of ``b``."""
        (m, k), n = (a.layout.rows, a.layout.cols), b.layout.cols
        target = replace(a.layout, size=m * n, rows=m, cols=n)
        terms = []
        for j in range(k):
            column = self.gather(a, a.layout.with_table(m, 1), np.arange(m) * k + j)
            row = self.gather(b, b.layout.with_table(1, n), j * n + np.arange(n))
            pair = self.broadcast(column, (m, 1), (m, n), target), self.broadcast(row, (1, n), (m, n), target)
            terms.append(self.products(*pair))
        total = terms[0]
        for term in terms[1:]:
            total = self.binary(self.on.add, total, term)
        return total

    def broadcast(self, a: Packed[C], shape: Shape, to: Shape, target: Layout) -> Packed[C]:
        """Broadcasts ``a`` to another shape. shape: the shape of ``a``. to: the new shape. target: the layout of the
        result."""
        if shape == to and a.layout == target:
            return a
        layout = a.layout
        if a.unused is UnusedSlots.DOUBTED and layout.size != target.size:
            a = replace(a, unused=UnusedSlots.ANY)
        if layout.size == 1 and (a.unused is UnusedSlots.ROWS and layout.stride == 1):
            return Packed(target, a.ciphertexts * target.ciphertexts, UnusedSlots.ANY)
        if layout.size == 1 and layout.positions()[1][0] == 0:
            everywhere = moves.spread_number(self.on, self.cleaned(a).ciphertexts[0], target)
            return Packed(target, (everywhere,) * target.ciphertexts, UnusedSlots.ANY)
        rows_are_rows = bool(to) and target.cols == to[-1] and target.rows * target.cols == target.size
        if rows_are_rows and _is_row(layout, shape, target) and layout.stride == target.stride:
            return self._spread_row(a, target)
        same_rows = (layout.rows, layout.stride, layout.cols) == (target.rows, target.stride, 1)
        if rows_are_rows and same_rows and _is_column(shape, to):
            wide = tuple(moves.spread_columns(self.on, self.cleaned(a).ciphertexts, layout))
            ciphertexts = [ciphertext for ciphertext in wide for _ in range(target.col_groups)]
            return Packed(target, tuple(ciphertexts), UnusedSlots.ANY)
        element = np.broadcast_to(np.arange(layout.size).reshape(shape), to)
        straight = Move(layout, target, element.reshape(-1))
        if rows_are_rows and (_is_line(shape, target) or _is_column(shape, to)):
            # First moves the elements to one row or column, and then copies it. This takes fewer moves than a direct
            # move if the target has many rows or columns.
            line = target.with_table(1, target.cols) if _is_line(shape, target) else target.with_table(target.rows, 1)
            there = Move(layout, line, np.arange(layout.size))
            if there.cost < straight.cost:
                return self.broadcast(self.move([a], there), shape, to, target)
        return self.move([a], straight)

    def _spread_row(self, a: Packed[C], target: Layout) -> Packed[C]:
        if a.unused is UnusedSlots.ROWS:
            return Packed(
                target, a.ciphertexts * target.row_groups, UnusedSlots.ROWS if target.rows == 1 else UnusedSlots.ANY
            )
        row = tuple(moves.spread_row(self.on, ciphertext, target) for ciphertext in self.cleaned(a).ciphertexts)
        return Packed(target, row * target.row_groups, UnusedSlots.ANY)


def _unused_of_sum(layout: Layout) -> UnusedSlots:
    return UnusedSlots.ROWS if layout.reach == layout.slots.count else UnusedSlots.ANY


def require_few(ways: int, most: int, what: str, at_least: bool = False) -> None:
    if ways > most:
        raise Unsupported(
            f"{what} would take {'at least ' * at_least}{ways} different moves, but the limit is {most}",
            "encrypt the array in the shape that you need",
        )


def _is_line(shape: Shape, target: Layout) -> bool:
    """Tells whether an array of this shape is one row of the target."""
    return bool(shape) and shape[-1] == target.cols and math.prod(shape) == target.cols


def _is_row(layout: Layout, shape: Shape, target: Layout) -> bool:
    return layout.rows == 1 and layout.size == layout.cols and _is_line(shape, target)


def _is_column(shape: Shape, to: Shape) -> bool:
    return len(shape) == len(to) and shape[:-1] == to[:-1] and shape[-1] == 1
