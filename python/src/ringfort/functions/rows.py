# SPDX-License-Identifier: Apache-2.0
"""Polynomials for functions of whole rows of numbers, with proven errors: the indicator of the largest element, and
softmax.

Indicator: a comparison c(d) approximates 1 if d > 0, and 0 if d < 0. For |d| >= gap, its error is at most e. For
smaller |d|, it is still in -e .. 1 + e, because c = (1 + s) / 2 for an approximation s of the sign, and sign.py bounds
s there, too. The indicator of element i is the product of c(x_i - x_j) over all other elements j. Let the largest
element exceed all others by at least gap. Then all factors of its indicator differ from 1 by at most e. The indicator
of any other element has a factor that differs from 0 by at most e: the comparison with the largest element. Its other
factors are in -e .. 1 + e. Therefore the error of a row of k elements is at most (1 + e)^(k - 1) - 1.

Softmax: the result for element i is E_i V. Here E_i = p(x_i). The polynomial p approximates exp(x - high), where high
is the upper end of the domain. V approximates 1 / sum_i E_i. If p has the relative error r, the quotients
E_i / sum_i E_i have the relative error 2 r / (1 - r). In addition, the error of V contributes at most its product with
the largest E_i.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidArgument
from .chebyshev import Approximation, approximation, levels_of_degree
from .sign import Steps, steps
from .table import Domain

__all__ = ["MOST_IN_A_ROW", "Indicator", "Softmax", "indicator", "softmax"]

MOST_IN_A_ROW = 256
# Shares of softmax's error for its two polynomials; the rest is for the product of their errors.
_EXP_SHARE, _INVERSE_SHARE = 0.3, 0.6


@dataclass(frozen=True)
class Indicator:
    """The indicator for rows of ``count`` elements. stages: the polynomials whose composition approximates the sign on
    -1 .. 1 (sign.py). error: a proven bound on the error for rows whose largest element exceeds all others by at least
    gap."""

    count: int
    stages: Steps
    error: float

    @property
    def levels(self) -> int:
        """The number of levels (encrypted/array/array.py) that the indicator takes on the domain -1 .. 1: those of the
        differences, of the comparisons, and of the product of the comparisons. Another domain takes one level more."""
        return 1 + self.stages.levels + (self.count - 2).bit_length()

    def values(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Evaluates the indicator along the last axis of values in the clear. The differences of all elements must
        be in -1 .. 1."""
        result = np.ones(rows.shape)
        for d in range(1, self.count):
            result = result * (0.5 + 0.5 * self.stages.values(rows - np.roll(rows, -d, axis=-1)))
        return result


@dataclass(frozen=True)
class Softmax:
    """The polynomials of softmax. exponential: approximates exp(x - high) on the domain. inverse: approximates the
    reciprocal of the sum. error: a proven bound on the error of softmax."""

    count: int
    exponential: Approximation
    inverse: Approximation
    error: float

    @property
    def levels(self) -> int:
        """The number of levels that softmax takes: those of the two polynomials, of three masks, and of the product
        E_i V. A mask is a product that clears unused slots. The masks are for the E_i, for their sum, and for V. The
        mask of the sum also maps the sum to the domain -1 .. 1 of the second polynomial."""
        return self.exponential.levels + 1 + 1 + levels_of_degree(self.inverse.degree) + 1 + 1

    def values(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Evaluates softmax along the last axis of values in the clear."""
        powers = self.exponential.values(rows)
        return powers * self.inverse.values(powers.sum(axis=-1, keepdims=True))


@lru_cache(maxsize=64)
def indicator(count: int, gap: float, error: float) -> Indicator:
    """Returns the indicator that takes the fewest levels. gap: a fraction of the largest difference in the domain.

    Errors: InvalidArgument, Unsupported (too many levels).
    """
    _require_count(count)
    each = math.expm1(math.log1p(error) / (count - 1))
    found = steps(gap, 2 * each)  # c = (1 + sign) / 2, with half of the error of the sign
    return Indicator(count, found, math.expm1((count - 1) * math.log1p(found.error / 2)))


@lru_cache(maxsize=64)
def softmax(count: int, domain: Domain, error: float) -> Softmax:
    """Returns the polynomials of softmax. Errors: InvalidArgument, Unsupported (the domain is too wide)."""
    _require_count(count)
    low, high = domain
    relative = _EXP_SHARE * error / 2 / (1 + error)
    plain = approximation("exp", domain, relative * math.exp(low))
    scale = math.exp(-high)
    off = plain.error * scale * (1 + 2.0**-50)  # bound on the error of p
    power = Approximation(tuple(float(c) for c in np.array(plain.coefficients) * scale), domain, off, 1 + off)
    least = math.exp(low - high)  # the smallest value of exp(x - high)
    # An interval that contains every sum of the E_i.
    sums = (count * (least - off) * (1 - 2.0**-40), count * (1 + off) * (1 + 2.0**-40))
    inverse = approximation("inverse", sums, _INVERSE_SHARE * error / (1 + off))
    ratio = off / least  # the relative error r of p
    return Softmax(count, power, inverse, 2 * ratio / (1 - ratio) + (1 + off) * inverse.error)


def _require_count(count: int) -> None:
    if not 2 <= count <= MOST_IN_A_ROW:
        raise InvalidArgument(f"the axis has {count} elements", f"give an axis of 2 to {MOST_IN_A_ROW} elements")
