# SPDX-License-Identifier: Apache-2.0
"""NumPy functions that join arrays. A join takes one move (packing/moves.py) of all encrypted elements, then one
addition of all plain elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...distinct import distinct
from ...errors import InvalidArgument, Unsupported
from ..array import ranges
from ..array.array import EncryptedArray
from ..packing.layout import Layout, Several
from ..packing.packed import Packed, UnusedSlots, require_few
from ..packing.ways import Move, most_ways
from .operands import Operand, checked, in_range, is_encrypted, numpys, require_sensible, require_unmasked, together
from .padding import with_plain

__all__ = ["appended", "blocked", "combining", "inserted", "joined"]


def combining(function: Callable[..., Any]) -> Callable[..., EncryptedArray]:
    """Makes the verb of a NumPy function that joins arrays.

    The verb calls the function on arrays that contain the indices of elements in place of the elements (``joined``).
    The result shows the place to which each element moves.
    """
    what = f"numpy.{function.__name__}"

    def verb(arrays: Sequence[Operand], *args: Any, **options: Any) -> EncryptedArray:
        if is_encrypted(arrays):
            raise InvalidArgument(f"{what} was given one encrypted array", "give a list of arrays")
        return joined(what, list(arrays), lambda numbered: numpys(what, function, numbered, *args, **options))

    return verb


def appended(arr: Operand, values: Operand, axis: int | None = None) -> EncryptedArray:
    def number(numbered: list[Any]) -> NDArray[np.int64]:
        return numpys("numpy.append", lambda two, axis: np.append(two[0], two[1], axis), numbered, axis)

    return joined("numpy.append", [arr, values], number)


def inserted(arr: Operand, obj: Any, values: Operand, axis: int | None = None) -> EncryptedArray:
    if is_encrypted(obj):
        raise Unsupported("numpy.insert does not work at encrypted indices", "give plain indices")
    require_unmasked("numpy.insert", (obj,))

    def number(numbered: list[Any]) -> NDArray[np.int64]:
        return numpys("numpy.insert", lambda two, obj, axis: np.insert(two[0], obj, two[1], axis), numbered, obj, axis)

    return joined("numpy.insert", [arr, values], number)


def blocked(arrays: Any) -> EncryptedArray:
    """Computes numpy.block for nested lists."""
    leaves: list[Operand] = []

    def number(numbered: list[Any]) -> NDArray[np.int64]:
        indices = iter(numbered)

        def replaced(nested: Any) -> Any:
            return [replaced(each) for each in nested] if isinstance(nested, list) else next(indices)

        return numpys("numpy.block", lambda flat: np.block(replaced(arrays)), numbered)

    def collect(nested: Any) -> None:
        if isinstance(nested, list):
            for each in nested:
                collect(each)
        else:
            leaves.append(nested)

    collect(arrays)
    return joined("numpy.block", leaves, number)


def joined(
    what: str, arrays: list[Operand], number: Callable[[list[NDArray[np.int64]]], NDArray[np.int64]]
) -> EncryptedArray:
    """Joins arrays. Takes one move of the encrypted elements, then one addition of the plain elements.

    number: the function that joins arrays in the clear. Its argument is a list of arrays with the shapes of ``arrays``.
    These arrays contain indices in place of elements. The indices count the elements of all arrays: 0, 1, 2 and so on.
    The result of ``number`` has, for each place, the index of the element that moves to this place.
    """
    operands = _under_one_key(what, arrays)
    starts = np.cumsum([0, *(np.size(x) for x in operands)])
    numbered = zip(starts, operands, strict=False)
    element = number([np.arange(at, at + np.size(x)).reshape(np.shape(x)) for at, x in numbered])
    encrypted = [x for x in operands if is_encrypted(x)]
    like, flat = encrypted[0], element.reshape(-1)
    require_sensible(what, flat.size, int(starts[-1]))
    interval = in_range(like, _interval(like, operands), what)
    target = Layout.of_shape(element.shape, like._packed.layout.slots)
    packs = [x._packed if len(operands) == 1 else _unbelieved(x._packed) for x in encrypted]
    require_few(_fewest_ways(operands, starts, flat), most_ways(target), what)
    move = Move(Several(tuple(packed.layout for packed in packs)), target, _encrypted_numbers(operands, starts, flat))
    require_few(move.total_cost, most_ways(target), what)
    result = like._derived(element.shape, like._session.tables.move(packs, move), interval)
    none = [np.zeros(x.size, like._session.on.dtype) if is_encrypted(x) else x.reshape(-1) for x in operands]
    return with_plain(result, np.concatenate(none)[flat].reshape(element.shape))


def _under_one_key(what: str, arrays: list[Operand]) -> list[Operand]:
    first = next((x for x in arrays if is_encrypted(x)), None)
    if first is None:
        raise InvalidArgument(f"{what} was given no encrypted array", "give at least one encrypted array, and no out=")
    for x in arrays:  # moves the first array to the device that all arrays will have
        first = together(first, x)[0] if is_encrypted(x) else first
    return [together(first, x)[1] if is_encrypted(x) else checked(first, x) for x in arrays]


def _fewest_ways(operands: list[Operand], starts: NDArray[np.int64], flat: NDArray[np.int64]) -> int:
    """Returns the number of encrypted parts that have elements in the result. This is a quick lower bound on the cost
    of the move."""
    owners = distinct(np.searchsorted(starts, flat, side="right") - 1)
    return sum(is_encrypted(operands[i]) for i in owners)


def _encrypted_numbers(
    operands: list[Operand], starts: NDArray[np.int64], flat: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Returns a number for each element of the result: its position among all encrypted elements, or -1 if it is
    plain."""
    sizes = np.array([x.size if is_encrypted(x) else 0 for x in operands])
    numbers = np.concatenate(
        [
            np.arange(x.size) + before if is_encrypted(x) else np.full(x.size, -1)
            for x, before in zip(operands, np.cumsum(sizes) - sizes, strict=True)
        ]
    )
    return numbers[flat]


def _unbelieved(packed: Packed[Any]) -> Packed[Any]:
    """Returns the packed array. If only a file claims that unused slots (places of a ciphertext without an element) are
    zero, marks their content as unknown.

    If the claim is false, a join without this mark would add the values in these slots to elements of other arrays.
    """
    return replace(packed, unused=UnusedSlots.ANY) if packed.unused.depends_on_file else packed


def _interval(like: EncryptedArray, operands: list[Operand]) -> ranges.Interval | None:
    """Returns the smallest interval that contains the intervals of all parts. Returns None if the arrays have no
    intervals."""
    result = like._interval
    if result is None:
        return None
    for x in operands:
        other = x._interval if is_encrypted(x) else ranges.of_values(x)
        result = ranges.either(result, other)
    return result
