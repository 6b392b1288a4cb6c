# SPDX-License-Identifier: Apache-2.0
"""The operations (verbs) on single ciphertexts that packed tables use; the library manages levels and scales.

The bindings ``_core.ckks.Arithmetic``, ``.ComplexArithmetic``, ``_core.bfv.Arithmetic`` and ``_core.bgv.Arithmetic``
have these verbs under the same names, and packed tables call them directly. The tests also run packing on plain
vectors, which have the same verbs. A vector has one value per slot: of the context's dtype, or int64 if it is a mask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

__all__ = ["Arithmetic", "Vector"]

C = TypeVar("C")
Vector = NDArray[Any]


class Arithmetic(Protocol[C]):
    @property
    def wants_batches(self) -> bool:
        """True if ``multiply_many``, ``power_many`` etc. are faster than single calls; otherwise packed tables make
        single calls."""
        ...

    def multiply_many(self, a: Sequence[C], b: Sequence[C]) -> list[C]: ...
    def power_many(self, a: Sequence[C], exponent: int) -> list[C]: ...
    def rotate_many(self, a: Sequence[C], step: int) -> list[C]: ...
    def add(self, a: C, b: C) -> C: ...
    def add_apart(self, a: C, b: C) -> C:
        """Adds two ciphertexts of which one is zero in every slot. The bound on the sum is the larger of the two
        bounds."""
        ...

    def subtract(self, a: C, b: C) -> C: ...
    def negate(self, a: C) -> C: ...
    def multiply(self, a: C, b: C) -> C: ...
    def power(self, a: C, exponent: int) -> C:
        """Returns a power; exponent >= 1. Takes ceil(log2 exponent) levels."""
        ...

    def add_plain(self, a: C, values: Vector) -> C: ...
    def multiply_plain(self, a: C, values: Vector) -> C: ...
    def multiply_number(self, a: C, value: complex) -> C:
        """Multiplies every slot by one number. Whole numbers (in CKKS: real, below 2^53) consume no level."""
        ...

    def rotate(self, a: C, step: int) -> C:
        """Moves slot j + step of each orbit to slot j, cyclically."""
        ...

    def swap_rows(self, a: C) -> C:
        """Exchanges the two orbits. Schemes with one orbit (CKKS) do not have it."""
        ...

    def conjugate(self, a: C) -> C:
        """Conjugates every slot. Schemes of integers do not have it."""
        ...

    def polynomial(self, a: C, polynomial: Any) -> C:
        """Evaluates a real polynomial in every slot. Only real numbers have it."""
        ...
