# SPDX-License-Identifier: Apache-2.0
"""Integers modulo a prime in BFV or BGV ciphertexts: the verbs that arrays ask for. Values are centred residues."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from .._core import keys
from ..errors import InvalidArgument
from .arithmetic import Vector, bounds_for, require_product_key, rotation_key
from .layout import Slots

__all__ = ["IntegerArithmetic"]


class IntegerArithmetic:
    """scheme: ``_core.bfv`` or ``_core.bgv``, which are alike. A missing key is reported by the verb that needs it."""

    exact = True
    dtype = np.dtype(np.int64)

    def __init__(
        self,
        scheme: ModuleType,
        context: Any,
        budgets: list[float],
        relinearization: keys.RelinearizationKey | None,
        galois: keys.GaloisKeys | None,
    ) -> None:
        self.slots = Slots(context.keys.chain.n // 2, 2)
        self.context = context
        self.modulus: int = context.plain_modulus
        self._scheme = scheme
        self.depth = len(budgets) - 1
        self.wants_batches = context.keys.wants_batches
        self._budgets = budgets
        self._relinearization, self._galois = relinearization, galois
        self._automatic = scheme.AutomaticEvaluator(context, relinearization, galois)
        self._by_hand = scheme.Evaluator(context)

    def residues(self, values: Vector) -> Vector:
        """In [-(t - 1) / 2, (t - 1) / 2]."""
        rest = np.asarray(values) % self.modulus
        return np.where(rest > (self.modulus - 1) // 2, rest - self.modulus, rest).astype(np.int64)

    def _slots(self, values: Vector) -> Vector:
        return np.ascontiguousarray(self.residues(values))

    def encrypt(self, key: keys.PublicKey, values: Vector) -> Any:
        return self._scheme.encrypt(self.context, key, self._slots(values))

    def decrypt(self, key: keys.SecretKey, a: Any) -> Vector:
        out = np.empty(self.slots.count, np.int64)
        with bounds_for(self, 0, a):
            self._scheme.decrypt(self.context, key, a, out)
        return out

    decrypt_raw = decrypt

    def add(self, a: Any, b: Any) -> Any:
        with bounds_for(self, 0, a, b):
            return self._automatic.add(a, b)

    add_apart = add

    def subtract(self, a: Any, b: Any) -> Any:
        with bounds_for(self, 0, a, b):
            return self._automatic.sub(a, b)

    def negate(self, a: Any) -> Any:
        return self._by_hand.negate(a)

    def multiply(self, a: Any, b: Any) -> Any:
        require_product_key(self._relinearization)
        with bounds_for(self, 1, a, b):
            return self._automatic.multiply(a, b)

    def multiply_many(self, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
        require_product_key(self._relinearization)
        with bounds_for(self, 1, *a, *b):
            return list(self._automatic.multiply_many(a, b))

    def power(self, a: Any, exponent: int) -> Any:
        require_product_key(self._relinearization)
        with bounds_for(self, (exponent - 1).bit_length(), a):
            return self._automatic.exponentiate(a, exponent)

    def power_many(self, a: Sequence[Any], exponent: int) -> list[Any]:
        require_product_key(self._relinearization)
        with bounds_for(self, (exponent - 1).bit_length(), *a):
            return list(self._automatic.exponentiate_many(a, exponent))

    def add_plain(self, a: Any, values: Vector) -> Any:
        with bounds_for(self, 0, a):
            return self._automatic.add_values(self.context, a, self._slots(values))

    def multiply_plain(self, a: Any, values: Vector) -> Any:
        with bounds_for(self, 1, a):
            return self._automatic.multiply_values(self.context, a, self._slots(values))

    def multiply_number(self, a: Any, value: complex) -> Any:
        with bounds_for(self, 0, a):
            return self._by_hand.multiply_integer(a, int(self.residues(np.asarray(value.real, np.int64))))

    def rotate(self, a: Any, step: int) -> Any:
        with rotation_key(self._galois), bounds_for(self, 0, a):
            return self._automatic.rotate(a, step)

    def rotate_many(self, a: Sequence[Any], step: int) -> list[Any]:
        with rotation_key(self._galois), bounds_for(self, 0, *a):
            return list(self._automatic.rotate_many(a, step))

    def swap(self, a: Any) -> Any:
        with rotation_key(self._galois), bounds_for(self, 0, a):
            return self._automatic.swap_rows(a)

    def depth_left(self, a: Any) -> int:
        """Products that fit by the same bounds that chose the parameters."""
        spent = next(
            (k for k, budget in enumerate(self._budgets) if budget <= a.budget_bits + 1e-6), len(self._budgets)
        )
        return len(self._budgets) - 1 - min(spent, len(self._budgets) - 1)

    def room(self, a: Any) -> float:
        """What a rehearsal counts down: bits between the noise and what decryption stands."""
        return float(a.budget_bits)

    @property
    def room_of_product(self) -> float:
        """The least that a product takes."""
        return min((b - c for b, c in zip(self._budgets, self._budgets[1:])), default=math.log2(self.modulus))

    def room_of_plain(self, values: Vector) -> float:
        """The least that a product with these values takes: of equal ones the number, else most of the modulus."""
        first = int(self.residues(values[:1])[0])
        return math.log2(max(1, abs(first))) if np.all(values == values[0]) else math.log2(self.modulus) - 2

    def is_free(self, value: complex) -> bool:
        """Whether a product with the number takes no level."""
        return True

    def precision_bits(self, a: Any) -> float:
        return float("inf")

    raw_precision_bits = precision_bits

    def nbytes(self, a: Any) -> int:
        return int(a.bytes)

    def to(self, a: Any, target: IntegerArithmetic) -> Any:
        return a.to(target.context)


def require_slots(context: Any) -> None:
    if not context.has_slots:
        raise InvalidArgument(
            f"{context.plain_modulus} is not 1 mod {2 * context.keys.chain.n}, so a ciphertext holds no array",
            "take a prime t = 1 mod 2N, for instance 65537",
        )
