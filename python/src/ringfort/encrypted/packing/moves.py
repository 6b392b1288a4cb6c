# SPDX-License-Identifier: Apache-2.0
"""Moves and sums of slots: all operations on packed tables (tables of numbers in slots, layout.py) that are not element
by element.

An ``Arithmetic`` has a scheme's operations on single ciphertexts; this module does not depend on the scheme. Docstrings
state costs in rotations and levels. A mask, a product with zeros and ones, takes one level.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...locks import CachedProperty
from .arithmetic import Arithmetic
from .layout import Layout, Several, Slots

__all__ = [
    "Matrices",
    "Move",
    "gather",
    "matrix_product",
    "spread_columns",
    "spread_number",
    "spread_row",
    "sum_columns",
    "sum_rows",
    "total",
    "rotated",
    "sampled_cost",
]

C = TypeVar("C")
Vector = NDArray[Any]
_MANY_WAYS = 8


Add = Callable[[C, C], C]


def _joined(add: Add[C], terms: Iterable[C]) -> C:
    """Combines the terms by ``add``, in a balanced tree. If ``add`` is a product, the tree takes the fewest levels."""
    each = list(terms)
    while len(each) > 1:
        each = [add(*each[i : i + 2]) if i + 1 < len(each) else each[i] for i in range(0, len(each), 2)]
    return each[0]


def _with_keys(step: int, slots: Slots) -> int:
    """Returns a step that rotates an orbit like ``step``, and for which the default keys suffice.

    The result is ``step`` itself. If ``step`` is negative and has no key of its own, the result is positive. An orbit
    is the slots that a rotation moves cyclically. By default there are keys for 1, 2, 4 .. orbit / 2 and for
    -1, -2, -4 .. -orbit / 4. With these keys the library composes every positive step below ``orbit``. It composes
    every negative step only if an orbit has half as many slots as the ring has coefficients.
    """
    power = -step & (-step - 1) == 0
    return step if step >= 0 or (power and -2 * step < slots.orbit) else step % slots.orbit


def _doubling(on: Arithmetic[C], add: Add[C], ciphertexts: Sequence[C], slots: Slots, step: int, count: int) -> list[C]:
    """Sums the rotations of each ciphertext by j * step, j < count, in log2(count) rotations; count: a power of two."""
    result, reach = list(ciphertexts), 1
    while reach < count:
        result = list(map(add, result, _all_turned(on, result, _with_keys(reach * step, slots))))
        reach *= 2
    return result


def _all_turned(on: Arithmetic[C], ciphertexts: Sequence[C], step: int) -> list[C]:
    return on.rotate_many(ciphertexts, step) if on.wants_batches else [on.rotate(a, step) for a in ciphertexts]


def sum_columns(on: Arithmetic[C], ciphertexts: Sequence[C], layout: Layout, add: Add[C] | None = None) -> list[C]:
    """Sums each row into its first slot; the row's other slots become undefined. Unused slots must be zero. No level.

    add: an operation in place of ``on.add``; unused slots must then hold its neutral element.
    """
    add = add or on.add
    groups = (ciphertexts[r * layout.col_groups : (r + 1) * layout.col_groups] for r in range(layout.row_groups))
    return _doubling(on, add, [_joined(add, group) for group in groups], layout.slots, 1, layout.stride)


def spread_columns(on: Arithmetic[C], ciphertexts: Sequence[C], layout: Layout) -> list[C]:
    """Copies the first slot of each row to all slots of the row; all other slots must be zero. No level."""
    return _doubling(on, on.add_apart, ciphertexts, layout.slots, -1, layout.stride)


def sum_rows(on: Arithmetic[C], ciphertexts: Sequence[C], layout: Layout, add: Add[C] | None = None) -> list[C]:
    """Sums all rows into the first row. Unused slots must be zero. No level.

    Returns one ciphertext for each group of columns. If the layout uses all slots, every row gets the sum. If not, the
    other rows get undefined values. add: as in ``sum_columns``.
    """
    add = add or on.add
    sums = [_joined(add, ciphertexts[c :: layout.col_groups]) for c in range(layout.col_groups)]
    return _circle(on, add, sums, layout, layout.stride)


def spread_row(on: Arithmetic[C], a: C, layout: Layout) -> C:
    """Copies the first row to all rows that the layout uses; all other slots must be zero. No level."""
    return _circle(on, on.add_apart, [a], layout, -layout.stride)[0]


def total(on: Arithmetic[C], ciphertexts: Sequence[C], layout: Layout, add: Add[C] | None = None) -> C:
    """Sums all elements into slot 0, or into every slot if the layout uses all slots. Unused slots must be zero.

    add: as in ``sum_columns``.
    """
    return _circle(on, add or on.add, [_joined(add or on.add, ciphertexts)], layout, 1)[0]


def spread_number(on: Arithmetic[C], a: C, layout: Layout) -> C:
    """Copies slot 0 to all slots that the layout uses; all other slots must be zero. No level."""
    return _circle(on, on.add_apart, [a], layout, -1)[0]


def _circle(on: Arithmetic[C], add: Add[C], ciphertexts: Sequence[C], layout: Layout, step: int) -> list[C]:
    """Sums all rotations by multiples of ``step`` within the layout's ``reach``.

    If the reach is more than one orbit, also adds the sum with exchanged orbits.
    """
    orbit, reach = layout.slots.orbit, max(layout.reach, abs(step))
    sums = _doubling(on, add, ciphertexts, layout.slots, step, min(reach, orbit) // abs(step))
    return [add(a, on.swap_rows(a)) for a in sums] if reach > orbit else sums


@dataclass(frozen=True)
class Move:
    """Element i of the target is element ``element[i]`` of the source, or zero if that is -1."""

    source: Layout | Several
    target: Layout
    element: NDArray[np.int64]

    @CachedProperty
    def ways(self) -> NDArray[np.int64]:
        """Encodes each target element's move (both ciphertexts, exchange of orbits, step) as a number; -1: zero."""
        from_ciphertext, from_slot = (place[self.element] for place in self.source.places())
        to_ciphertext, to_slot = self.target.places()
        orbit = self.source.slots.orbit
        swapped = from_slot // orbit != to_slot // orbit
        ways = ((to_ciphertext * self.source.ciphertexts + from_ciphertext) * 2 + swapped) * orbit + (
            from_slot - to_slot
        ) % orbit
        return np.where(self.element < 0, -1, ways)

    @CachedProperty
    def cost(self) -> int:
        """Number of ways (see ``gather``); each takes at most one rotation and one mask."""
        return int(np.count_nonzero(np.unique(self.ways) >= 0))


def sampled_cost(source: Layout, target: Layout, element: NDArray[np.int64], at: NDArray[np.int64]) -> int:
    """Returns the cost of moving only the target's elements ``at``: a lower bound on the cost of the move."""
    at = at[element[at] >= 0]
    (from_ciphertext, from_slot), (to_ciphertext, to_slot), orbit = (
        source.places(element[at]),
        target.places(at),
        source.slots.orbit,
    )
    swapped, step = from_slot // orbit != to_slot // orbit, (from_slot - to_slot) % orbit
    return len(np.unique(((to_ciphertext * source.ciphertexts + from_ciphertext) * 2 + swapped) * orbit + step))


def rotated(on: Arithmetic[C], a: C, step: int, slots: Slots) -> C:
    step = _with_keys(step, slots)
    return on.rotate(a, step) if step else a


def gather(on: Arithmetic[C], ciphertexts: Sequence[C], move: Move, clean: bool, each: Callable[..., Any]) -> list[C]:
    """Returns the moved elements; other slots become zero.

    A way is a source ciphertext, a target ciphertext and a rotation. Each way takes one rotation and one mask. If all
    elements of a ciphertext move the same way and its other slots are zero, the move needs no mask and no level. clean:
    unused slots of the source are zero. If many ways lead to one ciphertext, they share rotations. The function begins
    with the largest step. It rotates the sum by the difference to the next smaller step, and adds the next term. This
    needs few keys, and only one sum is in memory.
    """
    source, orbit = move.source, move.source.slots.orbit
    from_ciphertext, from_slot = (place[move.element] for place in source.places())
    order = np.argsort(move.ways, kind="stable")
    order = order[np.count_nonzero(move.ways < 0) :]
    starts = np.flatnonzero(np.diff(move.ways[order], prepend=-1))
    elements_in = np.bincount(source.places()[0], minlength=source.ciphertexts)
    terms: dict[tuple[int, bool], list[tuple[int, NDArray[np.int64]]]] = defaultdict(list)
    for members in np.split(order, starts[1:]):
        to_and_from, step = divmod(int(move.ways[members[0]]), orbit)
        terms[to_and_from // 2 // source.ciphertexts, to_and_from % 2 == 1].append((step, members))

    def term(members: NDArray[np.int64]) -> C:
        ciphertext, slots = from_ciphertext[members[0]], np.unique(from_slot[members])
        if clean and slots.size == elements_in[ciphertext]:
            return ciphertexts[ciphertext]
        mask = np.zeros(source.slots.count, np.int64)
        mask[slots] = 1
        return on.multiply_plain(ciphertexts[ciphertext], mask)

    def arriving(key: tuple[int, bool]) -> C:
        steps = sorted(terms[key], key=lambda way: way[0])
        if len(steps) < _MANY_WAYS:
            result = _joined(on.add_apart, (rotated(on, term(members), step, source.slots) for step, members in steps))
        else:
            last, members = steps.pop()
            result = term(members)
            for step, members in reversed(steps):
                result = on.add_apart(rotated(on, result, last - step, source.slots), term(members))
                last = step
            result = rotated(on, result, last, source.slots)
        return on.swap_rows(result) if key[1] else result

    arrived = dict(zip(terms, each(arriving, terms), strict=True))
    for ciphertext in range(move.target.ciphertexts):
        if (ciphertext, False) not in arrived and (ciphertext, True) not in arrived:
            arrived[ciphertext, False] = on.multiply_plain(ciphertexts[0], np.zeros(source.slots.count, np.int64))
    return [
        _joined(on.add_apart, (arrived[key] for key in ((ciphertext, False), (ciphertext, True)) if key in arrived))
        for ciphertext in range(move.target.ciphertexts)
    ]


def matrix_product(
    on: Arithmetic[C], ciphertexts: Sequence[C], layout: Layout, matrices: Matrices, each: Callable[..., Any]
) -> tuple[list[C], Layout]:
    """Multiplies rows x cols by plain (cols, m) matrices, by diagonals: y[., c] = sum over d of x[., c + d] matrix[c +
    d, c].

    A rotation by d moves slot c + d to slot c. A slot that comes from a neighbouring row is multiplied by a zero of the
    diagonal. Takes one level. A ciphertext takes about 2 sqrt(2 stride) rotations, and fewer if diagonals are zero: by
    1, by the giant step, and the last one by a multiple of the giant step. Unused slots must be zero.
    """
    result = layout.with_table(layout.rows, matrices.each.shape[2])
    starts = [
        (k, c, matrices.tile(k * layout.stride, c * layout.stride, layout.stride))
        for k in range(layout.col_groups)
        for c in range(result.col_groups)
    ]
    used = {(k, c): _used_diagonals(tile) for k, c, tile in starts}
    span = max(max(diagonals) - min(diagonals) + 1 for diagonals in used.values())
    giant = 1 << (span.bit_length() // 2)
    plans = {(k, c): _Diagonals(tile, matrices.of_row, layout, used[k, c], giant) for k, c, tile in starts}

    def row_group(r: int) -> list[C]:
        steps = [_baby_steps(on, ciphertexts[r * layout.col_groups + k], giant) for k in range(layout.col_groups)]
        return [
            _joined(on.add, (plans[k, c].apply(on, steps[k], r) for k in range(layout.col_groups)))
            for c in range(result.col_groups)
        ]

    parts = each(row_group, range(layout.row_groups))
    return [ciphertext for part in parts for ciphertext in part], result


@dataclass(frozen=True)
class Matrices:
    """Plain matrices of one shape; row i of a table is multiplied by ``each[of_row[i]]``, or every row by the only
    matrix.
    """

    each: NDArray[Any]
    """(count, cols, m)"""
    of_row: NDArray[np.int64] | None = None

    def tile(self, row: int, col: int, size: int) -> NDArray[Any]:
        return self.each[:, row : row + size, col : col + size]


def _used_diagonals(tile: NDArray[Any]) -> list[int]:
    """Returns the diagonals that are nonzero in some matrix; one diagonal if all are zero."""
    used = [d for d in range(1 - tile.shape[2], tile.shape[1]) if np.any(np.diagonal(tile, -d, axis1=1, axis2=2))]
    return used or [0]


def _baby_steps(on: Arithmetic[C], a: C, count: int) -> list[C]:
    steps = [a]
    while len(steps) < count:
        steps.append(on.rotate(steps[-1], 1))
    return steps


class _Diagonals:
    """The diagonals of one tile of the matrices, in groups of ``giant`` neighbours."""

    def __init__(
        self,
        tile: NDArray[Any],
        of_row: NDArray[np.int64] | None,
        layout: Layout,
        used: Iterable[int],
        giant: int,
    ) -> None:
        self.tile, self.of_row, self.layout, self.giant = tile, of_row, layout, giant
        self.groups: dict[int, list[int]] = defaultdict(list)
        for d in used:
            group, baby = divmod(d, giant)
            self.groups[group].append(baby)

    def _line(self, group: int, baby: int, row_group: int) -> Vector:
        """Makes one diagonal for all slots. It is not kept: all diagonals would take slots x diagonals words."""
        d, layout = group * self.giant + baby, self.layout
        lines = np.zeros((layout.rows_per_ciphertext, layout.stride), self.tile.dtype)
        diagonals, start = np.diagonal(self.tile, -d, axis1=1, axis2=2), max(0, -d)
        if self.of_row is None:
            lines[:, start : start + diagonals.shape[1]] = diagonals
        else:
            rows = self.of_row[row_group * layout.rows_per_ciphertext :][: layout.rows_per_ciphertext]
            lines[: rows.size, start : start + diagonals.shape[1]] = diagonals[rows]
        # The giant step comes after the product. Therefore the diagonal is rotated back before it.
        whole = lines.reshape(layout.slots.orbits, layout.slots.orbit)
        return np.roll(whole, group * self.giant, axis=1).reshape(-1)

    def apply(self, on: Arithmetic[C], steps: Sequence[C], row_group: int) -> C:
        """Applies Horner's rule to the groups, from the highest down: one rotation by ``giant`` for each group.

        The last rotation is by the lowest group times ``giant``.
        """
        result = None
        for group in range(max(self.groups), min(self.groups) - 1, -1):
            if result is not None:
                result = rotated(on, result, self.giant, self.layout.slots)
            for baby in self.groups.get(group, []):
                term = on.multiply_plain(steps[baby], self._line(group, baby, row_group))
                result = term if result is None else on.add(result, term)
        assert result is not None
        low = min(self.groups) * self.giant
        return rotated(on, result, low, self.layout.slots)
