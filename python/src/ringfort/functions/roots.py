# SPDX-License-Identifier: Apache-2.0
"""Approximates square roots on an interval that begins at zero. Finds the polynomial of x that is nearest to sqrt(x) on
the interval 0 .. high.

With x = high t^2, this polynomial is the even polynomial of t that is nearest to sqrt(high) t on 0 .. 1. Its degree in
x is about 0.14 sqrt(high) / error [Bernstein14]. Remez's exchange algorithm finds the polynomial. The proven bound on
the error is true even if the algorithm does not converge.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from ..distinct import distinct
from ..errors import Unsupported
from .chebyshev import MOST_DEGREE, Approximation
from .chebyshev import approximation as above_zero
from .sign import exchanged
from .table import FUNCTIONS, Domain

__all__ = ["approximation"]

_BERNSTEIN = 0.1401  # degree in x times error: check-magic: 0.1401 == round(0.2801694990 / 2, 4)
_POINTS = 1 << 16  # intervals of the grid on which the error is computed
_MOST_EXCHANGES = 60
_ROUNDING = 2.0**-42  # the bound of chebyshev.py


def approximation(name: str, domain: Domain, error: float) -> Approximation:
    """Returns the polynomial of the lowest degree found that approximates the function ``name`` with a proven error of
    at most ``error``.

    Errors: InvalidArgument (the function is not defined in the domain), Unsupported (the degree would be above
    MOST_DEGREE, or doubles are not accurate enough).
    """
    if FUNCTIONS[name].is_from_zero and domain[0] == 0:
        return _from_zero(domain[1], error)
    return above_zero(name, domain, error)


@lru_cache(maxsize=64)
def _from_zero(high: float, error: float) -> Approximation:
    root = math.sqrt(high)
    first = max(1, math.floor(_BERNSTEIN * root / error))
    for degree in range(first, MOST_DEGREE + 1):
        coefficients = root * _nearest(degree)
        proven = _error(coefficients, root)
        if proven <= error:
            return Approximation(tuple(map(float, coefficients)), (0.0, high), proven, root * (1 + 2.0**-50))
    raise Unsupported(
        f"sqrt from zero with this domain and error needs a polynomial of a degree above {MOST_DEGREE}",
        "give a larger error, or a domain above zero: x.assume(low=0.5), domain=(0.5, high)",
    )


def _error(coefficients: NDArray[Any], root: float) -> float:
    """Returns a bound on |root t - p(t)| on 0 .. 1, where p has the coefficients c_k of T_k(2 t^2 - 1).

    With t = cos(angle), the difference is root cos(angle) - sum of c_k cos(2 k angle). Its second derivative is at most
    b = root + sum of 4 k^2 |c_k|. Between two angles at distance h, the absolute difference is at most the larger of
    its values at the two angles, plus b h^2 / 8.
    """
    t = np.cos(np.linspace(0, np.pi / 2, _POINTS + 1))
    seen = float(np.abs(root * t - chebyshev.chebval(2 * t * t - 1, coefficients)).max())
    bent = root + float(np.sum(4 * np.arange(coefficients.size) ** 2 * np.abs(coefficients)))
    whole = root + float(np.abs(coefficients).sum())
    return seen + bent * (np.pi / 2 / _POINTS) ** 2 / 8 + _ROUNDING * whole


@lru_cache(maxsize=256)
def _nearest(degree: int) -> NDArray[Any]:
    """Returns the polynomial nearest to t on 0 .. 1: its coefficients c_k of T_k(2 t^2 - 1), k = 0 .. degree."""
    count = degree + 2
    angles = np.linspace(0, np.pi / 2, 64 * count + 1)  # their sines are dense where the largest errors are dense
    grid = distinct(np.concatenate([np.sin(angles), np.linspace(0, 4 / count, 64 * count)]))
    grid = grid[(grid >= 0) & (grid <= 1)]
    basis = np.cos(np.outer(2 * np.arccos(grid), np.arange(degree + 1)))  # T_k(2 t^2 - 1) = T_2k(t)
    first = np.cos(np.pi / 2 * np.arange(count)[::-1] / (count - 1))
    chosen = distinct(np.searchsorted(grid, first).clip(0, grid.size - 1))
    best, least = np.zeros(degree + 1), math.inf
    for _ in range(_MOST_EXCHANGES):
        signs = (-1.0) ** np.arange(count)
        solved = np.linalg.solve(np.column_stack([basis[chosen], signs]), grid[chosen])
        off = grid - basis @ solved[:-1]
        most = float(np.abs(off).max())
        if most < least:
            best, least = solved[:-1], most
        if most <= abs(float(solved[-1])) * (1 + 1e-4):
            break
        chosen = exchanged(off, count)
        if chosen.size < count:
            break
    return best
