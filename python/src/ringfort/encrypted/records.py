# SPDX-License-Identifier: Apache-2.0
"""Encodes arrays and public keys as members of a file, and decodes arrays from members.

A *member* is a named part of a file (members.py). The member of an array is a *record*: shape, table
(packing/layout.py), interval of integers, and ciphertexts. If the integers have several plaintext moduli, there is a
record for each modulus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from .context.context import Context, Keys, PublicKeys
from .members import Container
from .packing.layout import Layout
from .packing.packed import Packed, UnusedSlots
from .residues.ciphertexts import ResidueCiphertext
from .residues.numbers import Numbers
from .residues.per_modulus import joined, per_modulus
from .residues.stored import encoded_key

__all__ = ["array_of", "encoded", "encoded_ciphertexts", "in_order", "range_records", "records_of", "require_interval"]
__all__ += ["stated"]

_UNUSED_SLOTS = [
    UnusedSlots.CLAIMED,
    UnusedSlots.ROWS,
    UnusedSlots.ANY,
]  # contents of unused slots (packed.py); a file contains an index into this list
_MOST_AXES = 32


def encoded(name: str, value: Any) -> Container:
    """Encodes all parts of an array or of a key set, except a secret key."""
    if isinstance(value, EncryptedArray):
        if value._source is not None:
            return encoded(name, value._source) | {f"{name}.{members.AXES}": core.encode_array(_axes_record())}
        found = zip(records_of(value), encoded_ciphertexts(value), strict=True)
        return {members.numbered(name, index): _encoded(*each) for index, each in enumerate(found)}
    if isinstance(value, Keys):
        marks = (mark for mark in value.ledger_mark() if mark.size)
        return encoded(name, value.public) | {f"{name}.ledger": mark for mark in marks}
    scope = value.context._scopes
    keys = zip(members.PUBLIC_KEYS, (value._public, value._relinearization, value._galois), strict=True)
    files = {f"{name}.{suffix}": encoded_key(scope, key) for suffix, key in keys}
    return {
        members.numbered(member, index): each
        for member, of_moduli in files.items()
        for index, each in enumerate(of_moduli)
    }


def _encoded(record: core.Array, ciphertexts: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    record.ciphertexts = ciphertexts
    return core.encode_array(record)


def encoded_ciphertexts(array: EncryptedArray) -> list[list[NDArray[np.uint8]]]:
    """Encodes each ciphertext in the format of a file. Returns a list for each plaintext modulus."""
    session, ciphertexts = array._session, array._packed.ciphertexts
    contexts = per_modulus(session.on.context)

    def encode(pair: tuple[int, Any]) -> NDArray[np.uint8]:
        index, ciphertext = pair
        return core.encode_ciphertext(contexts[index], per_modulus(ciphertext)[index])

    pairs = [(index, ciphertext) for index in range(len(contexts)) for ciphertext in ciphertexts]
    files = list(session.each(encode, pairs))
    return [files[at : at + len(ciphertexts)] for at in range(0, len(files), len(ciphertexts))]


def records_of(array: EncryptedArray) -> list[core.Array]:
    """Returns the record for each plaintext modulus. These records have a shape, a table and an interval, but no
    ciphertexts.

    Errors: InvalidArgument (the array has too many axes for a file).
    """
    return [_record_of(array, interval) for interval in _record_intervals(array._interval, array._session.keys.context)]


def _record_intervals(interval: ranges.Interval | None, context: Any) -> list[ranges.Interval | None]:
    """Returns the interval for the record of each plaintext modulus."""
    moduli = context.plain_moduli
    if len(moduli) < 2 or interval is None:
        return [interval] * max(1, len(moduli))
    return list(Numbers(moduli).ends(interval))


def stated(intervals: Sequence[ranges.Interval | None], moduli: Sequence[int]) -> ranges.Interval | None:
    """Returns the interval of integers that the intervals in the records of all moduli represent. Errors:
    ParametersMismatch."""
    if len(intervals) < 2:
        return intervals[0]
    ends = [interval for interval in intervals if interval is not None]
    found = Numbers(moduli).interval(ends) if len(ends) == len(intervals) == len(moduli) else None
    if found is None:
        raise ParametersMismatch("an interval does not fit the plaintext moduli", "the file is damaged")
    return found


def _record_of(array: EncryptedArray, interval: ranges.Interval | None) -> core.Array:
    if array.ndim > _MOST_AXES:
        raise InvalidArgument(
            f"an array has {array.ndim} axes, but files and pickles hold at most {_MOST_AXES}", "reshape it first"
        )
    record, packed = core.Array(), array._packed
    record.shape = list(array.shape)
    record.rows, record.cols, record.stride = packed.layout.rows, packed.layout.cols, packed.layout.stride
    record.unused_slots = _UNUSED_SLOTS.index(UnusedSlots.CLAIMED if packed.unused.is_zero else packed.unused)
    record.interval = interval
    record.domain = array._domain
    return record


def range_records(context: Context) -> list[core.Array]:
    """Encodes a context's range as a record without ciphertexts, for each plaintext modulus. If the context has no
    range, returns no record.

    If there are several moduli, the shape of each record states their number. Then a reader detects that a modulus is
    missing.
    """
    if context._range is None:
        return []
    count = len(context.plain_moduli)
    return [_range_record(interval, [count] * (count > 1)) for interval in _record_intervals(context._range, context)]


def _range_record(interval: ranges.Interval | None, shape: list[int]) -> core.Array:
    record = _record_without_ciphertexts(shape)
    record.interval = interval
    return record


def _axes_record() -> core.Array:
    """Encodes the order of the axes of a transposed matrix. The record has no ciphertexts. Its shape is this order."""
    return _record_without_ciphertexts([1, 0])


def _record_without_ciphertexts(shape: list[int]) -> core.Array:
    record = core.Array()
    record.shape, record.ciphertexts = shape, []
    record.rows = record.cols = record.stride = 1
    record.unused_slots = _UNUSED_SLOTS.index(UnusedSlots.CLAIMED)
    return record


def in_order(x: EncryptedArray, name: str, axes: NDArray[np.uint8] | None) -> EncryptedArray:
    """Transposes an array of a file if a member of the file requires it. axes: this member, or None. Errors:
    ParametersMismatch."""
    if axes is None:
        return x
    if list(core.decode_array(axes).shape) != [1, 0] or x.ndim != 2:
        raise ParametersMismatch(f"the array {name!r} has axes in an unknown order", "the file is damaged")
    return x.transpose()


def array_of(records: Sequence[core.Array], keys: PublicKeys, name: str, trust_bound: bool) -> EncryptedArray:
    """Returns the array that the records describe, under these keys and on their device. records: one for each
    plaintext modulus."""
    context, record = keys.context, records[0]
    session = keys.session(keys.device)
    _require_one_table(name, records, session)
    layout = _layout(name, record, session)
    ciphertexts = tuple(_decoded(name, records, session, trust_bound))
    claimed = stated([each.interval for each in records], context.plain_moduli)
    require_interval(name, claimed, context._range)
    if not trust_bound:
        _require_promised(name, claimed, context._range)
    interval = ranges.untrusted(claimed if trust_bound else context._range, context.plain_modulus)
    packed = Packed(layout, ciphertexts, _believed(_UNUSED_SLOTS[record.unused_slots], ciphertexts, trust_bound))
    result = EncryptedArray(session, tuple(record.shape), packed, interval)
    return result if record.domain is None or not trust_bound else _bounded(result, name, record.domain)


def _require_one_table(name: str, records: Sequence[core.Array], session: Session) -> None:
    """Requires a record for each plaintext modulus. All records must have the same shape and the same table. Errors:
    ParametersMismatch."""
    facts = [(list(r.shape), r.rows, r.cols, r.stride, r.unused_slots, r.domain, len(r.ciphertexts)) for r in records]
    if len(records) != len(per_modulus(session.on.context)) or any(each != facts[0] for each in facts):
        raise ParametersMismatch(
            f"the array {name!r} has different tables for its plaintext moduli, or not one for each modulus",
            "the file is damaged, or somebody replaced a part",
        )


def _decoded(name: str, records: Sequence[core.Array], session: Session, trust_bound: bool) -> Iterator[Any]:
    """Decodes the ciphertexts. The context of a plaintext modulus decodes the ciphertexts of this modulus. Errors:
    ParametersMismatch, the Io errors."""
    contexts = per_modulus(session.on.context)

    def decode(files: Sequence[NDArray[np.uint8]]) -> Any:
        ciphertexts = [core.decode_ciphertext(on, data, trust_bound) for on, data in zip(contexts, files, strict=True)]
        if len({each.key_id for each in ciphertexts}) > 1:
            raise ParametersMismatch(
                f"the array {name!r} has parts that were encrypted under different keys", "somebody replaced a part"
            )
        return joined(ResidueCiphertext, ciphertexts)

    return iter(session.each(decode, list(zip(*(record.ciphertexts for record in records), strict=True))))


def _bounded(x: EncryptedArray, name: str, domain: tuple[float, float]) -> EncryptedArray:
    """Returns the array with the domain that a file claims. The domain is low and high of ``assume``. Marks the bounds
    of the ciphertexts as untrusted."""
    if x.dtype.kind != "f":
        raise ParametersMismatch(
            f"the array {name!r} has a domain, but its numbers are not real", "the file is damaged"
        )
    low, high = max(domain[0], -x.magnitude), min(domain[1], x.magnitude)
    if not low < high:
        raise ParametersMismatch(f"the array {name!r} has a domain outside its magnitude", "the file is damaged")
    on = x._session.on
    ciphertexts = tuple(each if each.bound_is_untrusted else on.mark_untrusted(each) for each in x._packed.ciphertexts)
    result = x._derived(x.shape, replace(x._packed, ciphertexts=ciphertexts), x._interval)
    result._domain = low, high
    return result


def _believed(claim: UnusedSlots, ciphertexts: Sequence[Any], trust_bound: bool) -> UnusedSlots:
    """Returns the state of unused slots that the reader assumes. claim: the state that the file claims.

    UnusedSlots.ROWS claims that unused slots contain copies of a row. Only a computation makes such copies. Therefore
    the claim is false for a fresh encryption.
    """
    if claim is UnusedSlots.ROWS and not all(ciphertext.bound_is_untrusted for ciphertext in ciphertexts):
        return UnusedSlots.ANY
    return UnusedSlots.DOUBTED if claim is UnusedSlots.CLAIMED and not trust_bound else claim


def _layout(name: str, record: core.Array, session: Session) -> Layout:
    """Returns the layout that a file claims. The table must have a place for every element, and as many ciphertexts as
    the record."""
    slots, size = session.on.slots, 1
    for length in record.shape:
        size *= length
    stride = record.stride
    if 0 < stride <= slots.orbit and stride & (stride - 1) == 0 and 0 < size <= record.rows * record.cols:
        layout = Layout(slots, size, record.rows, record.cols, stride)
        fits = layout.is_canonical and layout.ciphertexts == len(record.ciphertexts)
        if fits and (record.unused_slots != 1 or record.rows == 1):
            return layout
    raise ParametersMismatch(f"the array {name!r} does not fit its ciphertexts", "the file is damaged")


def require_interval(name: str, interval: ranges.Interval | None, promise: ranges.Interval | None) -> None:
    """Requires that the array has an interval if the context has a range. Errors: ParametersMismatch."""
    if interval is None and promise is not None:
        raise ParametersMismatch(
            f"the array {name!r} may hold any residue, but its context promises integers in "
            f"{promise[0]} .. {promise[1]}",
            "it was encrypted under keys whose range was removed: compare their fingerprints, and encrypt it again",
        )


def _require_promised(name: str, interval: ranges.Interval | None, promise: ranges.Interval | None) -> None:
    """Requires that the interval is within the context's range. Errors: ParametersMismatch."""
    if promise is not None and interval is not None and (interval[0] < promise[0] or interval[1] > promise[1]):
        raise ParametersMismatch(
            f"the array {name!r} claims integers in {interval[0]} .. {interval[1]}, but its context promises "
            f"{promise[0]} .. {promise[1]}",
            "it was computed, or encrypted under keys with another range: compare fingerprints, or trust its bound",
        )
