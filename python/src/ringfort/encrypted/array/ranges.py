# SPDX-License-Identifier: Apache-2.0
"""Ranges of encrypted integers. A context encrypts integers modulo its plaintext modulus t. If the user declares a
range, an operation whose result may exceed (t - 1) / 2 in absolute value fails before it computes anything.

An interval is a pair (low, high). Both ends are included. If the context has a range, every array has an interval. An
array whose values may be any residues has the interval of all residues, (-(t - 1) / 2, (t - 1) / 2). If the context has
no range, an array can have the interval None. Its values are residues modulo t, and results of operations on it are not
checked. There is an exception: in an operation with another array that has an interval, None counts as the interval of
all residues, and the result is checked.

An interval that comes from a file or a pickle is untrusted. If an operand's interval is untrusted, so is the interval
of the result.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BoundViolated, InvalidArgument, RangeExceeded
from ...values import positive, shown
from ..residues.parameters import MOST_MODULI
from . import moduli
from .moduli import Interval

__all__ = [
    "UntrustedInterval",
    "Interval",
    "added",
    "checked",
    "untrusted",
    "declared",
    "dtype_of",
    "encrypted",
    "followed",
    "multiplied",
    "of_values",
    "paired",
    "powered",
    "require_in_domain",
    "declared_magnitude",
    "either",
    "require_magnitude",
    "require_within",
    "summed",
    "weighted",
    "whole_numbers",
]

_MOST_BITS = 50 * MOST_MODULI
_RANGE = "give two whole numbers in order: range=(low, high)"


class UntrustedInterval(tuple[int, int]):
    """An interval that a file or a pickle claims for an array."""

    __slots__ = ()


def declared(given: object, modulus: int) -> Interval | None:
    """Returns the declared range of a context. Errors: InvalidArgument."""
    if given is None:
        return None
    if modulus == 0:
        raise InvalidArgument("range is for integers", 'leave it out, or give dtype="int"')
    low, high = whole_numbers(given)
    half = (modulus - 1) // 2
    if not -half <= low <= high <= half:
        raise InvalidArgument(
            f"range ({low}, {high}) does not fit integers modulo {modulus}",
            f"give low <= high within -{half} .. {half}",
        )
    return low, high


def whole_numbers(given: object) -> Interval:
    """Returns the range as two integers, low <= high. Errors: InvalidArgument."""
    try:
        low, high = (_index(x) for x in given)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise InvalidArgument(f"range is of type {type(given).__name__}", _RANGE) from None
    if max(-low, high) >> _MOST_BITS:
        raise InvalidArgument(f"range has a bound of more than {_MOST_BITS} bits", _RANGE)
    if low > high:
        raise InvalidArgument(f"range is ({_shown(low)}, {_shown(high)})", _RANGE)
    return low, high


def _index(x: object) -> int:
    if isinstance(x, bool):
        raise TypeError
    return operator.index(x)  # type: ignore[arg-type]


def encrypted(values: NDArray[Any], promise: Interval | None, modulus: int) -> Interval | None:
    """Returns the interval of a newly encrypted array: the declared range, because the range of the values is
    secret."""
    if modulus == 0:
        return None
    half = (modulus - 1) // 2
    low, high = promise or (-half, half)
    if values.min() < low or values.max() > high:
        raise InvalidArgument(
            f"a value is outside {low} .. {high}",
            "declare a wider range" if promise else "reduce them modulo ctx.plain_modulus, or take a larger prime",
        )
    return promise


def declared_magnitude(given: object, planned: float | None) -> float | None:
    """Returns the declared magnitude of an array of real or complex numbers. None for integers. given: the argument of
    ``encrypt``. planned: the magnitude of the context. Errors: InvalidArgument."""
    if given is None:
        return planned
    if planned is None:
        raise InvalidArgument(
            f"magnitude is {shown(given)}, but integers have a range", "declare their range: Context(range=(low, high))"
        )
    return positive("magnitude", given, 100)


def require_magnitude(values: NDArray[Any], most: float | None) -> None:
    """Checks real and complex values against the magnitude ``most``. The message contains no value, because values are
    secret."""
    rounding = 2.0**-51 if values.dtype.kind == "c" else 0  # the absolute value of a complex number is rounded
    if most is not None and np.abs(values).max() > most * (1 + rounding):
        raise InvalidArgument(
            f"a value is larger than the declared magnitude of {most:g}",
            "declare a larger magnitude, for this array: ctx.encrypt(values, keys, magnitude=...), or for all: "
            "Context(magnitude=...); or scale the values down",
        )


def require_within(values: NDArray[Any], interval: Interval | None) -> None:
    """Checks that decrypted integers are in the interval. Errors: BoundViolated, without a value in the message."""
    if interval is not None and values.size and (values.min() < interval[0] or values.max() > interval[1]):
        raise BoundViolated(
            "a decrypted value is outside the range of its array",
            "the array was not encrypted with the public part of this key set, or its file makes a false claim: "
            "get the keys and the file again",
        )


def require_in_domain(values: NDArray[Any], domain: tuple[float, float] | None, bits: float) -> None:
    """Checks that decrypted real numbers are in the domain. bits: their number of correct bits after the binary point.
    Errors: BoundViolated, without a value in the message."""
    if domain is None:
        return
    error = 2.0 ** -(bits + 1)
    if np.any(values < domain[0] - error) or np.any(values > domain[1] + error):
        raise BoundViolated(
            f"a decrypted value is outside {domain[0]:g} .. {domain[1]:g}, which assume() promised",
            "decrypt the array that you gave to assume(), and promise bounds that its values keep",
        )


def dtype_of(interval: Interval | None, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns NumPy's type of the values of an array. dtype: the type of the context's numbers."""
    wide = interval is not None and (interval[0] < -(2**63) or interval[1] >= 2**63)
    return np.dtype(object) if wide else dtype


def of_values(values: NDArray[Any]) -> Interval:
    """Returns the interval of the values of a plain operand. These values are public."""
    return int(values.min()), int(values.max())


def checked(interval: Interval | None, modulus: int, what: str) -> Interval | None:
    if interval is None:
        return None
    half = (modulus - 1) // 2
    if interval[0] < -half or interval[1] > half:
        wider = moduli.reaching(2 * max(-interval[0], interval[1]) + 1)
        raise RangeExceeded(
            f"the results of {what} may reach from {_shown(interval[0])} to {_shown(interval[1])}, "
            f"but modulo {modulus} only -{half} .. {half} are distinct",
            "make the context with a narrower range" + (f", or with plain_modulus={wider}" if wider else ""),
        )
    return interval


def _shown(number: int) -> str:
    length = abs(number).bit_length()
    return str(number) if length < 128 else f"{'-' * (number < 0)}2^{length}"


def _residues(modulus: int) -> Interval:
    half = (modulus - 1) // 2
    return -half, half


def untrusted(interval: Interval | None, modulus: int) -> Interval | None:
    """Marks the interval that a file claims for an array as untrusted. The interval must fit the modulus. Errors:
    InvalidArgument."""
    if interval is None:
        return None
    low, high = _residues(modulus) if modulus else (0, 0)
    if modulus == 0 or not low <= interval[0] <= interval[1] <= high:
        raise InvalidArgument(
            f"an array claims integers in {interval[0]} .. {interval[1]}, but its modulus is {modulus}",
            "the file is damaged",
        )
    return UntrustedInterval(interval)


def followed(interval: Interval | None, promise: Interval | None, modulus: int) -> Interval | None:
    """Returns the interval of an array. If the array has none and the context has a range, it is the interval of all
    residues."""
    return _residues(modulus) if interval is None and promise is not None else interval


def paired(a: Interval | None, b: Interval | None, modulus: int) -> tuple[Interval | None, Interval | None]:
    """Returns the intervals of two operands of an operation. Either both are intervals, or both are None."""
    if (a is None) == (b is None):
        return a, b
    return a or _residues(modulus), b or _residues(modulus)


def _from(interval: Interval, *operands: Interval) -> Interval:
    return UntrustedInterval(interval) if any(isinstance(each, UntrustedInterval) for each in operands) else interval


def added(a: Interval | None, b: Interval | None) -> Interval | None:
    return None if a is None or b is None else _from((a[0] + b[0], a[1] + b[1]), a, b)


def either(a: Interval | None, b: Interval | None) -> Interval | None:
    return None if a is None or b is None else _from((min(a[0], b[0]), max(a[1], b[1])), a, b)


def multiplied(a: Interval | None, b: Interval | None) -> Interval | None:
    if a is None or b is None:
        return None
    corners = [x * y for x in a for y in b]
    return _from((min(corners), max(corners)), a, b)


def powered(a: Interval | None, exponent: int) -> Interval | None:
    if a is None:
        return None
    ends = [a[0] ** exponent, a[1] ** exponent]
    return _from(((0 if exponent % 2 == 0 and a[0] <= 0 <= a[1] else min(ends)), max(ends)), a)


def summed(a: Interval | None, count: int) -> Interval | None:
    return None if a is None else _from((a[0] * count, a[1] * count), a)


def weighted(a: Interval | None, columns: NDArray[Any]) -> Interval | None:
    """Returns an interval that contains the weighted sums of numbers in ``a``, for every column of ``columns``. A
    column has the weights of one sum."""
    if a is None:
        return None
    low, high = a
    columns = columns.astype(object)  # Python's integers are exact at any size
    positive, negative = np.maximum(columns, 0), np.minimum(columns, 0)
    least, most = positive * low + negative * high, positive * high + negative * low
    return _from((int(least.sum(axis=0).min()), int(most.sum(axis=0).max())), a)
