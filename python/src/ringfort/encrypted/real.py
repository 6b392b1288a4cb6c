# SPDX-License-Identifier: Apache-2.0
"""Real and complex numbers in CKKS ciphertexts: the verbs that arrays ask for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .._core import ckks, keys
from ..errors import KeyMissing
from .arithmetic import Vector, bounds_for, require_conjugation_key, require_product_key, rotation_key
from .layout import Slots

__all__ = ["RealArithmetic"]

_LARGEST_WHOLE = 2.0**53
_EXACT_ZERO_BITS = 1000.0


class RealArithmetic:
    """dtype: float64 or complex128. A missing key is reported by the verb that needs it."""

    exact = False

    def __init__(
        self,
        context: ckks.Context,
        dtype: np.dtype[np.generic],
        depth: int,
        relinearization: keys.RelinearizationKey | None,
        galois: keys.GaloisKeys | None,
    ) -> None:
        self.dtype = dtype
        self.slots = Slots(context.slots)
        self.context = context
        self.depth = depth
        self.wants_batches = context.keys.wants_batches
        self._relinearization, self._galois = relinearization, galois
        self._automatic = ckks.AutomaticEvaluator(context, relinearization, galois)
        self._by_hand = ckks.Evaluator(context)

    def encrypt(self, key: keys.PublicKey, values: Vector, magnitude: float | None = None) -> ckks.Ciphertext:
        return ckks.encrypt(self.context, key, np.ascontiguousarray(values, self.dtype), magnitude)

    def decrypt(self, key: keys.SecretKey, a: ckks.Ciphertext) -> Vector:
        out = np.empty(self.slots.count, self.dtype)
        with bounds_for(self, 0, a):
            ckks.decrypt(self.context, key, a, out)
        return out

    def decrypt_raw(self, key: keys.SecretKey, a: ckks.Ciphertext) -> Vector:
        out = np.empty(self.slots.count, self.dtype)
        with bounds_for(self, 0, a):
            ckks.decrypt_raw(self.context, key, a, out)
        return out

    def add(self, a: ckks.Ciphertext, b: ckks.Ciphertext) -> ckks.Ciphertext:
        with bounds_for(self, 0, a, b):
            return self._automatic.add(a, b)

    def add_apart(self, a: ckks.Ciphertext, b: ckks.Ciphertext) -> ckks.Ciphertext:
        return self._by_hand.declare_magnitude(self.add(a, b), max(a.magnitude, b.magnitude))

    def subtract(self, a: ckks.Ciphertext, b: ckks.Ciphertext) -> ckks.Ciphertext:
        with bounds_for(self, 0, a, b):
            return self._automatic.sub(a, b)

    def negate(self, a: ckks.Ciphertext) -> ckks.Ciphertext:
        return self._by_hand.negate(a)

    def multiply(self, a: ckks.Ciphertext, b: ckks.Ciphertext) -> ckks.Ciphertext:
        require_product_key(self._relinearization)
        with bounds_for(self, 1, a, b):
            return self._automatic.multiply(a, b)

    def multiply_many(self, a: Sequence[ckks.Ciphertext], b: Sequence[ckks.Ciphertext]) -> list[ckks.Ciphertext]:
        require_product_key(self._relinearization)
        with bounds_for(self, 1, *a, *b):
            return self._automatic.multiply_many(a, b)

    def power(self, a: ckks.Ciphertext, exponent: int) -> ckks.Ciphertext:
        require_product_key(self._relinearization)
        with bounds_for(self, (exponent - 1).bit_length(), a):
            return self._automatic.exponentiate(a, exponent)

    def power_many(self, a: Sequence[ckks.Ciphertext], exponent: int) -> list[ckks.Ciphertext]:
        require_product_key(self._relinearization)
        with bounds_for(self, (exponent - 1).bit_length(), *a):
            return self._automatic.exponentiate_many(a, exponent)

    def add_plain(self, a: ckks.Ciphertext, values: Vector) -> ckks.Ciphertext:
        with bounds_for(self, 0, a):
            return self._automatic.add_values(a, np.ascontiguousarray(values, self.dtype))

    def multiply_plain(self, a: ckks.Ciphertext, values: Vector) -> ckks.Ciphertext:
        with bounds_for(self, 1, a):
            return self._automatic.multiply_values(a, np.ascontiguousarray(values, self.dtype))

    def multiply_number(self, a: ckks.Ciphertext, value: complex) -> ckks.Ciphertext:
        """Whole numbers cost no level."""
        if self.is_free(value):
            with bounds_for(self, 0, a):
                return self._by_hand.multiply_integer(a, int(value.real))
        return self.multiply_plain(a, np.full(self.slots.count, value))

    def is_free(self, value: complex) -> bool:
        """Whether a product with the number takes no level."""
        return value.imag == 0 and float(value.real).is_integer() and abs(value.real) < _LARGEST_WHOLE

    def rotate(self, a: ckks.Ciphertext, step: int) -> ckks.Ciphertext:
        with rotation_key(self._galois), bounds_for(self, 0, a):
            return self._automatic.rotate(a, self._turn(step))

    def rotate_many(self, a: Sequence[ckks.Ciphertext], step: int) -> list[ckks.Ciphertext]:
        with rotation_key(self._galois), bounds_for(self, 0, *a):
            return self._automatic.rotate_many(a, self._turn(step))

    def _turn(self, step: int) -> int:
        lane = self.slots.lane
        if lane < self.context.keys.chain.n // 2 and 3 * step > 2 * lane:  # composed of a whole turn of the lane, else
            step -= lane
        return step

    def swap(self, a: ckks.Ciphertext) -> ckks.Ciphertext:
        raise KeyMissing("CKKS has one lane of slots", "rotate instead")

    def conjugate(self, a: ckks.Ciphertext) -> ckks.Ciphertext:
        require_conjugation_key(self._galois)
        with bounds_for(self, 0, a):
            return self._automatic.conjugate(a)

    def depth_left(self, a: ckks.Ciphertext) -> int:
        """Of the products that the parameters promise; what is not at its level's scale takes a level to get there."""
        level = a.level if a.scale == self.context.scale(a.level) else a.level - 1
        return max(0, self.depth - (self.context.top_level - level))

    def room(self, a: ckks.Ciphertext) -> int:
        """What a rehearsal counts down: levels."""
        return self.depth_left(a)

    room_of_product = 1

    def room_of_plain(self, values: Vector) -> int:
        return 1

    def precision_bits(self, a: ckks.Ciphertext) -> float:
        """Of what decrypt returns: its rounding and those of doubles are counted, too."""
        bits = min(ckks.decoded_precision_bits(self.context, a), _EXACT_ZERO_BITS)
        return math.floor(bits * 100) / 100

    def raw_precision_bits(self, a: ckks.Ciphertext) -> float:
        """Of what decrypt_raw returns."""
        bits = min(ckks.raw_precision_bits(self.context, a), _EXACT_ZERO_BITS)
        return math.floor(bits * 100) / 100

    def nbytes(self, a: ckks.Ciphertext) -> int:
        return a.bytes

    def to(self, a: ckks.Ciphertext, target: RealArithmetic) -> ckks.Ciphertext:
        return a.to(target.context)
