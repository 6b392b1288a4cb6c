# SPDX-License-Identifier: Apache-2.0
"""Functions that join arrays: one move of all encrypted elements, then one addition of the plain elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidArgument
from ..array import ranges
from ..array.array import EncryptedArray
from ..packing.layout import Layout, Several
from ..packing.moves import Move
from ..packing.packed import Packed, Rest, most_ways, require_few
from .operands import Operand, checked, in_range, is_encrypted, numpys, together

__all__ = ["combining"]


def combining(function: Callable[..., Any]) -> Callable[..., EncryptedArray]:
    """Makes the encrypted form of a NumPy function that joins arrays: calls it on element numbers."""
    what = f"numpy.{function.__name__}"

    def verb(arrays: Sequence[Operand], *args: Any, **options: Any) -> EncryptedArray:
        if is_encrypted(arrays):
            raise InvalidArgument(f"{what} of one array", "give a list of arrays")
        first = next((part for part in arrays if is_encrypted(part)), None)
        if first is None:
            raise InvalidArgument(f"{what} of no encrypted array", "give at least one encrypted array, and no out=")
        for part in arrays:  # moves the first to the device where all meet
            first = together(first, part)[0] if is_encrypted(part) else first
        parts: list[Operand] = [
            together(first, part)[1] if is_encrypted(part) else checked(first, part) for part in arrays
        ]
        starts = np.cumsum([0, *(np.size(part) for part in parts)])
        numbered = [
            np.arange(start, start + np.size(p)).reshape(np.shape(p)) for start, p in zip(starts, parts, strict=False)
        ]
        element = numpys(what, function, numbered, *args, **options)
        return _joined(parts, starts, element, what)

    return verb


def _joined(parts: list[Operand], starts: NDArray[np.int64], element: NDArray[np.int64], what: str) -> EncryptedArray:
    encrypted = [part for part in parts if is_encrypted(part)]
    interval = in_range(encrypted[0], _interval(encrypted[0], parts), what)
    like, flat = encrypted[0], element.reshape(-1)
    owner = np.searchsorted(starts, flat, side="right") - 1  # the part that an element comes from
    number, plain, before = np.full(flat.size, -1), np.zeros(flat.size, like.dtype), 0
    for i, part in enumerate(parts):
        mine = owner == i
        if is_encrypted(part):
            number[mine] = flat[mine] - starts[i] + before
            before += part.size
        else:
            plain[mine] = part.reshape(-1)[flat[mine] - starts[i]]
    target = Layout.of_shape(element.shape, like._packed.layout.slots)
    packs = [part._packed if len(parts) == 1 else _unbelieved(part._packed) for part in encrypted]
    move = Move(Several(tuple(packed.layout for packed in packs)), target, number)
    require_few(move.cost, most_ways(target), what)
    tables = like._session.tables
    packed = tables.move(packs, move)
    if np.any(plain):
        packed = tables.with_plain(tables.on.add_plain, packed, plain, product=False)
    return like._derived(element.shape, packed, interval)


def _unbelieved(packed: Packed[Any]) -> Packed[Any]:
    """Returns the table with no trust in its file: unused slots that are not zero would be added to other arrays."""
    return replace(packed, rest=Rest.ANY) if packed.rest is Rest.CLAIMED else packed


def _interval(like: EncryptedArray, parts: list[Operand]) -> ranges.Interval | None:
    """Returns the smallest interval that contains the intervals of all parts; None if the arrays have no intervals."""
    result = like._interval
    if result is None:
        return None
    for part in parts:
        other = part._interval if is_encrypted(part) else ranges.of_values(part)
        result = ranges.either(result, other)
    return result
