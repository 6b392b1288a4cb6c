# SPDX-License-Identifier: Apache-2.0
"""Operations on the elements of arrays: sums, products, powers, and real and imaginary parts. Operands broadcast as in
NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidArgument, Unsupported
from ...values import kind_of
from ..array import ranges
from ..array.array import EncryptedArray
from ..array.refusals import require_levels
from ..packing.layout import Layout
from ..packing.packed import UnusedSlots
from .operands import Operand, Shape, broadcast_shape, checked, in_range, intervals, is_encrypted, together

__all__ = ["add", "conjugate", "divide", "imaginary_part", "multiply", "negative", "power", "real_part", "subtract"]


def _target(a: EncryptedArray, b: EncryptedArray, shape: Shape) -> Layout:
    """Returns the layout of the result: the layout of an operand that has the shape of the result. If no operand has
    this shape, returns a new layout.

    Of two operands with this shape, prefers one whose unused slots (array/array.py) do not contain copies of its row.
    """
    fitting = [x for x in (a, b) if x.shape == shape]
    fitting.sort(key=lambda x: x._packed.unused is UnusedSlots.ROWS)
    return fitting[0]._packed.layout if fitting else Layout.of_shape(shape, a._packed.layout.slots)


def _with_encrypted(verb: str, a: EncryptedArray, b: EncryptedArray) -> EncryptedArray:
    same = a is b
    a, b = together(a, b)
    shape = broadcast_shape(a.shape, b.shape)
    interval = in_range(a, _interval_of(verb, *intervals(a, b)), verb)
    tables, target = a._session.tables, _target(a, b, shape)
    left = tables.broadcast(a._packed, a.shape, shape, target)
    right = left if same else tables.broadcast(b._packed, b.shape, shape, target)
    if verb == "multiply":
        return a._derived(shape, tables.products(left, right), interval)
    return a._derived(shape, tables.binary(getattr(tables.on, verb), left, right), interval)


def _interval_of(verb: str, a: ranges.Interval | None, b: ranges.Interval | None) -> ranges.Interval | None:
    if verb == "multiply":
        return ranges.multiplied(a, b)
    return ranges.added(a, ranges.multiplied(b, (-1, -1)) if verb == "subtract" else b)


def _with_plain(verb: str, a: EncryptedArray, values: NDArray[Any]) -> EncryptedArray:
    """Applies ``verb``, an addition or a product, to an encrypted array and plain values."""
    tables = a._session.tables
    interval = in_range(a, _interval_of(verb, a._interval, ranges.of_values(values)), verb) if a._interval else None
    if verb == "multiply" and values.ndim == 0:
        number = values.item()
        scaled = tables.unary(lambda ciphertext: tables.on.multiply_number(ciphertext, number), a._packed)
        return a._derived(a.shape, scaled, interval)
    shape = broadcast_shape(a.shape, values.shape)
    target = a._packed.layout if shape == a.shape else Layout.of_shape(shape, a._packed.layout.slots)
    packed = tables.broadcast(a._packed, a.shape, shape, target)
    full = np.broadcast_to(values, shape)
    run = tables.on.add_plain if verb == "add" else tables.on.multiply_plain
    return a._derived(shape, tables.with_plain(run, packed, full, product=verb == "multiply"), interval)


def add(a: Operand, b: Operand) -> EncryptedArray:
    if is_encrypted(a) and is_encrypted(b):
        return _with_encrypted("add", a, b)
    return _with_plain("add", a, checked(a, b)) if is_encrypted(a) else _with_plain("add", b, checked(b, a))


def subtract(a: Operand, b: Operand) -> EncryptedArray:
    if is_encrypted(a) and is_encrypted(b):
        return _with_encrypted("subtract", a, b)
    if is_encrypted(a):
        values = checked(a, b)
        # If values has no axes and contains a Python int, -values is a Python int and not an array.
        return _with_plain("add", a, np.array(-values, values.dtype))
    return _with_plain("add", negative(b), checked(b, a))


def multiply(a: Operand, b: Operand) -> EncryptedArray:
    if is_encrypted(a) and is_encrypted(b):
        return _with_encrypted("multiply", a, b)
    a, values = (a, checked(a, b)) if is_encrypted(a) else (b, checked(b, a))
    return _with_plain("multiply", a, values)


def divide(a: Operand, b: Operand) -> EncryptedArray:
    if is_encrypted(b):
        raise Unsupported(
            "dividing by an encrypted array is not possible",
            "multiply by an approximation of its inverse: x * ringfort.inverse(y.assume(low=...))",
        )
    if a._session.on.exact:
        raise Unsupported("quotients of integers are not integers", "decrypt first, then divide")
    divisor = checked(a, b)
    if not np.all(divisor):
        raise InvalidArgument("the divisor holds a zero", "divide by numbers other than zero")
    with np.errstate(over="ignore"):
        inverse = 1 / divisor
    return _with_plain("multiply", a, checked(a, inverse))


def negative(a: EncryptedArray) -> EncryptedArray:
    tables = a._session.tables
    interval = ranges.multiplied(a._interval, (-1, -1))
    return a._derived(a.shape, tables.unary(tables.on.negate, a._packed), interval)


def conjugate(a: EncryptedArray) -> EncryptedArray:
    """Returns complex conjugates. Takes no level (array/array.py), but takes as long as one rotation of each
    ciphertext. Real numbers and integers are returned unchanged."""
    tables = a._session.tables
    if a.dtype.kind != "c":
        return a
    return a._derived(a.shape, tables.unary(tables.on.conjugate, a._packed), None)


def real_part(a: EncryptedArray) -> EncryptedArray:
    return a if a.dtype.kind != "c" else multiply(add(a, conjugate(a)), 0.5)


def imaginary_part(a: EncryptedArray) -> EncryptedArray:
    return multiply(a, 0) if a.dtype.kind != "c" else multiply(subtract(a, conjugate(a)), -0.5j)


def power(a: Operand, exponent: Operand) -> EncryptedArray:
    if is_encrypted(exponent):
        raise Unsupported("an encrypted exponent is not possible", "give the exponent as an int")
    power = _exponent(exponent)
    if power == 1:
        return a
    tables = a._session.tables
    require_levels(a._session.on, (power - 1).bit_length(), a._packed.ciphertexts)
    interval = in_range(a, ranges.powered(a._interval, power), "power")
    return a._derived(a.shape, tables.powers(a._packed, power), interval)


def _exponent(exponent: Operand) -> int:
    whole = (
        not isinstance(exponent, (list, tuple)) and np.ndim(exponent) == 0 and np.asarray(exponent).dtype.kind in "iuf"
    )
    if not whole or not np.isfinite(exponent) or exponent != int(exponent) or exponent < 1:
        raise InvalidArgument(
            f"the exponent is {kind_of(exponent)}, not a whole number above 0",
            "give one whole number, 1 or more; for others: ringfort.sqrt, ringfort.inverse, ringfort.inverse_sqrt",
        )
    return int(exponent)
