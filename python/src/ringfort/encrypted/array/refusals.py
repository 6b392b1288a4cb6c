# SPDX-License-Identifier: Apache-2.0
"""Makes errors about missing keys, missing levels (successive products that a ciphertext allows) and exceeded bounds.
The errors advise how to make the context or the keys.

``on`` is the object of a session that encrypts, decrypts and computes (context/real.py, context/integers.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ...errors import DepthExhausted, InvalidArgument, KeyMissing, NoiseBoundExceeded
from ...units import quantity

__all__ = [
    "ErrorBelowNoise",
    "TOO_LARGE",
    "in_terms_of",
    "missing_rotation",
    "out_of_depth",
    "require_conjugation_key",
    "require_levels",
    "require_product_key",
    "require_rotation_keys",
]

TOO_LARGE = "exceed 2^119"  # the error of the encoder contains this text if plain values are too large at the scale


class ErrorBelowNoise(NoiseBoundExceeded):
    """The noise (the error in a ciphertext) exceeds the error that the caller of a function stated. ``in_terms_of``
    does not change the advice of this error."""


def require_levels(on: Any, needed: int, ciphertexts: Iterable[Any]) -> None:
    """Raises DepthExhausted if an operation needs more levels than a fresh ciphertext has."""
    if needed > on.depth:
        raise out_of_depth(on, needed, min(map(on.depth_left, ciphertexts)))


def out_of_depth(on: Any, needed: int, left: int) -> DepthExhausted:
    return DepthExhausted(
        f"this needs {quantity(needed, 'level')}, but {left} of {on.depth} {'is' if left == 1 else 'are'} left",
        f"make the context with Context(depth={on.depth + needed - left})",
    )


@contextmanager
def in_terms_of(on: Any, operands: Iterable[Any], needed: int = 0, left: int = 0) -> Iterator[None]:
    """Wraps an operation on ciphertexts. Replaces the library's error about a bound by an error that gives advice about
    the context.

    needed: the levels that the operation consumes. left: the levels that its operand has. If left < needed, the error
    is DepthExhausted, even if the library raised NoiseBoundExceeded.
    """
    try:
        yield
    except ErrorBelowNoise:
        raise
    except InvalidArgument as error:
        if TOO_LARGE not in error.problem:
            raise
        raise InvalidArgument(
            error.problem, "use smaller values, or make the context with a lower Context(precision=...)"
        ) from None
    except (NoiseBoundExceeded, DepthExhausted) as error:
        if left < needed or isinstance(error, DepthExhausted):
            raise out_of_depth(on, max(needed, left + 1), left) from None
        if on.exact:
            raise type(error)(error.problem, _MORE_BUDGET) from None
        largest = max(operand.magnitude for operand in operands)
        raise type(error)(
            f"operands may have values up to {largest:.3g}, by their declared magnitudes: {error.problem}", _DECLARE
        ) from None


_MORE_BUDGET = "make the context with a larger depth, Context(depth=...), or take a smaller plain_modulus"
_DECLARE = (
    "declare the true magnitude of the values, ctx.encrypt(values, keys, magnitude=1.0): powers of 1 stay at 1; if "
    "results do grow, make the context with Context(magnitude=...) or a larger Context(depth=...)"
)


def require_product_key(key: object) -> None:
    if key is None:
        raise KeyMissing(
            "a product of encrypted arrays needs a relinearization key, but this array has none",
            "give it the public keys: x.with_keys(keys.public)",
        )


def require_rotation_keys(keys: object) -> None:
    if keys is None:
        raise KeyMissing(
            "moving elements needs rotation keys, but this array has none",
            "give it the public keys: x.with_keys(keys.public)",
        )


def require_conjugation_key(keys: Any) -> None:
    require_rotation_keys(keys)
    if not keys.plan.conjugation:
        raise KeyMissing(
            "complex conjugates need their own key, but this key set does not contain it",
            "their owner adds it under the same secret: keys = keys.extend(); then: x.with_keys(keys.public)",
        )


def missing_rotation(problem: str, steps: object = None) -> KeyMissing:
    """Returns the error for rotations without keys. steps: these rotations. None means all rotations that arrays
    use."""
    call = "keys = keys.extend()" if steps is None else f"keys = keys.extend(rotations={steps})"
    return KeyMissing(problem, f"their owner adds them under the same secret: {call}; then: x.with_keys(keys.public)")
