# SPDX-License-Identifier: Apache-2.0
"""Arithmetic modulo the product of several odd primes. Recombines residues by the Chinese remainder theorem. The
integers are Python's integers, of any size.

Residues modulo a prime t are centred: they are in [-(t - 1) / 2, (t - 1) / 2]. Integers are centred modulo the product
of the primes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Numbers"]


class Numbers:
    """The integers modulo the product of different odd primes. largest: the largest centred integer."""

    def __init__(self, moduli: Sequence[int]) -> None:
        self.moduli = tuple(moduli)
        self.product = math.prod(self.moduli)
        self.largest = (self.product - 1) // 2
        others = [self.product // t for t in self.moduli]
        self._factors = [other * pow(other, -1, t) for other, t in zip(others, self.moduli, strict=True)]

    def centred(self, values: Any) -> NDArray[np.object_]:
        """Reduces integers modulo the product. The results are centred."""
        return np.asarray((np.asarray(values, object) + self.largest) % self.product - self.largest, object)

    def recombined(self, residues: Sequence[NDArray[np.int64]]) -> NDArray[np.object_]:
        """Returns the integers that have these residues. residues: an array for each modulus."""
        total = sum(residue.astype(object) * factor for residue, factor in zip(residues, self._factors, strict=True))
        return self.centred(total)

    def ends(self, interval: tuple[int, int]) -> list[tuple[int, int]]:
        """Returns the interval (low, high) in the form of a file: a pair (-a, b) for each modulus t. Both a and b are
        in 0 .. t - 1.

        a is the distance from the smallest centred integer to ``low``, modulo t. b is the distance from ``high`` to the
        largest centred integer, modulo t. A file contains residues because an end of the interval may have more than 64
        bits.
        """
        below, above = interval[0] + self.largest, self.largest - interval[1]
        return [(-(below % t), above % t) for t in self.moduli]

    def interval(self, ends: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
        """Inverts ``ends``. Returns None if no interval has these ends."""
        if any(not (-t < low <= 0 <= high < t) for (low, high), t in zip(ends, self.moduli, strict=True)):
            return None
        below = sum(-low * factor for (low, _), factor in zip(ends, self._factors, strict=True)) % self.product
        above = sum(high * factor for (_, high), factor in zip(ends, self._factors, strict=True)) % self.product
        low, high = below - self.largest, self.largest - above
        return (low, high) if low <= high else None
