# SPDX-License-Identifier: Apache-2.0
"""Approximates the logistic function 1 / (1 + exp(-s)) on an interval by a polynomial. Fits it by least squares, as in
[KimSong18].

The function minus 1/2 is odd. Therefore the polynomial minus 1/2 has only odd powers. Its degree is 3, 5 or 7. Outside
the interval, the error of the polynomial grows quickly. ``Plan`` (plan.py) ensures that every margin at which the
polynomial is evaluated is inside the interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial, legendre
from numpy.typing import NDArray

from ..encrypted import EncryptedArray
from ..errors import InvalidArgument
from ..locks import CachedProperty
from ..values import positive, shown

__all__ = ["Sigmoid"]

_LEVELS = {3: 2, 5: 3, 7: 3}
_NODES = 200  # number of points of Gauss' rule, more than enough for intervals up to 64
_GRID = 20_001


@dataclass(frozen=True)
class Sigmoid:
    """A polynomial for the logistic function. degree: 3, 5 or 7. interval: the polynomial is fitted on -interval ..
    interval. Errors: InvalidArgument."""

    degree: int = 5
    interval: float = 20.0

    def __post_init__(self) -> None:
        if isinstance(self.degree, bool) or self.degree not in _LEVELS:
            raise InvalidArgument(f"degree is {shown(self.degree)}", "give 3, 5 or 7")
        object.__setattr__(self, "interval", positive("interval", self.interval, 6))

    @property
    def levels(self) -> int:
        """Number of levels (successive products) that ``odd_part`` takes."""
        return _LEVELS[self.degree]

    @CachedProperty
    def odd_coefficients(self) -> NDArray[np.float64]:
        """The coefficients of s, s^3 and so on, up to the degree, in the polynomial minus 1/2."""
        at, weight = legendre.leggauss(_NODES)
        wanted = np.tanh(at * self.interval / 2) / 2
        series = [
            (2 * k + 1) / 2 * float(np.sum(weight * wanted * legendre.Legendre.basis(k)(at))) if k % 2 else 0.0
            for k in range(self.degree + 1)
        ]
        return legendre.leg2poly(series)[1::2] / self.interval ** np.arange(1, self.degree + 1, 2)

    @CachedProperty
    def error(self) -> float:
        """The largest difference from the logistic function, measured on a grid over the interval."""
        s = np.linspace(-self.interval, self.interval, _GRID)
        return float(np.max(np.abs(self._polynomial(s) - np.tanh(s / 2) / 2)))

    @property
    def _polynomial(self) -> Polynomial:
        every = np.zeros(self.degree + 1)
        every[1::2] = self.odd_coefficients
        return Polynomial(every)

    def largest(self, margin: float) -> float:
        """Returns the largest absolute value of the polynomial minus 1/2 on -margin .. margin."""
        turns = self._polynomial.deriv().roots()
        inside = [abs(root.real) for root in turns if abs(root.imag) < 1e-9 and abs(root.real) < margin]
        return float(max(abs(self._polynomial(np.array([margin, *inside])))))

    def odd_part(self, s: EncryptedArray) -> EncryptedArray:
        """Evaluates the polynomial minus 1/2. s: a column of margins, divided by ``interval``. All slots outside the
        column become zero.

        The factors of ``s`` are plain columns and not numbers, because a product with an array clears unused slots
        (places of a ciphertext without an element). Therefore the result can be copied to whole rows without a mask,
        which would take a level.
        """
        coefficients = self.odd_coefficients * self.interval ** np.arange(1, self.degree + 1, 2)
        first, *_, last = coefficients
        square = s * s
        top: Any = s * np.full(s.shape, last)
        if self.degree == 3:
            return top * (square + first / last)
        third, fifth = coefficients[1:3]
        if self.degree == 5:
            return top * (square * square + square * (third / last) + first / last)
        inner = square * square + square * (fifth / last) + third / last
        return (top * square) * inner + s * np.full(s.shape, first)
