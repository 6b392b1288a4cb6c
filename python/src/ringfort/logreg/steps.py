# SPDX-License-Identifier: Apache-2.0
"""The gradient steps of a training by accelerated gradients [KimSong18]. Computes bounds on margins and weights. The
bounds are true for all records that have the given facts (``Records`` in scaling.py).

A *margin* is the inner product of a row x and the weights. Let odd be the sigmoid's polynomial minus 1/2, let the
labels y be -1/2 or 1/2, and let c = y - odd(margin). A step adds rate * mean(c x) to the weights. With the fact
``spread``, |mean(c x)| is at most sqrt(spread) max |c|. In the first step, all margins are zero, and c x is y x. Then
facts about the mean of y x give a better bound.

The slots (places of a ciphertext) between the margins of two rows contain other sums. Such a sum covers the end of one
row and the beginning of the next row. No product with a mask clears these slots, because it would take a level.
Therefore they need a bound, too: the *window*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .scaling import Records
from .sigmoid import Sigmoid

__all__ = ["Step", "bounds_of", "largest_rate", "stable_rate"]

_LARGEST_RATE = 2.0**20
_BISECTIONS = 60


@dataclass(frozen=True)
class Step:
    """One gradient step. The gradient is taken at the weights w = v + momentum (v - v_before): see model.py. margin: a
    bound on the absolute values of margins at w. window: a bound on the absolute values of the sums between margins.
    norm: a bound on the norm of v after the step."""

    momentum: float
    margin: float
    window: float
    norm: float


def bounds_of(records: Records, sigmoid: Sigmoid, iterations: int, rate: float) -> tuple[Step, ...]:
    move, margin_move = rate * records.length, rate * records.reach
    norm, margin, window = move, margin_move, rate * records.window
    steps, weight = [Step(0.0, 0.0, 0.0, norm)], 1.0
    for _ in range(iterations - 1):
        following = (1 + math.sqrt(1 + 4 * weight * weight)) / 2
        momentum, weight = (weight - 1) / following, following
        length = norm + momentum * move
        reached = min(margin + momentum * margin_move, length)
        change = rate * math.sqrt(records.spread) * (0.5 + sigmoid.largest(min(reached, 2 * sigmoid.interval)))
        move, margin_move = momentum * move + change, momentum * margin_move + change
        norm, margin = norm + move, margin + margin_move
        steps.append(Step(momentum, reached, min(window, math.sqrt(2) * length), norm))
        window = math.inf
    return tuple(steps)


def largest_rate(records: Records, sigmoid: Sigmoid, iterations: int, is_last_inside: bool) -> float:
    """Returns the largest rate with which all margins are certain to stay in the sigmoid's interval.

    is_last_inside: True includes the margins of any row with the trained weights. If it is False, a training of one
    step has only margins of zero, which allow any rate. Such a training gets the rate for two steps.
    """
    low, high = 0.0, _LARGEST_RATE
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        steps = bounds_of(records, sigmoid, max(iterations, 1 if is_last_inside else 2), middle)
        margins = [step.margin for step in steps] + ([steps[-1].norm] if is_last_inside else [])
        low, high = (middle, high) if max(margins) <= sigmoid.interval else (low, middle)
    return low


def stable_rate(records: Records, sigmoid: Sigmoid) -> float:
    """Returns the largest rate with which a step from small margins ends no farther from the minimum of the loss than
    it began.

    At small margins, the curvature of the loss is at most the spread times the slope of the sigmoid's polynomial at
    zero.
    """
    return 2 / (records.spread * sigmoid.odd_coefficients[0])
