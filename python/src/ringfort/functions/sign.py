# SPDX-License-Identifier: Apache-2.0
"""Approximates the sign of a number by a composition of polynomials [CheonKimKim20] [LeeLeeNoKim21].

Each polynomial, a *stage*, is odd. Consider the interval to which the stages before it map gap .. 1. The stage is the
minimax polynomial for 1 on this interval: its largest distance from 1 is as small as possible. On gap .. 1, the
composition differs from 1 by at most ``error``. On 0 .. gap, it is between 0 and 1 + error. For negative
numbers, it has the same values with the opposite sign, because it is odd, too.

Every stage except the last is divided by its maximum. Therefore it maps -1 .. 1 into -1 .. 1, and no level
(encrypted/array/array.py) is needed to scale values between two stages. Remez's exchange algorithm finds the minimax
polynomials. The bounds are true even if the algorithm does not converge.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from ..distinct import distinct
from ..errors import Unsupported
from .chebyshev import largest, levels_of_degree

__all__ = ["Steps", "exchanged", "steps"]

_DEGREES = {2: 3, 3: 7, 4: 15}  # maps the number of levels of a stage to its degree
_MOST_LEVELS = 24
_POINTS = 1 << 16  # intervals of each grid on which bounds are computed
_ROUNDING = 2.0**-42  # the bound of chebyshev.py
Coefficients = tuple[float, ...]


@dataclass(frozen=True)
class Steps:
    """A composition of polynomials that approximates the sign on -1 .. 1. stages: the Chebyshev coefficients of the
    polynomials, in the order of their application. error: a proven bound on the error for |t| >= gap."""

    stages: tuple[Coefficients, ...]
    gap: float
    error: float

    @property
    def levels(self) -> int:
        """The number of levels that an evaluation on -1 .. 1 takes. Another domain takes one level more."""
        return sum(levels_of_degree(len(stage) - 1) for stage in self.stages)

    @property
    def degrees(self) -> tuple[int, ...]:
        return tuple(len(stage) - 1 for stage in self.stages)

    def values(self, t: NDArray[Any]) -> NDArray[Any]:
        """Evaluates the composition on values in the clear."""
        for stage in self.stages:
            t = chebyshev.chebval(t, np.array(stage))
        return t


@dataclass(frozen=True)
class _Image:
    """An odd polynomial with its bounds. On gap .. 1, its values are in low .. high. On 0 .. gap, its values are at
    most ``high``."""

    coefficients: NDArray[Any]
    low: float
    high: float


@lru_cache(maxsize=64)
def steps(gap: float, error: float) -> Steps:
    """Returns the composition that takes the fewest levels. Errors: Unsupported (more than _MOST_LEVELS levels, or
    doubles are not accurate enough)."""
    least = 8 * _ROUNDING  # below this limit, the search would take many seconds and find nothing
    for levels in range(2, _MOST_LEVELS + 1) if min(gap, error) > least else ():
        for parts in _partitions(levels):
            if (found := _composed(tuple(_DEGREES[part] for part in parts), gap, error)) is not None:
                return found
    raise Unsupported(
        f"no polynomials of up to {_MOST_LEVELS} levels are proven to approximate the sign with this gap and error",
        "give a larger gap, or a larger error",
    )


def _partitions(levels: int, least: int = 2) -> Iterator[tuple[int, ...]]:
    """Yields the ways to divide the levels among stages. No stage has fewer levels than the stage before it."""
    if levels == 0:
        yield ()
    for part in range(least, min(4, levels) + 1):
        for rest in _partitions(levels - part, part):
            yield (part, *rest)


def _composed(degrees: tuple[int, ...], gap: float, error: float) -> Steps | None:
    low, stages = gap, []
    for degree in degrees[:-1]:
        image = _stage(degree, low)
        if image is None:
            return None
        stages.append(tuple(map(float, image.coefficients / image.high)))
        low = image.low / image.high * (1 - 2.0**-40)
    image = _stage(degrees[-1], low)
    if image is None:
        return None
    proven = max(1 - image.low, image.high - 1)
    if proven > error:
        return None
    return Steps((*stages, tuple(map(float, image.coefficients))), gap, proven)


@lru_cache(maxsize=1024)
def _stage(degree: int, gap: float) -> _Image | None:
    """Returns an odd polynomial that is near 1 on gap .. 1, with proven bounds. Returns None if it is not proven
    that the polynomial is positive above zero."""
    gap = min(gap, 1 - 2.0**-20)  # a shorter interval gap .. 1 has too few doubles
    c = _minimax(degree, gap)
    bent = largest(chebyshev.chebder(c, 2))
    # Between two grid points, the polynomial leaves the range of its two values by at most this (chebyshev.py).
    between = bent / (8 * _POINTS**2) + _ROUNDING * float(np.abs(c).sum())
    inside, outside = np.linspace(0, gap, _POINTS + 1), np.linspace(gap, 1, _POINTS + 1)
    near, far = chebyshev.chebval(inside, c), chebyshev.chebval(outside, c)
    low, high = float(far.min()) - between, max(float(far.max()), float(near.max())) + between
    # The polynomial differs from slope * t by at most bent t^2 / 2. Therefore it is positive up to t = 2 slope / bent.
    slope = float(chebyshev.chebval(0.0, chebyshev.chebder(c)))
    safe = 2 * slope / bent if bent else 1.0
    is_positive = slope > 0 and float(near[inside >= min(safe, gap) / 2].min()) > between
    return _Image(c, low, high) if low > 0 and is_positive else None


def _minimax(degree: int, gap: float) -> NDArray[Any]:
    """Returns Chebyshev coefficients of the odd polynomial that is nearest to 1 on gap .. 1."""
    count = (degree + 1) // 2
    orders = 2 * np.arange(count) + 1
    grid = distinct(np.concatenate([np.geomspace(gap, 1, 4000), np.linspace(gap, 1, 4000)]))
    basis = np.cos(np.outer(np.arccos(np.clip(grid, -1, 1)), orders))
    first = gap ** (0.5 + 0.5 * np.cos(np.pi * np.arange(count + 1) / count))  # these points are dense near both ends
    chosen = distinct(np.searchsorted(grid, first).clip(0, grid.size - 1))
    while chosen.size < count + 1:
        chosen = distinct(np.append(chosen, np.delete(np.arange(grid.size), chosen)[chosen.size]))
    best, least = np.zeros(count), math.inf
    for _ in range(60):
        signs = (-1.0) ** np.arange(count + 1)
        try:
            solved = np.linalg.solve(np.column_stack([basis[chosen], signs]), np.ones(count + 1))
        except np.linalg.LinAlgError:  # the basis has equal rows at two points
            break
        off = 1 - basis @ solved[:-1]
        if (most := float(np.abs(off).max())) < least:
            best, least = solved[:-1], most
        if most <= abs(float(solved[-1])) * (1 + 1e-9):
            break
        chosen = exchanged(off, count + 1)
        if chosen.size < count + 1:
            break
    out = np.zeros(degree + 1)
    out[orders] = best
    return out


def exchanged(off: NDArray[Any], count: int) -> NDArray[Any]:
    """Divides the points into ranges in which the error ``off`` keeps its sign. Returns the index of the largest |off|
    in each range. If there are more than ``count`` ranges, omits ranges at the two ends.
    """
    borders = np.flatnonzero(np.diff(np.sign(off))) + 1
    ranges = np.split(np.arange(off.size), borders)
    points = [int(each[np.argmax(np.abs(off[each]))]) for each in ranges]
    while len(points) > count:
        points.pop(0 if abs(off[points[0]]) < abs(off[points[-1]]) else -1)
    return np.array(points)
