# SPDX-License-Identifier: Apache-2.0
"""Bounds that a user promises, for example ``x.assume(magnitude=14)`` or ``x.assume(low=0.5, high=8)``.

A bound must be true for every slot (place for a number) of a ciphertext, also for slots that no element uses. Therefore
unused slots with unknown values are cleared first, which consumes a level (array/array.py). If zero is not in low ..
high, the middle of the interval is then added to the unused slots.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import BoundViolated, InvalidArgument, Unsupported
from ...values import kind_of, positive
from ..array.array import EncryptedArray
from ..packing.packed import Packed, Tables, UnusedSlots

__all__ = ["Domain", "assumed", "domain_of", "promised", "require_kept"]

Domain = tuple[float, float]
_LARGEST = 2.0**100  # no context has larger numbers


def domain_of(x: EncryptedArray) -> Domain:
    """Returns the interval that the array's bounds guarantee."""
    return x._domain or (-x.magnitude, x.magnitude)


def promised(x: EncryptedArray, magnitude: object, low: object, high: object) -> Domain:
    """Returns the intersection of two intervals: the interval that the array's bounds guarantee, and the promised
    interval. Errors: InvalidArgument, Unsupported."""
    if x._session.on.exact:
        raise Unsupported("integers have a range, not a magnitude", "declare it: Context(range=(low, high))")
    if magnitude is None and low is None and high is None:
        raise InvalidArgument("assume was given no bound", "give assume(magnitude=...), or low=... and high=...")
    if x.dtype.kind == "c" and not (low is None and high is None):
        raise InvalidArgument("complex numbers have no order", "give assume(magnitude=...)")
    most = math.inf if magnitude is None else positive("magnitude", magnitude, 100)
    least = -math.inf if low is None else _finite("low", low)
    largest = math.inf if high is None else _finite("high", high)
    if not least < largest:
        raise InvalidArgument("low is not below high", "give low < high")
    known = domain_of(x)
    below, above = max(known[0], -most, least), min(known[1], most, largest)
    if not below < above:
        raise InvalidArgument(
            "the new and the known bounds have no interval in common",
            f"give low < high, within {known[0]:.6g} .. {known[1]:.6g}",
        )
    return below, above


def _finite(name: str, value: object) -> float:
    """Checks a bound, and returns it as a float. The bound may be zero or negative. Errors: InvalidArgument."""
    if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, bool):
        raise InvalidArgument(f"{name} is {kind_of(value)}", f"give {name} as a number")
    if not -_LARGEST <= value <= _LARGEST:
        found = "is NaN" if value != value else "has a magnitude above 2^100"
        if value in (math.inf, -math.inf):
            found = "is infinite"
        raise InvalidArgument(f"{name} {found}", f"give {name} as a number in -2^100 .. 2^100")
    return float(value)


def assumed(x: EncryptedArray, domain: Domain, every_slot: bool) -> EncryptedArray:
    """Returns ``x`` with the bounds ``domain``. First clears unused slots with unknown values. every_slot: True means
    that the promise includes unused slots. Then they are not cleared."""
    session = x._session
    packed = x._packed if every_slot else session.tables.cleaned(x._packed)
    uncleared = x._packed if packed.ciphertexts is not x._packed.ciphertexts else x._uncleared
    if not every_slot and not domain[0] <= 0 <= domain[1]:
        packed = _filled(session.tables, packed, sum(domain) / 2, x.dtype)
    most = max(abs(domain[0]), abs(domain[1]))
    declared = session.tables.with_bounds(lambda ciphertext: session.on.declare_magnitude(ciphertext, most), packed)
    result = x._derived(x.shape, declared, x._interval)
    result._domain = domain if domain != (-most, most) else None
    result._uncleared = uncleared
    result._clear = x._clear
    return result


def _filled(tables: Tables[Any], packed: Packed[Any], value: float, dtype: np.dtype[Any]) -> Packed[Any]:
    """Adds a number to the unused slots, which must be zero."""
    if packed.layout.is_full:
        return packed
    vectors = (value * (1 - packed.layout.pack(np.ones(packed.layout.size)))).astype(dtype)
    pairs = zip(packed.ciphertexts, vectors, strict=True)
    return Packed(packed.layout, tuple(tables.each(lambda pair: tables.on.add_plain(*pair), pairs)), UnusedSlots.ANY)


def require_kept(x: EncryptedArray, domain: Domain) -> None:
    """Inside a block of ``ringfort.debug``, checks that the values keep the promise. Errors: BoundViolated."""
    if x._clear is None:
        return
    outside = np.abs(x._clear) > max(map(abs, domain)) if x.dtype.kind == "c" else None
    if outside is None:
        outside = (x._clear < domain[0]) | (x._clear > domain[1])
    if np.any(outside):
        raise BoundViolated(
            f"a value is outside {domain[0]:g} .. {domain[1]:g}, which assume() promises",
            "promise bounds that the values keep",
        )
