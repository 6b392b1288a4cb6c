# SPDX-License-Identifier: Apache-2.0
"""Names of the columns of an array that was encrypted from a DataFrame. Decides which results keep the names, and makes
DataFrames of decrypted values.

Names belong to the last axis. Results of the operations that _kept() lists have names if each column of the result has
elements of only one column of the operand. Examples are operations on elements, sums over other axes, moves of rows,
and selections of columns. Results of all other operations, such as numpy.swapaxes, have no names, unless the result is
the operand itself. Names never change values.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidArgument, Unsupported
from ...values import kind_of_objects
from ..array.array import EncryptedArray
from .operands import is_encrypted

__all__ = ["BY_ELEMENT", "columns_of", "frame_of", "is_frame", "labels_of_frame", "require_order", "with_labels"]

Labels = tuple[str, ...]
_BY_COLUMN = {
    *(np.sum, np.mean, np.var, np.std, np.average, np.prod, np.cumsum, np.cumprod, np.diff),
    *(np.nansum, np.nanmean, np.nanvar, np.nanstd, np.nanprod, np.nancumsum, np.nancumprod),
    *(np.linalg.norm, np.gradient, np.insert, *([np.trapezoid] if hasattr(np, "trapezoid") else [])),
}
BY_ELEMENT = np.real
"""The argument of with_labels() for functions on elements that NumPy does not have."""
_BY_ELEMENT = {np.where, np.real, np.imag, np.triu, np.tril, np.polyval}
_MOVING = {
    *(operator.getitem, np.reshape, np.expand_dims, np.squeeze, np.copy, np.roll, np.flip, np.flipud, np.fliplr),
    *(np.repeat, np.tile, np.broadcast_to, np.take, np.delete, np.moveaxis, np.split, np.array_split, np.vsplit),
    *(np.hsplit, np.atleast_2d, np.take_along_axis),
}
_NUMBERS: set[type] = {int, float, complex, bool}
_JOINING = {np.concatenate, np.vstack, np.stack}


def is_frame(values: object) -> bool:
    """Tells whether values are a DataFrame of pandas or of a similar library. Imports no such library."""
    return hasattr(values, "columns") and hasattr(values, "to_numpy") and not is_encrypted(values)


def labels_of_frame(frame: Any) -> Labels | None:
    """Returns the names of the columns of a DataFrame. Returns None if the names are not texts, or not all different.
    Errors: InvalidArgument (a column has no numbers)."""
    names = tuple(frame.columns)
    table = np.asarray(frame)
    for index, name in enumerate(names if table.dtype.kind not in "biufc" else ()):
        if table.dtype.kind != "O" or not kind_of_objects(table[:, index]):
            raise InvalidArgument(
                f"column {str(name)!r} has values that are not numbers",
                "leave it out, fill in missing values, or convert it to numbers before encryption",
            )
    is_named = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    return tuple(map(str, names)) if is_named else None


def require_order(args: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Checks the order of columns in the plain tables of an operation. Errors: InvalidArgument (a plain table has the
    columns of an encrypted array in another order).

    pandas matches columns by name. The operations of this package match columns by position. Without this check, values
    would get the names of other columns.
    """
    operands = list(_leaves((*args, *options.values())))
    known = {x.columns for x in operands if is_encrypted(x) and x.columns is not None}
    for names in (names for x in operands for names in _names_of_plain(x)) if known else ():
        if any(_are_in_another_order(names, columns) for columns in known):
            raise InvalidArgument(
                "a table has the columns of the encrypted array in another order",
                "give the table with the columns in the order of the array: table[list(x.columns)]",
            )


def _leaves(values: Any) -> Iterator[Any]:
    """Yields the values in nested lists and tuples. Skips lists of plain numbers, because numbers have no names, and
    such lists may be long."""
    for value in values:
        if not isinstance(value, (list, tuple)):
            yield value
        elif not set(map(type, value)) <= _NUMBERS:
            yield from _leaves(value)


def _names_of_plain(values: Any) -> list[Any]:
    """Returns the names along each axis of a DataFrame or a Series. The names of rows are included, because
    ``x @ table`` multiplies each column of ``x`` by one row of the table."""
    if is_encrypted(values) or not hasattr(values, "to_numpy"):
        return []
    return [names for axis in ("columns", "index") if hasattr(names := getattr(values, axis, None), "__len__")]


def _are_in_another_order(names: Any, columns: Labels) -> bool:
    if len(names) != len(columns):
        return False
    given = list(names)
    return given != list(columns) and all(isinstance(name, str) for name in given) and sorted(given) == sorted(columns)


def columns_of(x: EncryptedArray, key: Any) -> Any:
    """Converts names of columns to an index by numbers. Returns any other key unchanged. Errors: InvalidArgument."""
    names = [key] if isinstance(key, str) else key
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        return key
    if x.columns is None:
        raise InvalidArgument(
            "the array has no names of columns", "encrypt a DataFrame, or index by numbers: x[:, 0] is a column"
        )
    if missing := [name for name in names if name not in x.columns]:
        raise InvalidArgument(f"there is no column {missing[0]!r}", "the columns are: " + ", ".join(x.columns))
    numbers = [x.columns.index(name) for name in names]
    return (..., numbers[0]) if isinstance(key, str) else (..., numbers)


def with_labels(result: Any, function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Gives a new result of an operation the names of its operands' columns, if _kept() finds names for the result.
    Gives no names if two operands have different names."""
    arrays = [x for x in (*args, *_in_lists(args)) if is_encrypted(x) and x.columns is not None]
    if not arrays or len({x.columns for x in arrays}) != 1:
        return result
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    for found, labels in zip(results, _kept(results, function, arrays[0], args, options), strict=True):
        if is_encrypted(found) and not any(found is x for x in arrays):  # an operand that is returned keeps its names
            found._labels = labels if labels is not None and found.shape[-1:] == (len(labels),) else None
    return result


def _in_lists(args: tuple[Any, ...]) -> list[Any]:
    return [x for arg in args if isinstance(arg, (list, tuple)) for x in arg]


def _kept(
    results: list[Any], function: Any, x: EncryptedArray, args: tuple[Any, ...], options: dict[str, Any]
) -> list[Labels | None]:
    labels = x.columns
    assert labels is not None
    none: list[Labels | None] = [None] * len(results)
    if isinstance(function, np.ufunc):
        over_rows = function is np.matmul and args[1] is x and x.ndim >= 2 and np.ndim(args[0]) == 2
        by_element = function.signature is None or over_rows
        return [labels] if by_element and results[0].shape[-1:] == (len(labels),) else none
    if function is np.where and _without_names(args[1:]):
        return none
    if function in _BY_ELEMENT:
        return [labels] if results[0].shape[-1:] == (len(labels),) else none
    if function is np.insert and _without_names((*args, *options.values())):
        return none
    if function in _BY_COLUMN:
        return [labels] * len(results) if _over_rows(function, x, args, options) else none
    if function is np.pad:
        return [labels] if args[0] is x and _pads_rows(x, *args[1:2], **options) else none
    if function is np.compress:
        condition, _, *axis = args
        return [_named(labels, np.compress(condition, _numbers(x, len(labels)), *axis, **options))]
    if function is np.append:
        function, args = np.concatenate, (args[:2], *(args[2:] or (None,) * ("axis" not in options)))
    if function in _JOINING:
        if _without_names(args[0]):
            return none
        numbers = [_numbers(x, len(labels)) for x in args[0]]
        if any(x is None for x in numbers):
            return none
        return [_named(labels, function(numbers, *args[1:], **options))]
    if is_encrypted(args[0]) and args[0] is x and function in _MOVING:
        moved = function(_numbers(x, len(labels)), *args[1:], **options)
        return [_named(labels, each) for each in (moved if isinstance(moved, (list, tuple)) else [moved])]
    return none


def _without_names(operands: Any) -> bool:
    """Tells whether at least one of the encrypted arrays has no names. The elements of such an array, for example
    ``x.T``, may belong to any column."""
    return any(is_encrypted(x) and x.columns is None for x in operands)


def _over_rows(function: Any, x: EncryptedArray, args: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Tells whether a function of ``x`` works only along axes other than the last."""
    bound = inspect.signature(function).bind(*args, **options)
    bound.apply_defaults()
    axis = bound.arguments["axis"]
    axes = axis if isinstance(axis, tuple) else (axis,)
    is_first = next(iter(bound.arguments.values())) is x
    return is_first and all(isinstance(i, (int, np.integer)) and i % x.ndim != x.ndim - 1 for i in axes)


def _pads_rows(x: EncryptedArray, pad_width: Any, **options: Any) -> bool:
    """Tells whether numpy.pad adds nothing to the last axis."""
    if isinstance(pad_width, dict):
        return all(axis % x.ndim != x.ndim - 1 for axis in pad_width)
    return bool(np.all(np.broadcast_to(pad_width, (x.ndim, 2))[-1] == 0))


def _numbers(x: Any, count: int) -> NDArray[np.int64] | None:
    """Returns an array of the shape of ``x`` that contains the column number of each element. Returns None if the last
    axis has another length than ``count``, or if there is no axis."""
    shape = np.shape(x)
    return np.broadcast_to(np.arange(count), shape) if shape[-1:] == (count,) else None


def _named(labels: Labels, numbers: NDArray[np.int64]) -> Labels | None:
    """Returns the names for the last axis of a result. numbers: the column number of each element. Returns None if a
    place of the last axis has elements of several columns, if two places have the same column, or if the result has no
    axis or no elements."""
    if numbers.ndim == 0 or numbers.size == 0:
        return None
    rows = numbers.reshape(-1, numbers.shape[-1])
    if len(set(rows[0])) != rows.shape[1] or not np.all(rows == rows[0]):
        return None
    return tuple(labels[i] for i in rows[0])


def frame_of(values: NDArray[Any], labels: Labels | None) -> Any:
    """Returns a pandas DataFrame or Series of decrypted values. Errors: Unsupported (no pandas), InvalidArgument."""
    try:
        import pandas
    except ImportError:
        raise Unsupported("frames need pandas, which is not installed", "pip install pandas, or use decrypt") from None
    if values.ndim == 1:
        return pandas.Series(values, index=None if labels is None else list(labels))
    if values.ndim != 2:
        raise InvalidArgument(f"an array of shape {values.shape} is no table", "decrypt it, or reshape it first")
    return pandas.DataFrame(values, columns=None if labels is None else list(labels))
