# SPDX-License-Identifier: Apache-2.0
"""Ranges of encrypted integers: with a declared range, a result that may leave the modulus is refused before any work.

An interval is (low, high), both possible; None: nothing was declared, results are residues as they come.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidArgument, RangeExceeded

__all__ = [
    "Interval",
    "added",
    "checked",
    "declared",
    "encrypted",
    "multiplied",
    "of_values",
    "powered",
    "require_magnitude",
    "summed",
]

Interval = tuple[int, int]


def declared(given: object, modulus: int) -> Interval | None:
    """Errors: InvalidArgument."""
    if given is None:
        return None
    if modulus == 0:
        raise InvalidArgument("range is for integers", 'leave it out, or give dtype="int"')
    try:
        low, high = (operator.index(x) for x in given)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise InvalidArgument(f"range is {given!r}", "give two whole numbers: (low, high)") from None
    half = (modulus - 1) // 2
    if not -half <= low <= high <= half:
        raise InvalidArgument(
            f"range ({low}, {high}) for integers modulo {modulus}", f"both lie in order in -{half} .. {half}"
        )
    return low, high


def encrypted(values: NDArray[Any], promise: Interval | None, modulus: int) -> Interval | None:
    """The interval of an array that is encrypted: what was declared, never what the secret values are."""
    if modulus == 0:
        return None
    half = (modulus - 1) // 2
    low, high = promise or (-half, half)
    if values.min() < low or values.max() > high:
        raise InvalidArgument(
            f"values outside {low} .. {high}",
            "declare a wider range" if promise else "reduce them modulo ctx.plain_modulus, or take a larger prime",
        )
    return promise


def require_magnitude(values: NDArray[Any], most: float | None) -> None:
    """Of real and complex numbers. The message does not tell the value, which is secret."""
    if most is not None and np.abs(values).max() > most:
        raise InvalidArgument(
            f"a value is larger than the context's magnitude of {most:g}",
            "make the context with Context(magnitude=...), or scale the values down",
        )


def of_values(values: NDArray[Any]) -> Interval:
    """Of plain operands, which are public."""
    return int(values.min()), int(values.max())


def checked(interval: Interval | None, modulus: int, what: str) -> Interval | None:
    if interval is None:
        return None
    half = (modulus - 1) // 2
    if interval[0] < -half or interval[1] > half:
        raise RangeExceeded(
            f"{what} may give integers in {interval[0]} .. {interval[1]}, "
            f"modulo {modulus} only -{half} .. {half} are told apart",
            f"make the context with a narrower range or plain_modulus above {2 * max(-interval[0], interval[1])}",
        )
    return interval


def added(a: Interval | None, b: Interval | None) -> Interval | None:
    return None if a is None or b is None else (a[0] + b[0], a[1] + b[1])


def multiplied(a: Interval | None, b: Interval | None) -> Interval | None:
    if a is None or b is None:
        return None
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def powered(a: Interval | None, exponent: int) -> Interval | None:
    if a is None:
        return None
    ends = [a[0] ** exponent, a[1] ** exponent]
    return (0 if exponent % 2 == 0 and a[0] <= 0 <= a[1] else min(ends)), max(ends)


def summed(a: Interval | None, count: int) -> Interval | None:
    return None if a is None else (a[0] * count, a[1] * count)
