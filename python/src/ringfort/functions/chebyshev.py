# SPDX-License-Identifier: Apache-2.0
"""Approximates a function by its Chebyshev series. Cuts the series at the lowest degree found for which a proof shows
that the error is at most the requested error.

The difference e of function and polynomial is computed on a grid of points at distance h. Between two neighbouring
points, |e| is at most the larger of its values at the two points, plus h^2 / 8 times the largest |e''|. The largest
|e''| is at most the sum of the largest |f''| of the function f and the largest |p''| of the polynomial p. ``largest``
returns a bound on |p''| [EhlichZeller64].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from ..errors import InvalidArgument, Unsupported
from .table import FUNCTIONS, Domain, Function

__all__ = ["MOST_DEGREE", "Approximation", "approximation", "largest", "levels_of_degree"]

MOST_DEGREE = 255
_SERIES = 1023  # degree of the series before it is cut
_MOST_POINTS = 1 << 20
_ROUNDING = 2.0**-42  # bound on the relative rounding errors of function values and of polynomial values
_SLACK = 0.01  # the fraction of the requested error that is allowed between grid points, if _MOST_POINTS suffice


@dataclass(frozen=True)
class Approximation:
    """A polynomial that approximates a function. coefficients: those of the Chebyshev polynomials T_0, T_1 and so on,
    on the domain. error: a proven bound on the error. magnitude: a bound on the absolute values of the function."""

    coefficients: tuple[float, ...]
    domain: Domain
    error: float
    magnitude: float

    @property
    def degree(self) -> int:
        return len(self.coefficients) - 1

    @property
    def levels(self) -> int:
        """The number of levels (encrypted/array/array.py) that an evaluation takes. A domain other than -1 .. 1 takes
        one level more if the degree is above 1."""
        return levels_of_degree(self.degree) + (self.degree > 1 and self.domain != (-1.0, 1.0))

    def values(self, x: NDArray[Any]) -> NDArray[Any]:
        """Evaluates the polynomial on values in the clear."""
        low, high = self.domain
        return chebyshev.chebval((2 * x - low - high) / (high - low), np.array(self.coefficients))


def levels_of_degree(degree: int) -> int:
    return degree.bit_length()


def largest(coefficients: NDArray[Any]) -> float:
    """Returns a bound on the absolute values of a Chebyshev series on -1 .. 1 (see src/circuit/chebyshev.h)."""
    count = 24 * coefficients.size
    t = np.cos(np.pi * (2 * np.arange(count) + 1) / (2 * count))
    whole = float(np.abs(coefficients).sum())
    rounding = whole * coefficients.size**2 * 2.0**-49
    most = float(np.abs(chebyshev.chebval(t, coefficients)).max()) + rounding
    return min(whole, most / math.cos(math.pi * (coefficients.size - 1) / (2 * count)))


@lru_cache(maxsize=256)
def approximation(name: str, domain: Domain, error: float) -> Approximation:
    """Returns the cut series of the lowest degree found whose proven error is at most ``error``.

    Errors: InvalidArgument (the function is not defined in the domain), Unsupported (the degree would be above
    MOST_DEGREE, or doubles are not accurate enough).
    """
    function, (low, high) = FUNCTIONS[name], domain
    if function.is_positive and not low > 0:
        raise InvalidArgument(
            f"{name} needs a domain above zero, but the lower end is {low:g}",
            f"state what you know: x.assume(low=0.5), and give domain=(0.5, {high:g})",
        )
    _require_doubles(function, domain)
    series = _series(function, domain)
    # Element d is a bound on the error without the terms from degree d on.
    tails = np.cumsum(np.abs(series[::-1]))[::-1]
    first = int(np.searchsorted(-tails, -8 * error))  # the search begins here: errors are rarely below 1/8 of tails
    for degree in range(max(0, first - 1), MOST_DEGREE + 1):
        found = _cut(function, domain, series, degree, error)
        if found is not None:
            return found
    raise Unsupported(
        f"no polynomial of a degree up to {MOST_DEGREE} is proven to approximate {name} with this domain and error",
        "give a smaller domain, or a larger error",
    )


def _require_doubles(function: Function, domain: Domain) -> None:
    """Requires that the bounds on the function and on its second derivative are finite doubles. Errors: Unsupported."""
    try:
        bounds = (function.magnitude(*domain), function.curvature(*domain) * _middle(domain)[1] ** 2)
    except OverflowError:
        bounds = (math.inf, math.inf)
    if not all(map(math.isfinite, bounds)):
        raise Unsupported(f"{function.name} exceeds the range of doubles in this domain", "give a smaller domain")


def _series(function: Function, domain: Domain) -> NDArray[Any]:
    middle, half = _middle(domain)
    angles = np.pi * (np.arange(_SERIES + 1) + 0.5) / (_SERIES + 1)
    values = function.values(middle + half * np.cos(angles))
    # Computes coefficients from values at Chebyshev points.
    series = np.cos(np.outer(np.arange(_SERIES + 1), angles)) @ values * (2 / (_SERIES + 1))
    series[0] /= 2
    # Sets to zero the coefficients that are only rounding errors, for example the even coefficients of an odd function.
    series[np.abs(series) < np.abs(series).max() * 2.0**-50] = 0
    return series


def _middle(domain: Domain) -> tuple[float, float]:
    return (domain[0] + domain[1]) / 2, (domain[1] - domain[0]) / 2


def _cut(function: Function, domain: Domain, series: NDArray[Any], degree: int, error: float) -> Approximation | None:
    """Returns the series up to a degree. Returns None if its proven error is too large."""
    cut = series[: degree + 1]
    if degree and cut[-1] == 0:
        return None
    middle, half = _middle(domain)

    def off(t: NDArray[Any]) -> float:
        return float(np.abs(function.values(middle + half * t) - chebyshev.chebval(t, cut)).max())

    if off(np.cos(np.linspace(0, np.pi, 4 * degree + 5))) > error:
        return None
    bent = function.curvature(*domain) * half**2 + (largest(chebyshev.chebder(cut, 2)) if degree > 1 else 0.0)
    points = math.ceil(min(_MOST_POINTS, math.sqrt(bent / (2 * _SLACK * error)) + 2))
    most = function.magnitude(*domain) * (1 + 2.0**-50)
    unseen = bent / (2 * points**2) + _ROUNDING * (most + float(np.abs(cut).sum()))
    if unseen > error:
        return None
    proven = off(np.linspace(-1, 1, points + 1)) + unseen
    return Approximation(tuple(map(float, cut)), domain, proven, most) if proven <= error else None
