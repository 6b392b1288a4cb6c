# SPDX-License-Identifier: Apache-2.0
"""Encryption, decryption and noise budgets of integers modulo a prime t, in BFV or BGV. The modules ``_core.bfv`` and
``_core.bgv`` have the operations on ciphertexts.

Values are residues in [-(t - 1) / 2, (t - 1) / 2]. The *noise budget* of a ciphertext is the number of bits by which
its error, the noise, may still grow. Products use up the budget.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np

from ..._core import bfv, keys
from ...errors import InvalidArgument
from ..packing.arithmetic import Vector
from ..packing.layout import Slots

__all__ = ["IntegerCiphertexts", "require_slots"]


class IntegerCiphertexts:
    """Encrypts, decrypts and states facts about ciphertexts on one device. scheme: ``_core.bfv`` or ``_core.bgv``,
    which have the same interface."""

    exact = True
    wide = False
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
        self.depth = len(budgets) - 1
        """Number of successive products that the parameters guarantee."""
        self.rotates_sources = scheme is not bfv
        """True if moves of elements may rotate ciphertexts before their products with masks (packing/moves.py). In BFV,
        these products multiply the noise of the rotations, and no later operation divides it."""
        self._scheme = scheme
        self._budgets = budgets
        self.verbs = scheme.Arithmetic(context, relinearization, galois)

    def residues(self, values: Vector) -> Vector:
        """Reduces values to residues in [-(t - 1) / 2, (t - 1) / 2]."""
        residues = np.asarray(values) % self.modulus
        return np.where(residues > (self.modulus - 1) // 2, residues - self.modulus, residues).astype(np.int64)

    def encrypt(self, key: keys.PublicKey, values: Vector) -> Any:
        return self._scheme.encrypt(self.context, key, np.ascontiguousarray(self.residues(values)))

    def decrypt(self, key: keys.SecretKey, a: Any) -> Vector:
        out = np.empty(self.slots.count, np.int64)
        self._scheme.decrypt(self.context, key, a, out)
        return out

    decrypt_raw = decrypt

    def depth_left(self, a: Any) -> int:
        """Returns the number of successive products that a ciphertext still allows. Uses the bounds with which the
        parameters were chosen."""
        spent = next(
            (k for k, budget in enumerate(self._budgets) if budget <= a.budget_bits + 1e-6), len(self._budgets)
        )
        return len(self._budgets) - 1 - min(spent, len(self._budgets) - 1)

    def budget(self, a: Any) -> float:
        """Returns the noise budget in bits. A dry run starts from this budget, and subtracts the bits that operations
        use."""
        return float(a.budget_bits)

    def measured_budget(self, key: keys.SecretKey, a: Any) -> float:
        """Returns the noise budget in bits, measured with the secret key. The number is a secret."""
        return float(self._scheme.measured_budget_bits(self.context, key, a))

    @property
    def budget_of_product(self) -> float:
        """A lower bound on the bits of noise budget that a product uses."""
        return min((b - c for b, c in zip(self._budgets, self._budgets[1:])), default=math.log2(self.modulus))

    def budget_of_plain(self, values: Vector) -> float:
        """Returns a lower bound on the bits of noise budget that a product with plain values uses. If all values are
        equal, the bound is smaller."""
        first = int(self.residues(values[:1])[0])
        return math.log2(max(1, abs(first))) if np.all(values == values[0]) else math.log2(self.modulus) - 2

    def is_free(self, value: complex) -> bool:
        """Tells whether a product with the number consumes no level."""
        return True

    def precision_bits(self, a: Any) -> float:
        return float("inf")

    raw_precision_bits = precision_bits

    def nbytes(self, a: Any) -> int:
        return int(a.bytes)

    def to(self, a: Any, target: IntegerCiphertexts) -> Any:
        return a.to(target.context)


def require_slots(context: Any) -> None:
    if not context.has_slots:
        raise InvalidArgument(
            f"{context.plain_modulus} is not a prime that is 1 mod {2 * context.keys.chain.n}, so it has no slots",
            "take a prime t = 1 mod 2N, for instance 65537",
        )
