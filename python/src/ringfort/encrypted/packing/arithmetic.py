# SPDX-License-Identifier: Apache-2.0
"""The operations on single ciphertexts that packed tables (packed.py) use. The C++ library manages levels and scales.

The bindings ``_core.ckks.Arithmetic``, ``_core.ckks.ComplexArithmetic``, ``_core.bfv.Arithmetic`` and
``_core.bgv.Arithmetic`` have these operations under the same names. Packed tables call the bindings directly. The tests
also run packing on an object with the same operations on plain vectors.

A ciphertext encrypts a number in each of its *slots*. An operation works on all slots at once. A vector has a plain
value for each slot. The values have the dtype of the context, or int64 in a mask (zeros and ones). *Orbits* are
explained in layout.py. A *level* is one of the successive products that a ciphertext still allows.
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
        """True if ``multiply_each``, ``power_each`` and so on are faster than single calls. If it is False, packed
        tables make single calls."""
        ...

    def multiply_each(self, a: Sequence[C], b: Sequence[C]) -> list[C]: ...
    def power_each(self, a: Sequence[C], exponent: int) -> list[C]: ...
    def rotate_each(self, a: Sequence[C], step: int) -> list[C]: ...
    def add(self, a: C, b: C) -> C: ...
    def add_apart(self, a: C, b: C) -> C:
        """Adds two ciphertexts. In every slot, one of the two must be zero. The bound on the sum is the larger of the
        two bounds."""
        ...

    def subtract(self, a: C, b: C) -> C: ...
    def negate(self, a: C) -> C: ...
    def multiply(self, a: C, b: C) -> C: ...
    def power(self, a: C, exponent: int) -> C:
        """Returns a power. exponent: at least 1. Takes ceil(log2(exponent)) levels."""
        ...

    def add_plain(self, a: C, values: Vector) -> C: ...
    def multiply_plain(self, a: C, values: Vector) -> C: ...
    def inner_product_plain(self, a: Sequence[C], values: Sequence[Vector]) -> C:
        """Returns the sum of the products of ciphertexts and vectors. CKKS rescales once for all products."""
        ...

    def masked_sum(self, a: Sequence[C], masks: Sequence[Vector]) -> C:
        """Like ``inner_product_plain``. In every slot, at most one mask has a 1. The bound on the sum is the largest of
        the bounds."""
        ...

    def multiply_number(self, a: C, value: complex) -> C:
        """Multiplies every slot by the same number. A whole number consumes no level. In CKKS, it must also be real and
        below 2^53."""
        ...

    def rotate(self, a: C, step: int) -> C:
        """Moves slot j + step of each orbit to slot j, cyclically."""
        ...

    def swap_rows(self, a: C) -> C:
        """Exchanges the two orbits. CKKS has one orbit, and does not have this operation."""
        ...

    def conjugate(self, a: C) -> C:
        """Conjugates every slot. Schemes of integers do not have this operation."""
        ...

    def polynomial(self, a: C, polynomial: Any) -> C:
        """Evaluates a real polynomial in every slot. Only the binding for real numbers has this operation."""
        ...
