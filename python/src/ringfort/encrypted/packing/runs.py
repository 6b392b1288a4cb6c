# SPDX-License-Identifier: Apache-2.0
"""Rotations that many ways (ways.py) to one ciphertext share: *baby steps* and *giant steps* [HaleviShoup18].

The steps of a structured move, such as a transposition, form *runs*: arithmetic progressions with a common difference
d. A run is cut into pieces of at most m steps. Each piece begins with a baby step b, and its steps are b + i d for i =
0 .. m - 1. Each baby step is one rotation of a source ciphertext, not of another baby step: the errors of a chain of
rotations would add up. The multiples of d take m - 1 rotations by d, which all pieces of all sources share, by Horner's
rule.

The cost of a rotation is the number of its key switches with the default keys, which are signed powers of two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

__all__ = ["Runs", "Way", "planned"]

_MOST_BABIES = 64  # these ciphertexts are in memory at the same time
_DIFFERENCES = 8


class Way(NamedTuple):
    """All elements that move from a source ciphertext by a step to one target ciphertext."""

    source: int
    step: int


@dataclass(frozen=True)
class Runs:
    """Way i is the baby step ``babies[i]`` and then ``giants[i]`` times the step ``difference``."""

    difference: int
    babies: list[Way]
    giants: list[int]
    cost: int


def switches(step: int, orbit: int) -> int:
    """Returns the number of signed powers of two whose sum is the step, modulo the length of the orbit."""
    step %= orbit
    short = min(step, orbit - step)
    return (short ^ 3 * short).bit_count()  # 3 x and x differ in the nonzero digits of x in nonadjacent form


def planned(ways: Sequence[Way], orbit: int) -> Runs | None:
    """Returns the runs with the fewest key switches. Returns None if they do not save a quarter of the key switches of
    one rotation for each way. ways: sorted by step."""
    steps = [0] + [way.step for way in ways]
    present = sum(switches(high - low, orbit) for low, high in zip(steps, steps[1:], strict=False))
    found = [runs for d in _differences(ways, orbit) for runs in _with_difference(ways, d, orbit)]
    best = min(found, key=lambda runs: runs.cost, default=None)
    return best if best is not None and 4 * best.cost <= 3 * present else None


def _differences(ways: Sequence[Way], orbit: int) -> list[int]:
    """Returns the differences, up to half an orbit, that most pairs of ways of one source have."""
    pairs, steps = np.zeros(orbit // 2 + 1), defaultdict(list)
    for way in ways:
        steps[way.source].append(way.step)
    for of_source in steps.values():
        used = np.zeros(orbit)
        used[of_source] = 1
        pairs += np.fft.irfft(np.abs(np.fft.rfft(used)) ** 2, orbit)[: pairs.size]
    counts = np.rint(pairs).astype(np.int64)[1:]
    order = np.argsort(-counts, kind="stable")[:_DIFFERENCES] + 1
    return [int(d) for d in order if counts[d - 1] > 0]


def _with_difference(ways: Sequence[Way], d: int, orbit: int) -> list[Runs]:
    """Returns the runs of the difference d, for several lengths of pieces."""
    known, position = set(ways), {}
    longest = 1
    for way in ways:
        if way._replace(step=(way.step - d) % orbit) in known:
            continue
        step, i = way.step, 0
        while Way(way.source, step) in known:
            position[way.source, step] = (way.step, i)
            step, i = (step + d) % orbit, i + 1
        longest = max(longest, i)
    if len(position) < len(known):  # a run that is a whole circle has no first step
        return []
    found = []
    for most in sorted({-(-longest // count) for count in range(1, longest + 1)}):
        located = [position[way] for way in ways]
        babies = [
            Way(way.source, (start + i // most * most * d) % orbit)
            for way, (start, i) in zip(ways, located, strict=True)
        ]
        used = set(babies)
        if len(used) <= _MOST_BABIES:
            cost = (most - 1) * switches(d, orbit) + sum(switches(baby.step, orbit) for baby in used)
            found.append(Runs(d, babies, [i % most for _, i in located], cost))
    return found
