# SPDX-License-Identifier: Apache-2.0
"""Moves of elements from one layout (layout.py) to another: their cost, and moves in two stages.

A *way* is a source ciphertext, a target ciphertext and a rotation. All elements that move the same way take one
rotation and one mask together. A move of one stage may need a way for almost every element: if vectors become the
columns of a matrix, every element of a vector moves by another distance. Two stages then need far fewer ways. They take
two levels instead of one. Which stages a move has depends on layouts and elements' numbers, which are public.

Between the stages, every element has an *address*: a ciphertext and a slot. Let one of the two ends of the move, source
or target, be the *near* end, and the other one the *far* end. The slots of each ciphertext of the near end are cut into
*sections* of 2^h slots. An element's address is in its section of the near end. Inside of a section, the order of
elements is that of the far end, in *pieces* of 2^l neighbouring slots. Therefore one stage moves whole pieces, and the
other stage moves elements only inside of sections, by the same few distances in all sections.

For example, ten vectors of 442 elements become the columns of a matrix whose rows have 16 slots. The target is the near
end, and a section of 2^8 slots has 16 rows. The first stage moves pieces of 16 neighbouring elements of a vector: 280
ways. The second stage transposes the square of 16 x 16 slots in each section: 25 ways, one for each diagonal. One stage
would need 4420 ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...distinct import distinct
from ...locks import CachedProperty
from .layout import Layout, Scattered, Several, Slots

__all__ = ["Move", "most_ways", "sampled_cost"]

Numbers = NDArray[np.int64]
_MOST_WAYS = 1024


def most_ways(target: Layout | Scattered) -> int:
    """Returns the largest allowed number of ways of a move, in all stages together. With n = 16384, they take about
    half a minute on one core."""
    return _MOST_WAYS + 4 * target.ciphertexts


@dataclass(frozen=True)
class Move:
    """A move of elements from one layout to another. Element i of the target is element ``element[i]`` of the source.
    If ``element[i]`` is -1, element i of the target is zero."""

    source: Layout | Several | Scattered
    target: Layout | Scattered
    element: Numbers

    @CachedProperty
    def ways(self) -> Numbers:
        """A number for each element of the target. The number encodes the source ciphertext, the target ciphertext, the
        step, and whether the orbits are exchanged. -1: the element is zero."""
        from_ciphertext, from_slot = (numbers[self.element] for numbers in self.source.positions())
        to_ciphertext, to_slot = self.target.positions()
        orbit = self.source.slots.orbit
        swapped = from_slot // orbit != to_slot // orbit
        ways = ((to_ciphertext * self.source.ciphertexts + from_ciphertext) * 2 + swapped) * orbit + (
            from_slot - to_slot
        ) % orbit
        return np.where(self.element < 0, -1, ways)

    @CachedProperty
    def cost(self) -> int:
        """Number of ways in one stage. A way takes at most one rotation and one mask."""
        return int(np.count_nonzero(distinct(self.ways) >= 0))

    @CachedProperty
    def stages(self) -> tuple[Move, ...]:
        """The moves that together make this move, each of one stage. They are this move itself if ``most_ways`` allows
        its cost. If not, they are two moves if ``most_ways`` allows these."""
        return (self,) if self.cost <= most_ways(self.target) else self.two_stages or (self,)

    @CachedProperty
    def two_stages(self) -> tuple[Move, ...]:
        """The two moves with the fewest ways in all. Empty if ``most_ways`` does not allow them."""
        used, slots, most = np.flatnonzero(self.element >= 0), self.source.slots, most_ways(self.target)
        source = _Ends(*(numbers[self.element[used]] for numbers in self.source.positions()))
        target = _Ends(*(numbers[used] for numbers in self.target.positions()))
        found = [_middle(*ends, slots, most) for ends in ((target, source), (source, target))]
        middles = [middle for middle in found if middle is not None]
        if not middles:
            return ()
        _, at = min(middles, key=lambda middle: middle[0])
        where = distinct(at)
        first, then = np.empty_like(where), np.full(self.element.shape, -1)
        then[used] = np.searchsorted(where, at)
        first[then[used]] = self.element[used]  # copies of an element may share an address
        between = Scattered(slots, *np.divmod(where, slots.count))
        return Move(self.source, between, first), Move(between, self.target, then)

    @property
    def layout(self) -> Layout:
        """The target. The first of two stages has no layout as its target."""
        assert isinstance(self.target, Layout)
        return self.target

    @property
    def total_cost(self) -> int:
        """Number of ways in all stages."""
        return sum(stage.cost for stage in self.stages)


def sampled_cost(source: Layout, target: Layout, element: Numbers, at: Numbers) -> int:
    """Returns the cost of moving only the elements ``at`` of the target in one stage. This is a lower bound on the cost
    of the whole move."""
    at = at[element[at] >= 0]
    (from_ciphertext, from_slot), (to_ciphertext, to_slot), orbit = (
        source.positions(element[at]),
        target.positions(at),
        source.slots.orbit,
    )
    swapped, step = from_slot // orbit != to_slot // orbit, (from_slot - to_slot) % orbit
    return len(distinct(((to_ciphertext * source.ciphertexts + from_ciphertext) * 2 + swapped) * orbit + step))


class _Ends(NamedTuple):
    """One end of the ways of elements."""

    ciphertext: Numbers
    slot: Numbers

    def of(self, members: Numbers) -> _Ends:
        return _Ends(self.ciphertext[members], self.slot[members])


class _Rule(NamedTuple):
    """A rule for the addresses of elements between the two stages."""

    height: int
    """Sections of the near end have 2^height slots."""
    apart: bool
    """True if elements from (or to) different far ciphertexts have addresses in different ciphertexts."""


def _middle(near: _Ends, far: _Ends, slots: Slots, most: int) -> tuple[int, Numbers] | None:
    """Returns the cost of the best rule, and the address of each element: the number of the ciphertext times the number
    of slots, plus the slot. Returns None if the cost would exceed ``most``.

    The rule is the best one for the ciphertext with the most elements. A search in all ciphertexts would take seconds.
    """
    order = np.argsort(near.ciphertext, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(near.ciphertext[order])) + 1)
    heights, total, at = range(1, slots.orbit.bit_length()), 0, np.zeros_like(near.slot)
    rules = [_Rule(height, apart) for height in heights for apart in (False, True)]
    largest = max(groups, key=len)
    costs = [_addressed(rule, near.slot[largest], far.of(largest), slots)[0] for rule in rules]
    rule = rules[int(np.argmin(costs))]
    for group in groups:
        cost, at[group] = _addressed(rule, near.slot[group], far.of(group), slots)
        if (total := total + cost) > most:
            return None
    number = near.ciphertext * (far.ciphertext.max() + 1) + far.ciphertext if rule.apart else near.ciphertext
    return total, np.searchsorted(distinct(number), number) * slots.count + at


def _addressed(rule: _Rule, near: Numbers, far: _Ends, slots: Slots) -> tuple[int, Numbers]:
    """Applies a rule to the elements of one ciphertext of the near end. Returns the number of ways of both stages, and
    a slot for each element. If the rule is impossible, the number of ways is larger than any limit."""
    section = near >> rule.height
    order = np.lexsort((far.slot, far.ciphertext, section))
    sections, fars, slot = section[order], far.ciphertext[order], far.slot[order]
    is_other_section = np.diff(sections, prepend=-1) != 0
    is_other_far = is_other_section | (np.diff(fars, prepend=-1) != 0)
    offset = slot - slot[_begins(is_other_far)]
    begin = _begins(is_other_far if rule.apart else is_other_section)
    for length in range(rule.height, -1, -1):  # the longest pieces that fit their sections
        piece = np.cumsum(is_other_far | (np.diff(offset >> length, prepend=0) != 0))
        rank = piece - piece[begin]
        if rank.max() < 1 << rule.height - length:
            break
    else:
        return 1 << 62, near
    address = np.empty_like(near)
    address[order] = (sections << rule.height) + (rank << length) + (offset & (1 << length) - 1)
    inside = (address - near) % slots.orbit + (far.ciphertext * slots.orbit if rule.apart else 0)
    swapped = address // slots.orbit != far.slot // slots.orbit
    pieces = (far.ciphertext * 2 + swapped) * slots.orbit + (address - far.slot) % slots.orbit
    return len(distinct(inside)) + len(distinct(pieces)), address


def _begins(first: NDArray[np.bool_]) -> Numbers:
    """Returns, for each index, the last index up to it where ``first`` is True. Entry 0 of ``first`` is True."""
    return np.maximum.accumulate(np.where(first, np.arange(first.size), 0))
