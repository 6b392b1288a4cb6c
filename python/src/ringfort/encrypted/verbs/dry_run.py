# SPDX-License-Identifier: Apache-2.0
"""Dry run of an operation on arrays: detects missing levels (successive products) and missing keys before the operation
computes anything.

The operation runs on objects ``DryRunCiphertext`` in place of ciphertexts. Such an object has a budget, and the number
of levels that the operation has taken. For real and complex numbers, the budget is the number of levels that are left,
and the dry run counts them exactly. For integers, the budget is the noise budget: the number of bits by which the noise
in a ciphertext may still grow. The dry run subtracts a lower bound on the bits that each product takes. Therefore an
operation on integers may fail although its dry run did not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ..._core import ckks
from ..._core import keys as core
from ..array.array import EncryptedArray
from ..array.refusals import (
    missing_rotation,
    out_of_depth,
    require_conjugation_key,
    require_product_key,
    require_rotation_keys,
)
from ..array.session import Session
from ..packing.arithmetic import Vector
from ..packing.packed import Packed
from .operands import encrypted_among, is_encrypted, together

__all__ = ["AvailableRotations", "Levels", "DryRun", "check_dry_run"]


class Levels(NamedTuple):
    needed: int
    left: int


@dataclass(frozen=True)
class DryRunCiphertext:
    left: int
    """Levels that the operand had before the operation."""
    budget: float
    """The remaining budget. A negative budget means that the operation is impossible."""
    taken: int = 0
    """Levels that the operation has taken."""
    magnitude: float = math.inf
    """A bound on absolute values. The bound on a sum is the sum of the bounds on its operands. The bound on a product
    is infinity, which means unknown."""


class AvailableRotations:
    """The rotations that a set of Galois keys (keys for rotations) can compute. circle: the number of slots of an
    orbit. A rotation moves these slots cyclically."""

    def __init__(self, circle: int, galois: core.GaloisKeys) -> None:
        self._circle = circle
        self.steps = set(galois.plan.steps)
        self._paths = {path.step: path.keys for path in galois.plan.paths}

    def make(self, step: int) -> bool:
        return all(single in self.steps for single in self.path(step))

    def path(self, step: int) -> list[int]:
        """Returns steps whose sum is ``step`` modulo the orbit's length. If ``step`` has a key, returns ``step`` alone.
        If it has no key, but the plan of the keys has a path for it, returns this path. Otherwise, returns signed
        powers of two.
        """
        remainder = self.normal(step)
        if remainder == 0 or remainder in self.steps:
            return [remainder] * (remainder != 0)
        if remainder in self._paths:
            return self._paths[remainder]
        powers, power = [], 1
        while remainder:
            digit = 0 if remainder % 2 == 0 else 2 - remainder % 4  # 1 or -1, so that the next remainder is even
            powers += [self.normal(digit * power)] * abs(digit)
            remainder, power = (remainder - digit) // 2, power * 2
        return powers

    def normal(self, step: int) -> int:
        """Reduces a step to the interval (-circle / 2, circle / 2]."""
        positive = step % self._circle
        return positive - self._circle if positive > self._circle // 2 else positive


class DryRun:
    """Implements ``Arithmetic`` (packing/arithmetic.py) on DryRunCiphertexts. Collects the levels and rotations that an
    operation needs.

    available: the rotations that the keys can compute. None means every rotation.
    """

    wants_batches = False

    @property
    def verbs(self) -> DryRun:
        return self

    def __init__(
        self, on: Any, relinearization: Any, galois: core.GaloisKeys | None, available: AvailableRotations | None
    ) -> None:
        self.slots, self.dtype, self.depth, self.exact, self.wide = on.slots, on.dtype, on.depth, on.exact, on.wide
        self.rotates_sources: bool = on.rotates_sources
        self._on, self._relinearization, self._galois, self._available = on, relinearization, galois, available
        self._fullest: DryRunCiphertext | None = None
        self.levels = Levels(0, 0)
        """The levels that the operation needs, and the levels that are left, for the operand with the largest
        shortage."""
        self._missing: set[int] = set()

    def ciphertext_for(self, ciphertext: Any) -> DryRunCiphertext:
        left, budget = self._on.depth_left(ciphertext), self._on.budget(ciphertext)
        return DryRunCiphertext(left, budget, magnitude=math.inf if self.exact else ciphertext.magnitude)

    def depth_left(self, a: DryRunCiphertext) -> int:
        return max(0, a.left - a.taken)

    def _same(self, a: DryRunCiphertext, *others: Any) -> DryRunCiphertext:
        return a

    negate = _same

    def add_plain(self, a: DryRunCiphertext, values: Vector) -> DryRunCiphertext:
        return replace(a, magnitude=a.magnitude + float(np.abs(values).max()))

    def declare_magnitude(self, a: DryRunCiphertext, magnitude: float) -> DryRunCiphertext:
        return replace(a, magnitude=min(a.magnitude, magnitude))

    def declare_approximation(self, a: DryRunCiphertext, magnitude: float, error: float) -> DryRunCiphertext:
        return replace(a, magnitude=min(a.magnitude + error, magnitude))

    def add(self, a: DryRunCiphertext, b: DryRunCiphertext) -> DryRunCiphertext:
        return replace(min(a, b, key=lambda each: each.budget), magnitude=a.magnitude + b.magnitude)

    subtract = add_apart = add

    def multiply(self, a: DryRunCiphertext, b: DryRunCiphertext) -> DryRunCiphertext:
        require_product_key(self._relinearization)
        return self._after(self.add(a, b), 1, self._on.budget_of_product)

    def power(self, a: DryRunCiphertext, exponent: int) -> DryRunCiphertext:
        require_product_key(self._relinearization)
        levels = (exponent - 1).bit_length()
        return self._after(a, levels, levels * self._on.budget_of_product)

    def multiply_plain(self, a: DryRunCiphertext, values: Vector) -> DryRunCiphertext:
        return self._after(a, 1, self._on.budget_of_plain(values))

    def inner_product_plain(self, a: Sequence[DryRunCiphertext], values: Sequence[Vector]) -> DryRunCiphertext:
        return reduce(self.add, map(self.multiply_plain, a, values))

    masked_sum = inner_product_plain

    def polynomial(self, a: DryRunCiphertext, polynomial: ckks.Polynomial) -> DryRunCiphertext:
        require_product_key(self._relinearization)
        return self._after(a, polynomial.levels, polynomial.levels * self._on.budget_of_product)

    def multiply_number(self, a: DryRunCiphertext, value: complex) -> DryRunCiphertext:
        return a if self._on.is_free(value) else self._after(a, 1, self._on.budget_of_product)

    def _after(self, a: DryRunCiphertext, levels: int, budget: float) -> DryRunCiphertext:
        result = DryRunCiphertext(a.left, a.budget - budget, a.taken + levels)
        if self._fullest is None or result.budget < self._fullest.budget:
            self._fullest = result
        if result.taken - result.left > self.levels.needed - self.levels.left:
            self.levels = Levels(result.taken, result.left)
        return result

    def rotate(self, a: DryRunCiphertext, step: int) -> DryRunCiphertext:
        require_rotation_keys(self._galois)
        if self._available is not None and not self._available.make(step):
            self._missing.add(self._available.normal(step))
        return a

    def swap_rows(self, a: DryRunCiphertext) -> DryRunCiphertext:
        require_rotation_keys(self._galois)
        if self._galois is not None and not self._galois.plan.conjugation:
            raise missing_rotation("no key exchanges the two rows of slots")
        return a

    def conjugate(self, a: DryRunCiphertext) -> DryRunCiphertext:
        require_conjugation_key(self._galois)
        return a

    def require_budget(self) -> None:
        """Raises an error if the operation lacks levels or keys. Errors: DepthExhausted, KeyMissing."""
        if self._fullest is not None and self._fullest.budget < 0:
            raise out_of_depth(self._on, max(self._fullest.taken, self._fullest.left + 1), self._fullest.left)
        if self._missing and self._available is not None:
            lacking, available = sorted(self._missing), sorted(self._available.steps)
            raise missing_rotation(f"rotations by {lacking} are needed, but the keys are for {available}", lacking)


def check_dry_run(verb: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Levels:
    """Makes a dry run of the operation ``verb``. Returns the levels that the operation needs, and the levels that are
    left, for the operand with the largest shortage. Both are 0 if no operand is encrypted, and inside a dry run.

    Errors: DepthExhausted, KeyMissing, ParametersMismatch (two arrays of different keys), the errors of the operation.
    """
    arrays = encrypted_among(args)
    if not arrays:
        return Levels(0, 0)
    first = arrays[0]
    for other in arrays[1:]:
        first = together(first, other)[0]
    if (dry_session := first._session.dry_run()) is not None:
        dry = _DryArrays(dry_session)
        verb(*map(dry.of, args), **options)
        dry_session.on.require_budget()
        return dry_session.on.levels
    return Levels(0, 0)


class _DryArrays:
    """Makes the operands of a dry run.

    Some operations test whether two operands are the same object. Therefore this class makes only one dry array for
    each array, and only one dry tuple for each tuple of ciphertexts. The dry form of a transposed matrix always refers
    to the source matrix, even if an earlier operation has moved the elements.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._arrays: dict[int, EncryptedArray] = {}  # both dicts map the id() of an original object
        self._ciphertexts: dict[int, tuple[DryRunCiphertext, ...]] = {}

    def of(self, x: Any) -> Any:
        """Returns a dry array in place of an encrypted array. Also replaces encrypted arrays in lists and tuples.
        Returns other operands unchanged."""
        if isinstance(x, (list, tuple)) and encrypted_among(x):
            return [self.of(each) for each in x]
        return self._array(x) if is_encrypted(x) else x

    def _array(self, x: EncryptedArray) -> EncryptedArray:
        if id(x) not in self._arrays:
            source = x._source
            packed = self._packed(x._packed) if source is None else None
            dry = self._arrays[id(x)] = EncryptedArray(self._session, x.shape, packed, x._interval)
            dry._source = None if source is None else self._array(source)
            dry._uncleared = None if x._uncleared is None else self._packed(x._uncleared)
            dry._domain = x._domain
        return self._arrays[id(x)]

    def _packed(self, packed: Packed[Any]) -> Packed[Any]:
        given = packed.ciphertexts
        if id(given) not in self._ciphertexts:
            self._ciphertexts[id(given)] = tuple(map(self._session.on.ciphertext_for, given))
        return replace(packed, ciphertexts=self._ciphertexts[id(given)])
