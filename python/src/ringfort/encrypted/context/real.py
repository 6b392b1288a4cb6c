# SPDX-License-Identifier: Apache-2.0
"""Encryption, decryption, levels and precision of real and complex numbers in CKKS. The module ``_core.ckks`` has the
operations on ciphertexts. A ciphertext encrypts numbers times its *scale*, rounded to integers. The parameters give
each level a scale."""

from __future__ import annotations

import math

import numpy as np

from ..._core import ckks, keys
from ..packing.arithmetic import Vector
from ..packing.layout import Slots

__all__ = ["RealCiphertexts"]

_LARGEST_WHOLE = 2.0**53
_EXACT_ZERO_BITS = 1000.0


class RealCiphertexts:
    """Encrypts, decrypts and states facts about ciphertexts on one device. dtype: float64 or complex128."""

    exact = False
    wide = False
    rotates_sources = True

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
        """Number of successive products that the parameters guarantee."""
        arithmetic = ckks.ComplexArithmetic if dtype.kind == "c" else ckks.Arithmetic
        self.verbs = arithmetic(context, relinearization, galois)

    def encrypt(self, key: keys.PublicKey, values: Vector, magnitude: float | None = None) -> ckks.Ciphertext:
        return ckks.encrypt(self.context, key, np.ascontiguousarray(values, self.dtype), magnitude)

    def decrypt(self, key: keys.SecretKey, a: ckks.Ciphertext) -> Vector:
        out = np.empty(self.slots.count, self.dtype)
        ckks.decrypt(self.context, key, a, out)
        return out

    def decrypt_raw(self, key: keys.SecretKey, a: ckks.Ciphertext) -> Vector:
        out = np.empty(self.slots.count, self.dtype)
        ckks.decrypt_raw(self.context, key, a, out)
        return out

    def declare_magnitude(self, a: ckks.Ciphertext, magnitude: float) -> ckks.Ciphertext:
        return ckks.Evaluator(self.context).declare_magnitude(a, magnitude)

    def declare_approximation(self, a: ckks.Ciphertext, magnitude: float, error: float) -> ckks.Ciphertext:
        return ckks.declare_approximation(a, magnitude, error)

    def mark_untrusted(self, a: ckks.Ciphertext) -> ckks.Ciphertext:
        return ckks.mark_untrusted(a)

    def is_free(self, value: complex) -> bool:
        """Tells whether a product with the number consumes no level. Agrees with ``multiply_number`` of
        ``_core.ckks``."""
        return value.imag == 0 and float(value.real).is_integer() and abs(value.real) < _LARGEST_WHOLE

    def depth_left(self, a: ckks.Ciphertext) -> int:
        """Returns the number of successive products that a ciphertext still allows.

        A ciphertext whose scale differs from the scale of its level counts one level less, because the correction of
        the scale takes a level.
        """
        level = a.level if a.scale == self.context.scale(a.level) else a.level - 1
        return max(0, self.depth - (self.context.top_level - level))

    def budget(self, a: ckks.Ciphertext) -> int:
        """Returns the number of levels that are left. A dry run starts from this number, and subtracts the levels that
        operations take."""
        return self.depth_left(a)

    budget_of_product = 1

    def budget_of_plain(self, values: Vector) -> int:
        return 1

    def precision_bits(self, a: ckks.Ciphertext) -> float:
        """Returns the number of correct bits of a result of ``decrypt``. Includes the rounding of ``decrypt`` and of
        doubles."""
        bits = min(ckks.decoded_precision_bits(self.context, a), _EXACT_ZERO_BITS)
        return math.floor(bits * 100) / 100

    def raw_precision_bits(self, a: ckks.Ciphertext) -> float:
        """Returns the number of correct bits of a result of ``decrypt_raw``."""
        bits = min(ckks.raw_precision_bits(self.context, a), _EXACT_ZERO_BITS)
        return math.floor(bits * 100) / 100

    def nbytes(self, a: ckks.Ciphertext) -> int:
        return a.bytes

    def to(self, a: ckks.Ciphertext, target: RealCiphertexts) -> ckks.Ciphertext:
        return a.to(target.context)
