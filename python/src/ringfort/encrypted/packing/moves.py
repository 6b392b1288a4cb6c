# SPDX-License-Identifier: Apache-2.0
"""Moves and sums of slots of packed ciphertexts: all verbs that are not element by element.

``Blocks`` are lists of ciphertexts. An ``Arithmetic`` has a scheme's verbs on single ciphertexts; this module does not
depend on the scheme. Docstrings state costs in rotations and levels; a mask takes one level.
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


Add = Callable[[C, C], C]


def _sum(add: Add[C], terms: Iterable[C]) -> C:
    each = iter(terms)
    result = next(each)
    for term in each:
        result = add(result, term)
    return result


def _with_keys(step: int, slots: Slots) -> int:
    """Returns the positive step for a negative one, unless a context has a key for the latter: it is the same rotation.

    Keys are for signed powers of two below half a lane. The library composes positive steps from them, but negative
    ones only if a lane is half of the ring.
    """
    power = -step & (-step - 1) == 0
    return step if step >= 0 or (power and -2 * step < slots.lane) else step % slots.lane


def _doubling(on: Arithmetic[C], add: Add[C], blocks: Sequence[C], slots: Slots, step: int, count: int) -> list[C]:
    """Sums the rotations of each block by j * step, j < count, in log2(count) rotations; count is a power of two."""
    result, reach = list(blocks), 1
    while reach < count:
        result = list(map(add, result, _all_turned(on, result, _with_keys(reach * step, slots))))
        reach *= 2
    return result


def _all_turned(on: Arithmetic[C], blocks: Sequence[C], step: int) -> list[C]:
    return on.rotate_many(blocks, step) if on.wants_batches else [on.rotate(a, step) for a in blocks]


def sum_columns(on: Arithmetic[C], blocks: Sequence[C], layout: Layout) -> list[C]:
    """Sums each row into its first slot; its other slots become undefined. Unused slots must be zero. No level."""
    groups = (blocks[r * layout.col_blocks : (r + 1) * layout.col_blocks] for r in range(layout.row_blocks))
    return _doubling(on, on.add, [_sum(on.add, group) for group in groups], layout.slots, 1, layout.stride)


def spread_columns(on: Arithmetic[C], blocks: Sequence[C], layout: Layout) -> list[C]:
    """Copies the first slot of each row to all slots of the row; all other slots must be zero. No level."""
    return _doubling(on, on.add_apart, blocks, layout.slots, -1, layout.stride)


def sum_rows(on: Arithmetic[C], blocks: Sequence[C], layout: Layout) -> list[C]:
    """Sums all rows into the first: one block for each group of columns. Unused slots must be zero. No level.

    If the layout uses all slots, every row gets the sum; else the other rows get undefined values.
    """
    sums = [_sum(on.add, blocks[c :: layout.col_blocks]) for c in range(layout.col_blocks)]
    return _circle(on, on.add, sums, layout, layout.stride)


def spread_row(on: Arithmetic[C], a: C, layout: Layout) -> C:
    """Copies the first row to all rows that the layout uses; all other slots must be zero. No level."""
    return _circle(on, on.add_apart, [a], layout, -layout.stride)[0]


def total(on: Arithmetic[C], blocks: Sequence[C], layout: Layout) -> C:
    """Sums all elements into slot 0, or into every slot if the layout uses all slots. Unused slots must be zero."""
    return _circle(on, on.add, [_sum(on.add, blocks)], layout, 1)[0]


def spread_number(on: Arithmetic[C], a: C, layout: Layout) -> C:
    """Copies slot 0 to all slots that the layout uses; all other slots must be zero. No level."""
    return _circle(on, on.add_apart, [a], layout, -1)[0]


def _circle(on: Arithmetic[C], add: Add[C], blocks: Sequence[C], layout: Layout, step: int) -> list[C]:
    """Sums rotations by ``step`` slots over the layout's ``reach``; if this exceeds a lane, adds the swapped lanes."""
    lane, reach = layout.slots.lane, max(layout.reach, abs(step))
    sums = _doubling(on, add, blocks, layout.slots, step, min(reach, lane) // abs(step))
    return [add(a, on.swap_rows(a)) for a in sums] if reach > lane else sums


@dataclass(frozen=True)
class Move:
    """Element i of the target is element ``element[i]`` of the source, or zero if that is -1."""

    source: Layout | Several
    target: Layout
    element: NDArray[np.int64]

    @CachedProperty
    def ways(self) -> NDArray[np.int64]:
        """Encodes each target element's move: the two blocks, the exchange of lanes and the step; -1 if it is zero."""
        from_block, from_slot = (place[self.element] for place in self.source.places())
        to_block, to_slot = self.target.places()
        lane = self.source.slots.lane
        swapped = from_slot // lane != to_slot // lane
        ways = ((to_block * self.source.blocks + from_block) * 2 + swapped) * lane + (from_slot - to_slot) % lane
        return np.where(self.element < 0, -1, ways)

    @CachedProperty
    def cost(self) -> int:
        """Number of rotations and masks that ``gather`` takes."""
        return int(np.count_nonzero(np.unique(self.ways) >= 0))


def rotated(on: Arithmetic[C], a: C, step: int, slots: Slots) -> C:
    step = _with_keys(step, slots)
    return on.rotate(a, step) if step else a


def gather(on: Arithmetic[C], blocks: Sequence[C], move: Move, clean: bool, each: Callable[..., Any]) -> list[C]:
    """Returns the moved elements; other slots become zero.

    A way is a source block, a target block and a rotation. Each way takes one rotation and one mask. If all elements of
    a block move the same way and its other slots are zero, the move needs no mask and no level. clean: unused slots of
    the source are zero. If many ways lead to one block, they share rotations. The function begins with the largest
    step. It rotates the sum by the difference to the next smaller step, and adds the next term. This needs few keys,
    and only one sum is in memory.
    """
    source, lane = move.source, move.source.slots.lane
    from_block, from_slot = (place[move.element] for place in source.places())
    order = np.argsort(move.ways, kind="stable")
    order = order[np.count_nonzero(move.ways < 0) :]
    starts = np.flatnonzero(np.diff(move.ways[order], prepend=-1))
    elements_in = np.bincount(source.places()[0], minlength=source.blocks)
    terms: dict[tuple[int, bool], list[tuple[int, NDArray[np.int64]]]] = defaultdict(list)
    for members in np.split(order, starts[1:]):
        to_and_from, step = divmod(int(move.ways[members[0]]), lane)
        terms[to_and_from // 2 // source.blocks, to_and_from % 2 == 1].append((step, members))

    def term(members: NDArray[np.int64]) -> C:
        block, slots = from_block[members[0]], np.unique(from_slot[members])
        if clean and slots.size == elements_in[block]:
            return blocks[block]
        mask = np.zeros(source.slots.count, np.int64)
        mask[slots] = 1
        return on.multiply_plain(blocks[block], mask)

    def arriving(key: tuple[int, bool]) -> C:
        steps = sorted(terms[key], key=lambda way: way[0])
        if len(steps) < _MANY_WAYS:
            result = _sum(on.add_apart, (rotated(on, term(members), step, source.slots) for step, members in steps))
        else:
            last, members = steps.pop()
            result = term(members)
            for step, members in reversed(steps):
                result = on.add_apart(rotated(on, result, last - step, source.slots), term(members))
                last = step
            result = rotated(on, result, last, source.slots)
        return on.swap_rows(result) if key[1] else result

    arrived = dict(zip(terms, each(arriving, terms), strict=True))
    for block in range(move.target.blocks):
        if (block, False) not in arrived and (block, True) not in arrived:
            arrived[block, False] = on.multiply_plain(blocks[0], np.zeros(source.slots.count, np.int64))
    return [
        _sum(on.add_apart, (arrived[key] for key in ((block, False), (block, True)) if key in arrived))
        for block in range(move.target.blocks)
    ]


def matrix_product(
    on: Arithmetic[C], blocks: Sequence[C], layout: Layout, matrix: Vector, each: Callable[..., Any]
) -> tuple[list[C], Layout]:
    """Multiplies rows x cols by a plain (cols, m) matrix, by diagonals: y[., c] = sum over d of x[., c + d] matrix[c +
    d, c].

    A rotation by d moves slot c + d to slot c. A slot that comes from a neighbouring row is multiplied by a zero of the
    diagonal. Takes one level, and about 2 sqrt(2 stride) rotations per block, each by 1 or by the giant step. Unused
    slots must be zero.
    """
    cols, m = matrix.shape
    result = layout.with_table(layout.rows, m)
    giant = 1 << (max(1, min(cols, layout.stride) + min(m, layout.stride) - 1).bit_length() // 2)
    plans = {
        (k, c): _Diagonals(matrix, layout, k * layout.stride, c * layout.stride, giant)
        for k in range(layout.col_blocks)
        for c in range(result.col_blocks)
    }

    def row_block(r: int) -> list[C]:
        steps = [_baby_steps(on, blocks[r * layout.col_blocks + k], giant) for k in range(layout.col_blocks)]
        return [
            _sum(on.add, (plans[k, c].apply(on, steps[k]) for k in range(layout.col_blocks)))
            for c in range(result.col_blocks)
        ]

    parts = each(row_block, range(layout.row_blocks))
    return [block for part in parts for block in part], result


def _baby_steps(on: Arithmetic[C], a: C, count: int) -> list[C]:
    steps = [a]
    while len(steps) < count:
        steps.append(on.rotate(steps[-1], 1))
    return steps


class _Diagonals:
    """The diagonals of one tile of the matrix, in groups of ``giant`` neighbours."""

    def __init__(self, matrix: Vector, layout: Layout, first_row: int, first_col: int, giant: int) -> None:
        tile = matrix[first_row : first_row + layout.stride, first_col : first_col + layout.stride]
        self.tile, self.layout, self.giant = tile, layout, giant
        self.groups: dict[int, list[int]] = defaultdict(list)
        for d in range(1 - tile.shape[1], tile.shape[0]):
            group, baby = divmod(d, giant)
            self.groups[group].append(baby)

    def _line(self, group: int, baby: int) -> Vector:
        """Returns a diagonal for all slots, made when needed: all of them together take slots x diagonals words."""
        d, layout = group * self.giant + baby, self.layout
        line = np.zeros(layout.stride, self.tile.dtype)
        diagonal = np.diagonal(self.tile, -d)
        start = max(0, -d)
        line[start : start + diagonal.size] = diagonal
        # The giant step comes after the product, so the diagonal is rotated back before it.
        whole = np.tile(line, layout.rows_per_block).reshape(layout.slots.lanes, layout.slots.lane)
        return np.roll(whole, group * self.giant, axis=1).reshape(-1)

    def apply(self, on: Arithmetic[C], steps: Sequence[C]) -> C:
        """Applies Horner's rule to the giant steps, from the highest group down; each is one rotation by ``giant``."""
        result = None
        for group in range(max(self.groups), min(self.groups) - 1, -1):
            if result is not None:
                result = rotated(on, result, self.giant, self.layout.slots)
            for baby in self.groups.get(group, []):
                term = on.multiply_plain(steps[baby], self._line(group, baby))
                result = term if result is None else on.add(result, term)
        assert result is not None
        low = min(self.groups) * self.giant
        return rotated(on, result, low, self.layout.slots)
