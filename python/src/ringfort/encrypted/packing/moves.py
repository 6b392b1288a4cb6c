# SPDX-License-Identifier: Apache-2.0
"""Moves and sums of the slots of packed tables. A packed table is a table of numbers in the slots of ciphertexts
(layout.py). Operations on single elements are in packed.py.

An ``Arithmetic`` (arithmetic.py) has a scheme's operations on single ciphertexts. This module does not depend on the
scheme. Docstrings state costs in rotations and levels. A *mask* is a vector of zeros and ones in the clear. A product
with a mask takes one level, the part of a ciphertext's depth that every product takes. An *orbit* is the slots that a
rotation moves cyclically.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...distinct import distinct
from ...errors import NoiseBoundExceeded
from .arithmetic import Arithmetic
from .layout import Layout, Slots
from .runs import Runs, Way, planned
from .ways import Move

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
]

C = TypeVar("C")
Vector = NDArray[Any]
_MANY_WAYS = 8
_MANY_FOR_RUNS = 16


Add = Callable[[C, C], C]
Each = Callable[..., Any]


def _joined(add: Add[C], terms: Iterable[C]) -> C:
    """Combines the terms by ``add`` in a balanced tree. If ``add`` multiplies, a balanced tree takes the fewest
    levels."""
    each = list(terms)
    while len(each) > 1:
        each = [add(*each[i : i + 2]) if i + 1 < len(each) else each[i] for i in range(0, len(each), 2)]
    return each[0]


def _with_keys(step: int, slots: Slots) -> int:
    """Returns a step that rotates an orbit as ``step`` does. The default keys suffice for the returned step.

    If ``step`` is negative and has no key of its own, the result is ``step`` + orbit. If not, the result is ``step``.

    By default there are keys for 1, 2, 4 .. orbit / 2 and for -1, -2, -4 .. -orbit / 4. With these keys the library
    composes every positive step below ``orbit``. It composes every negative step only if the orbit has half as many
    slots as the ring has coefficients.
    """
    power = -step & (-step - 1) == 0
    return step if step >= 0 or (power and -2 * step < slots.orbit) else step % slots.orbit


def _doubling(on: Arithmetic[C], add: Add[C], ciphertexts: Sequence[C], slots: Slots, step: int, count: int) -> list[C]:
    """Replaces each ciphertext by the sum of its rotations by 0, step, 2 step, ... (count - 1) step. Takes log2(count)
    rotations. count: a power of two."""
    result, reach = list(ciphertexts), 1
    while reach < count:
        result = list(map(add, result, _rotated_each(on, result, _with_keys(reach * step, slots))))
        reach *= 2
    return result


def _rotated_each(on: Arithmetic[C], ciphertexts: Sequence[C], step: int) -> list[C]:
    return on.rotate_each(ciphertexts, step) if on.wants_batches else [on.rotate(a, step) for a in ciphertexts]


def sum_columns(on: Arithmetic[C], ciphertexts: Sequence[C], layout: Layout, add: Add[C] | None = None) -> list[C]:
    """Adds the slots of each row into its first slot. The other slots of the row become undefined. Unused slots must be
    zero. Takes no level.

    add: an operation in place of ``on.add``. Then unused slots must contain the neutral element of ``add``.
    """
    add = add or on.add
    groups = (ciphertexts[r * layout.col_groups : (r + 1) * layout.col_groups] for r in range(layout.row_groups))
    return _doubling(on, add, [_joined(add, group) for group in groups], layout.slots, 1, layout.stride)


def spread_columns(on: Arithmetic[C], ciphertexts: Sequence[C], layout: Layout) -> list[C]:
    """Copies the first slot of each row to all slots of the row. All other slots must be zero. Takes no level."""
    return _doubling(on, on.add_apart, ciphertexts, layout.slots, -1, layout.stride)


def sum_rows(on: Arithmetic[C], ciphertexts: Sequence[C], layout: Layout, add: Add[C] | None = None) -> list[C]:
    """Adds all rows into the first row. Unused slots must be zero. Takes no level.

    Returns one ciphertext for each group of columns. If the layout uses all slots, every row gets the sum. If not, only
    the first row gets the sum, and the other rows become undefined. add: as in ``sum_columns``.
    """
    add = add or on.add
    sums = [_joined(add, ciphertexts[c :: layout.col_groups]) for c in range(layout.col_groups)]
    return _circle(on, add, sums, layout, layout.stride)


def spread_row(on: Arithmetic[C], a: C, layout: Layout) -> C:
    """Copies the first row to all rows that the layout uses. All other slots must be zero. Takes no level."""
    return _circle(on, on.add_apart, [a], layout, -layout.stride)[0]


def total(on: Arithmetic[C], ciphertexts: Sequence[C], layout: Layout, add: Add[C] | None = None) -> C:
    """Adds all elements into slot 0. If the layout uses all slots, every slot gets the sum. Unused slots must be zero.
    Takes no level.

    add: as in ``sum_columns``.
    """
    return _circle(on, add or on.add, [_joined(add or on.add, ciphertexts)], layout, 1)[0]


def spread_number(on: Arithmetic[C], a: C, layout: Layout) -> C:
    """Copies slot 0 to all slots that the layout uses. All other slots must be zero. Takes no level."""
    return _circle(on, on.add_apart, [a], layout, -1)[0]


def _circle(on: Arithmetic[C], add: Add[C], ciphertexts: Sequence[C], layout: Layout, step: int) -> list[C]:
    """Adds the rotations by all multiples of ``step`` below the layout's ``reach``.

    If the reach is more than one orbit, exchanges the two orbits of the sum, and adds the result to the sum.
    """
    orbit, reach = layout.slots.orbit, max(layout.reach, abs(step))
    sums = _doubling(on, add, ciphertexts, layout.slots, step, min(reach, orbit) // abs(step))
    return [add(a, on.swap_rows(a)) for a in sums] if reach > orbit else sums


def rotated(on: Arithmetic[C], a: C, step: int, slots: Slots) -> C:
    step = _with_keys(step, slots)
    return on.rotate(a, step) if step else a


def _masked_sum(on: Arithmetic[C], terms: Sequence[tuple[C, Vector]]) -> C:
    """Adds up the products of ciphertexts and masks. In every slot, at most one mask has a 1.

    Until its last step, ``on.masked_sum`` has the sum of the bounds of its terms. If the ciphertexts have no room for
    this sum, this function adds up two halves.
    """
    try:
        return on.masked_sum([a for a, _ in terms], [mask for _, mask in terms])
    except NoiseBoundExceeded:
        if len(terms) == 1:
            raise
    half = len(terms) // 2
    return on.add_apart(_masked_sum(on, terms[:half]), _masked_sum(on, terms[half:]))


def gather(
    on: Arithmetic[C], ciphertexts: Sequence[C], move: Move, clean: bool, each: Each, rotates_sources: bool = True
) -> list[C]:
    """Returns the ciphertexts of the moved elements. All other slots become zero.

    A *way* is a source ciphertext, a target ciphertext and a rotation. Each way takes one rotation and one mask. A
    ciphertext needs no mask and no level if all its elements move the same way and its other slots are zero. clean:
    True if unused slots of the source are zero.

    If many ways lead to one ciphertext, they share rotations. A term is a masked source ciphertext. The function begins
    with the term of the largest step. It rotates the sum by the difference to the next smaller step, and adds the term
    of that step. It repeats this for all steps, and then rotates the sum by the smallest step. This method needs few
    keys, and has only one sum in memory. If the steps have the structure for it and ``rotates_sources`` is True, the
    function rotates the sources first, and needs far fewer rotations (runs.py).
    """
    source, orbit = move.source, move.source.slots.orbit
    from_ciphertext, from_slot = (numbers[move.element] for numbers in source.positions())
    order = np.argsort(move.ways, kind="stable")
    order = order[np.count_nonzero(move.ways < 0) :]
    starts = np.flatnonzero(np.diff(move.ways[order], prepend=-1))
    elements_in = np.bincount(source.positions()[0], minlength=source.ciphertexts)
    terms: dict[tuple[int, bool], list[tuple[int, NDArray[np.int64]]]] = defaultdict(list)
    for members in np.split(order, starts[1:]):
        to_and_from, step = divmod(int(move.ways[members[0]]), orbit)
        terms[to_and_from // 2 // source.ciphertexts, to_and_from % 2 == 1].append((step, members))

    def mask_of(members: NDArray[np.int64], baby: int = 0) -> NDArray[np.int64] | None:
        """Returns the mask for a source ciphertext, or for the same ciphertext rotated by ``baby``. Returns None if the
        ciphertext needs no mask."""
        slots = distinct(from_slot[members])
        if clean and slots.size == elements_in[from_ciphertext[members[0]]]:
            return None
        mask = np.zeros(source.slots.count, np.int64)
        mask[slots // orbit * orbit + (slots - baby) % orbit] = 1
        return mask

    def term(members: NDArray[np.int64]) -> C:
        mask, given = mask_of(members), ciphertexts[from_ciphertext[members[0]]]
        return given if mask is None else on.multiply_plain(given, mask)

    def in_runs(steps: list[tuple[int, NDArray[np.int64]]], runs: Runs) -> C:
        different = dict.fromkeys(runs.babies)
        babies = {baby: rotated(on, ciphertexts[baby.source], baby.step, source.slots) for baby in different}
        result = None
        for giant in range(max(runs.giants), -1, -1):
            ways = zip(steps, runs.babies, runs.giants, strict=True)
            masks = [(babies[baby], mask_of(members, baby.step)) for (_, members), baby, i in ways if i == giant]
            terms = [a for a, mask in masks if mask is None]
            if masked := [(a, mask) for a, mask in masks if mask is not None]:
                terms.append(_masked_sum(on, masked))
            if result is not None:
                terms.append(rotated(on, result, runs.difference, source.slots))
            result = _joined(on.add_apart, terms)
        assert result is not None
        return result

    def arriving(key: tuple[int, bool]) -> C:
        steps = sorted(terms[key], key=lambda way: way[0])
        ways = [Way(int(from_ciphertext[members[0]]), step) for step, members in steps]
        if len(steps) < _MANY_WAYS:
            result = _joined(on.add_apart, (rotated(on, term(members), step, source.slots) for step, members in steps))
        elif rotates_sources and len(steps) >= _MANY_FOR_RUNS and (runs := planned(ways, orbit)):
            result = in_runs(steps, runs)
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
    """Multiplies a table of rows x cols by plain matrices of (cols, m) entries.

    The function adds up products with diagonals: y[., c] = sum over d of x[., c + d] matrix[c + d, c].

    A rotation by d moves slot c + d to slot c. If a slot comes from a neighbouring row, its factor in the diagonal is
    zero. Unused slots must be zero. Takes one level. A ciphertext takes about 2 sqrt(2 stride) rotations, and fewer if
    diagonals are zero. The rotations are by 1 and by the *giant step*, a power of two near the square root of the
    number of diagonals. The last rotation is by a multiple of the giant step.
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

    groups = each(row_group, range(layout.row_groups))
    return [ciphertext for group in groups for ciphertext in group], result


@dataclass(frozen=True)
class Matrices:
    """Plain matrices of one shape. Row i of a table is multiplied by ``each[of_row[i]]``. Without ``of_row`` there is
    one matrix, which multiplies every row.
    """

    each: NDArray[Any]
    """The matrices, in an array of shape (number of matrices, cols, m)."""
    of_row: NDArray[np.int64] | None = None

    def tile(self, row: int, col: int, size: int) -> NDArray[Any]:
        return self.each[:, row : row + size, col : col + size]


def _used_diagonals(tile: NDArray[Any]) -> list[int]:
    """Returns the numbers of the diagonals that are nonzero in at least one matrix. If all diagonals are zero, returns
    [0]."""
    used = [d for d in range(1 - tile.shape[2], tile.shape[1]) if np.any(np.diagonal(tile, -d, axis1=1, axis2=2))]
    return used or [0]


def _baby_steps(on: Arithmetic[C], a: C, count: int) -> list[C]:
    steps = [a]
    while len(steps) < count:
        steps.append(on.rotate(steps[-1], 1))
    return steps


class _Diagonals:
    """The diagonals of one tile of all matrices, in groups of ``giant`` neighbouring diagonals."""

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
        """Makes one diagonal for all slots. No diagonal is kept, because all of them would take slots x diagonals
        words."""
        d, layout = group * self.giant + baby, self.layout
        lines = np.zeros((layout.rows_per_ciphertext, layout.stride), self.tile.dtype)
        diagonals, start = np.diagonal(self.tile, -d, axis1=1, axis2=2), max(0, -d)
        if self.of_row is None:
            lines[:, start : start + diagonals.shape[1]] = diagonals
        else:
            rows = self.of_row[row_group * layout.rows_per_ciphertext :][: layout.rows_per_ciphertext]
            lines[: rows.size, start : start + diagonals.shape[1]] = diagonals[rows]
        # The rotation by the giant step comes after the product with the diagonal. Therefore this line rotates the
        # diagonal in the opposite direction.
        whole = lines.reshape(layout.slots.orbits, layout.slots.orbit)
        return np.roll(whole, group * self.giant, axis=1).reshape(-1)

    def apply(self, on: Arithmetic[C], steps: Sequence[C], row_group: int) -> C:
        """Applies Horner's rule to the groups, from the highest group to the lowest. Takes one rotation by ``giant``
        between each two neighbouring groups.

        The last rotation is by ``giant`` times the number of the lowest group.
        """
        result = None
        for group in range(max(self.groups), min(self.groups) - 1, -1):
            if result is not None:
                result = rotated(on, result, self.giant, self.layout.slots)
            if babies := self.groups.get(group):
                lines = [self._line(group, baby, row_group) for baby in babies]
                term = on.inner_product_plain([steps[baby] for baby in babies], lines)
                result = term if result is None else on.add(result, term)
        assert result is not None
        low = min(self.groups) * self.giant
        return rotated(on, result, low, self.layout.slots)
