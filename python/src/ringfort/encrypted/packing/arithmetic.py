# SPDX-License-Identifier: Apache-2.0
"""The verbs on single ciphertexts that tables are made of; levels and scales are kept by the library.

The bindings ``_core.ckks.Arithmetic``, ``.ComplexArithmetic``, ``_core.bfv.Arithmetic`` and ``_core.bgv.Arithmetic``
have them under these names and are called directly; the tests' oracle of packing has them on plain vectors. A vector
has one value for each slot: of the context's dtype, or int64 where it is a mask.
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
        """Verbs on many ciphertexts take less than one after another; where this is False they are not called."""
        ...

    def multiply_many(self, a: Sequence[C], b: Sequence[C]) -> list[C]: ...
    def power_many(self, a: Sequence[C], exponent: int) -> list[C]: ...
    def rotate_many(self, a: Sequence[C], step: int) -> list[C]: ...
    def add(self, a: C, b: C) -> C: ...
    def add_apart(self, a: C, b: C) -> C:
        """As add, where in every slot one of the two is zero: the sum is no larger than they are."""
        ...

    def subtract(self, a: C, b: C) -> C: ...
    def negate(self, a: C) -> C: ...
    def multiply(self, a: C, b: C) -> C: ...
    def power(self, a: C, exponent: int) -> C:
        """exponent >= 1; ceil(log2 exponent) levels."""
        ...

    def add_plain(self, a: C, values: Vector) -> C: ...
    def multiply_plain(self, a: C, values: Vector) -> C: ...
    def multiply_number(self, a: C, value: complex) -> C:
        """Multiplies every slot by one number; whole numbers cost no level."""
        ...

    def rotate(self, a: C, step: int) -> C:
        """Slot j of each lane becomes slot j + step of it, cyclic."""
        ...

    def swap_rows(self, a: C) -> C:
        """Exchanges the two lanes. Schemes with one lane (CKKS) do not have it."""
        ...

    def conjugate(self, a: C) -> C:
        """The complex conjugate of every slot. Schemes of integers do not have it."""
        ...
