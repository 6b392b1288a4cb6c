# SPDX-License-Identifier: Apache-2.0
"""What an encrypted array asks of its scheme: verbs on single ciphertexts, levels and scales kept by the library.

``RealArithmetic`` and ``IntegerArithmetic`` offer it on ciphertexts, ``ClearArithmetic`` (the tests' oracle of packing)
on plain vectors. A vector has one value for each slot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import DepthExhausted, KeyMissing, NoiseBoundExceeded
from ..units import quantity
from .layout import Slots

__all__ = [
    "Arithmetic",
    "Vector",
    "bounds_for",
    "missing_rotation",
    "out_of_depth",
    "require_conjugation_key",
    "require_levels",
    "require_product_key",
    "require_rotation_keys",
    "rotation_key",
]

C = TypeVar("C")
Vector = NDArray[Any]


class Arithmetic(Protocol[C]):
    slots: Slots
    dtype: np.dtype[Any]
    """float64, complex128 or int64: what comes back from decryption."""
    depth: int
    """Products in turn that the parameters promise."""
    exact: bool
    """Integers modulo a prime; False: approximate numbers."""
    wants_batches: bool
    """Verbs on many ciphertexts take less than one after another; where this is False they are not asked for."""

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
        """Every slot by one number; whole numbers cost no level."""
        ...

    def rotate(self, a: C, step: int) -> C:
        """Slot j of each lane becomes slot j + step of it, cyclic."""
        ...

    def swap(self, a: C) -> C:
        """Exchanges the two lanes."""
        ...

    def conjugate(self, a: C) -> C:
        """The complex conjugate of every slot; asked for complex numbers only."""
        ...


def require_levels(on: Any, needed: int, blocks: Iterable[Any]) -> None:
    """Refuses at once what no ciphertext of these parameters could take."""
    if needed > on.depth:
        raise out_of_depth(on, needed, min(map(on.depth_left, blocks)))


def out_of_depth(on: Any, needed: int, left: int) -> DepthExhausted:
    return DepthExhausted(
        f"this needs {quantity(needed, 'level')}, {left} of {on.depth} {'is' if left == 1 else 'are'} left",
        f"make the context with Context(depth={on.depth + needed - left})",
    )


@contextmanager
def bounds_for(on: Any, needed: int, *operands: Any) -> Iterator[None]:
    """Around a verb that needs so many levels: where they are used up, that is the error, whatever was found first."""
    try:
        yield
    except (NoiseBoundExceeded, DepthExhausted) as error:
        left = min(map(on.depth_left, operands))
        if left < needed or isinstance(error, DepthExhausted):
            raise out_of_depth(on, max(needed, left + 1), left) from None
        if on.exact:
            raise type(error)(error.problem, _MORE_ROOM) from None
        largest = max(operand.magnitude for operand in operands)
        raise type(error)(
            f"operands hold values of up to {largest:.3g}, by what was declared: {error.problem}", _DECLARE
        ) from None


_MORE_ROOM = "make the context with one product more, Context(depth=...), or take a smaller plain_modulus"
_DECLARE = (
    "declare how large the values really are, ctx.encrypt(values, keys, magnitude=1.0): powers of 1 stay at 1; where "
    "results do grow, plan for it with Context(magnitude=...) or a larger Context(depth=...)"
)


def require_product_key(key: object) -> None:
    if key is None:
        raise KeyMissing(
            "a product of encrypted arrays needs a key that relinearizes, this array has none",
            "give it the public keys: x.with_keys(keys.public)",
        )


def require_rotation_keys(keys: object) -> None:
    if keys is None:
        raise KeyMissing(
            "moving elements needs rotation keys, this array has none",
            "give it the public keys: x.with_keys(keys.public)",
        )


def require_conjugation_key(keys: Any) -> None:
    require_rotation_keys(keys)
    if not keys.plan.conjugation:
        raise KeyMissing(
            "complex conjugates need a key of their own, the keys have none",
            "leave rotations out: ctx.keygen() makes all that arrays need",
        )


def missing_rotation(problem: str, steps: object = "[...]") -> KeyMissing:
    return KeyMissing(
        problem, f"add the step: ctx.keygen(rotations={steps}), or leave rotations out for all that arrays need"
    )


@contextmanager
def rotation_key(keys: object) -> Iterator[None]:
    """Around a rotation."""
    require_rotation_keys(keys)
    try:
        yield
    except KeyMissing as error:
        raise missing_rotation(error.problem) from None
