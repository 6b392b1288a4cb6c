# SPDX-License-Identifier: Apache-2.0
"""Encodes arrays and public keys as members of a file, and decodes arrays from members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import files as core
from ..errors import InvalidArgument, ParametersMismatch
from . import members
from .array import ranges
from .array.array import EncryptedArray
from .array.session import Session
from .context.context import Keys, PublicKeys
from .members import Parts
from .packing.layout import Layout
from .packing.packed import Packed, Rest

__all__ = ["array_of", "encoded", "encoded_ciphertexts", "in_order", "range_record", "record_of", "require_interval"]

_REST = [Rest.CLAIMED, Rest.ROWS, Rest.ANY]  # a file has the position in this list
_MOST_AXES = 32


def encoded(name: str, value: Any) -> Parts:
    """Encodes all parts except a secret key."""
    if isinstance(value, EncryptedArray):
        if value._source is not None:
            return encoded(name, value._source) | {f"{name}.{members.AXES}": core.encode_array(_axes_record())}
        record = record_of(value)
        record.ciphertexts = encoded_ciphertexts(value)
        return {name: core.encode_array(record)}
    if isinstance(value, Keys):
        marks = (mark for mark in value.ledger_mark() if mark.size)
        return encoded(name, value.public) | {f"{name}.ledger": mark for mark in marks}
    scope = value.context._scope
    keys = zip(members.KEY_PARTS, (value._public, value._relinearization, value._galois), strict=True)
    return {f"{name}.{part}": core.encode_key(scope, key) for part, key in keys if key is not None}


def encoded_ciphertexts(array: EncryptedArray) -> list[NDArray[np.uint8]]:
    """Encodes each ciphertext as a file."""
    session = array._session
    context = session.on.context
    return list(session.each(lambda ciphertext: core.encode_ciphertext(context, ciphertext), array._packed.ciphertexts))


def record_of(array: EncryptedArray) -> core.Array:
    """Encodes shape, table and interval, without the ciphertexts. Errors: InvalidArgument (too many axes for files)."""
    if array.ndim > _MOST_AXES:
        raise InvalidArgument(f"an array of {array.ndim} axes; files and pickles hold {_MOST_AXES}", "reshape it first")
    record, packed = core.Array(), array._packed
    record.shape = list(array.shape)
    record.rows, record.cols, record.stride = packed.layout.rows, packed.layout.cols, packed.layout.stride
    record.rest = _REST.index(Rest.CLAIMED if packed.rest.is_zero else packed.rest)
    record.interval = array._interval
    record.domain = array._domain
    return record


def range_record(promise: ranges.Interval) -> core.Array:
    """Encodes a context's range as an array without ciphertexts."""
    record = _record_without_ciphertexts([])
    record.interval = promise
    return record


def _axes_record() -> core.Array:
    """Encodes the order of the axes of a transposed matrix as the shape of an array without ciphertexts."""
    return _record_without_ciphertexts([1, 0])


def _record_without_ciphertexts(shape: list[int]) -> core.Array:
    record = core.Array()
    record.shape, record.ciphertexts = shape, []
    record.rows = record.cols = record.stride = 1
    record.rest = _REST.index(Rest.CLAIMED)
    return record


def in_order(x: EncryptedArray, name: str, axes: NDArray[np.uint8] | None) -> EncryptedArray:
    """Returns an array of a file in the order of axes that its member states. Errors: ParametersMismatch."""
    if axes is None:
        return x
    if list(core.decode_array(axes).shape) != [1, 0] or x.ndim != 2:
        raise ParametersMismatch(f"the array {name!r} has another order of axes than its own", "the file is damaged")
    return x.transpose()


def array_of(record: core.Array, keys: PublicKeys, name: str, trust_bound: bool) -> EncryptedArray:
    """Returns a record's array under these keys, on their device."""
    context = keys.context
    session = keys.session(keys.device)
    layout = _layout(name, record, session)
    ready = session.on.context
    decoded = session.each(lambda data: core.decode_ciphertext(ready, data, trust_bound), record.ciphertexts)
    ciphertexts = tuple(decoded)
    require_interval(name, record.interval, context._range)
    if not trust_bound:
        _require_promised(name, record.interval, context._range)
    interval = ranges.untrusted(record.interval if trust_bound else context._range, context.plain_modulus)
    packed = Packed(layout, ciphertexts, _believed(_REST[record.rest], ciphertexts, trust_bound))
    result = EncryptedArray(session, tuple(record.shape), packed, interval)
    return result if record.domain is None or not trust_bound else _bounded(result, name, record.domain)


def _bounded(x: EncryptedArray, name: str, domain: tuple[float, float]) -> EncryptedArray:
    """Returns the array with the low and high that a file claims, and marks the bounds of its ciphertexts untrusted."""
    if x.dtype.kind != "f":
        raise ParametersMismatch(f"the array {name!r} of other than real numbers has a domain", "the file is damaged")
    low, high = max(domain[0], -x.magnitude), min(domain[1], x.magnitude)
    if not low < high:
        raise ParametersMismatch(f"the array {name!r} has a domain outside its magnitude", "the file is damaged")
    on = x._session.on
    ciphertexts = tuple(each if each.bound_is_untrusted else on.mark_untrusted(each) for each in x._packed.ciphertexts)
    result = x._derived(x.shape, replace(x._packed, ciphertexts=ciphertexts), x._interval)
    result._domain = low, high
    return result


def _believed(claim: Rest, ciphertexts: Sequence[Any], trust_bound: bool) -> Rest:
    """Returns the state of unused slots that the reader assumes if a file claims ``claim``.

    Copies of a row come from a computation, so a fresh ciphertext with this claim has a false one.
    """
    if claim is Rest.ROWS and not all(ciphertext.bound_is_untrusted for ciphertext in ciphertexts):
        return Rest.ANY
    return Rest.DOUBTED if claim is Rest.CLAIMED and not trust_bound else claim


def _layout(name: str, record: core.Array, session: Session) -> Layout:
    """Checks the claims of a file: its numbers must make a table that holds the shape in as many ciphertexts."""
    slots, size = session.on.slots, 1
    for length in record.shape:
        size *= length
    stride = record.stride
    if 0 < stride <= slots.orbit and stride & (stride - 1) == 0 and 0 < size <= record.rows * record.cols:
        layout = Layout(slots, size, record.rows, record.cols, stride)
        fits = layout.is_canonical and layout.ciphertexts == len(record.ciphertexts)
        if fits and (record.rest != 1 or record.rows == 1):
            return layout
    raise ParametersMismatch(f"the array {name!r} does not fit its ciphertexts", "the file is damaged")


def require_interval(name: str, interval: ranges.Interval | None, promise: ranges.Interval | None) -> None:
    """Requires an interval if the context has a range. Errors: ParametersMismatch."""
    if interval is None and promise is not None:
        raise ParametersMismatch(
            f"the array {name!r} may hold any residue, but its context promises integers in "
            f"{promise[0]} .. {promise[1]}",
            "it was encrypted under keys whose range was removed: compare their fingerprints, and encrypt it again",
        )


def _require_promised(name: str, interval: ranges.Interval | None, promise: ranges.Interval | None) -> None:
    """Requires an untrusted interval to stay within the context's range. Errors: ParametersMismatch."""
    if promise is not None and interval is not None and (interval[0] < promise[0] or interval[1] > promise[1]):
        raise ParametersMismatch(
            f"the array {name!r} claims integers in {interval[0]} .. {interval[1]}, but its context promises "
            f"{promise[0]} .. {promise[1]}",
            "it was computed, or encrypted under keys with another range: compare fingerprints, or trust its bound",
        )
