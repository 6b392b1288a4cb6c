# SPDX-License-Identifier: Apache-2.0
"""Elements in other places: whatever only moves them, from reshape (free) to transpose, and plain indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidArgument, Unsupported
from . import moves
from .layout import Layout
from .operands import made

if TYPE_CHECKING:
    from .array import EncryptedArray

__all__ = ["as_column", "has_own_rows", "moving", "reshape_of", "take", "with_own_rows"]

_MOST_WAYS = 1024


def has_own_rows(a: EncryptedArray) -> bool:
    """Whether the last axis is the rows of its table: not after a reshape, nor where a row is longer than a lane."""
    layout = a._packed.layout
    return a.ndim > 0 and layout.cols == a.shape[-1] and layout.rows * layout.cols == layout.size


def with_own_rows(a: EncryptedArray, pitch: int = 0) -> EncryptedArray:
    """The same array with its last axis as rows of at least ``pitch`` slots; a level, where elements have to move."""
    layout = a._packed.layout
    if has_own_rows(a) and layout.pitch >= pitch:
        return a
    if a.shape[-1] > layout.slots.lane:
        raise Unsupported(
            f"rows of {a.shape[-1]} elements are longer than the {layout.slots.lane} slots that rotate together",
            "work on pieces of the last axis, and add what comes of them",
        )
    target = Layout.of_shape(a.shape, layout.slots).widened(pitch)
    return _moved(a, a.shape, target, np.arange(a.size), "bringing the rows apart")


def _moved(a: EncryptedArray, shape: tuple[int, ...], target: Layout, element: Any, what: str) -> EncryptedArray:
    ways = moves.way_count(a._packed.layout, target, element)
    most = _MOST_WAYS + 4 * target.blocks
    if ways > most:
        raise Unsupported(
            f"{what} of shape {a.shape} would take {ways} different moves, {most} at most are made",
            "encrypt the array in the shape that is needed",
        )
    return made(a, shape, a._session.tables.gather(a._packed, target, element), a._interval)


def as_column(a: EncryptedArray, table: EncryptedArray) -> EncryptedArray:
    """A vector as the column of another array's table: one element at the beginning of each row."""
    target = table._packed.layout.with_table(a.size, 1)
    return _moved(a, (a.size, 1), target, np.arange(a.size), "a vector as a column")


def moving(function: Callable[..., Any]) -> Callable[..., EncryptedArray]:
    """The encrypted form of a NumPy function that only moves elements: it is asked where each of them goes."""

    def verb(a: EncryptedArray, *args: Any, **options: Any) -> EncryptedArray:
        try:
            element = np.asarray(function(np.arange(a.size).reshape(a.shape), *args, **options))
        except (IndexError, TypeError, ValueError) as error:  # numpy.exceptions.AxisError is two of them
            raise InvalidArgument(
                f"numpy.{function.__name__} of shape {a.shape}: {error}", "give what numpy's function takes"
            ) from None
        return _placed(a, element, f"numpy.{function.__name__}")

    return verb


def _placed(a: EncryptedArray, element: NDArray[np.int64], what: str) -> EncryptedArray:
    """Each place of the result has the element with this number. Free, where their order stays."""
    shape, flat, source = element.shape, element.reshape(-1), a._packed.layout
    if flat.size == 0:
        raise InvalidArgument(f"{what} of shape {a.shape} selects nothing", "select at least one element")
    if np.array_equal(flat, np.arange(a.size)):
        return made(a, shape, a._packed, a._interval)
    if shape == a.shape and has_own_rows(a):
        return _moved(a, shape, source, flat, what)
    target = Layout.of_shape(shape, source.slots).widened(source.pitch)  # with one pitch diagonals move alike
    wide = Layout.of_shape(a.shape, source.slots).widened(target.pitch)
    if has_own_rows(a) and wide.pitch > source.pitch and wide.blocks == wide.row_blocks:
        first, then = moves.way_count(source, wide, np.arange(a.size)), moves.way_count(wide, target, flat)
        if moves.way_count(source, target, flat) > 2 * (first + then):
            a = with_own_rows(a, target.pitch)
    return _moved(a, shape, target, flat, what)


reshape_of = moving(np.reshape)


def take(a: EncryptedArray, key: Any) -> EncryptedArray:
    try:
        element = np.arange(a.size).reshape(a.shape)[key]
    except (IndexError, TypeError) as error:
        raise InvalidArgument(f"index {key!r} does not fit shape {a.shape}: {error}", "index as in NumPy") from None
    if np.size(element) == 0:
        raise InvalidArgument(f"index {key!r} selects nothing", "select at least one element")
    element = np.asarray(element)
    source = a._packed.layout
    layout = Layout.of_shape(element.shape, source.slots)
    if element.ndim and element.shape[-1] <= source.pitch:
        kept = source.with_table(element.size // element.shape[-1], element.shape[-1])
        if kept.blocks <= layout.blocks:  # rows stay as long as they were: fewer rotations
            layout = kept
    return made(a, element.shape, a._session.tables.gather(a._packed, layout, element), a._interval)
