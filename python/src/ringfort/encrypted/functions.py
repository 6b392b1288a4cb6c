# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on encrypted arrays: operands are checked here, before any work; packed.py and moves.py do it."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidArgument, ParametersMismatch, Unsupported
from . import ranges, shadow
from .arithmetic import require_levels
from .layout import Layout
from .packed import Packed, Rest

if TYPE_CHECKING:
    from .array import EncryptedArray

__all__ = ["apply_function", "apply_ufunc"]

Axis = int | tuple[int, ...] | None
Operand = Any


def _array_type() -> type[EncryptedArray]:
    from .array import EncryptedArray  # which imports this module for its operators

    return EncryptedArray


def _is_encrypted(x: object) -> bool:
    return isinstance(x, _array_type())


def _made(
    like: EncryptedArray, shape: tuple[int, ...], packed: Packed[Any], interval: ranges.Interval | None
) -> EncryptedArray:
    return _array_type()(like._session, shape, packed, interval)


def _in_range(like: EncryptedArray, interval: ranges.Interval | None, what: str) -> ranges.Interval | None:
    return ranges.checked(interval, like._session.keys.context.plain_modulus, what) if interval else None


def _broadcast_shape(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(left, right)
    except ValueError:
        raise InvalidArgument(
            f"shapes {left} and {right} do not broadcast", "give equal axes, or ones of length 1"
        ) from None


def _together(a: EncryptedArray, b: EncryptedArray) -> tuple[EncryptedArray, EncryptedArray]:
    """The two under one key set: an array that came without keys takes those of the other."""
    if a._session.matches(b._session):
        return a, b
    if a.device == b.device and a._session.keys.context == b._session.keys.context:
        if b._session.keys.is_empty:
            return a, b.with_keys(a._session.keys)
        if a._session.keys.is_empty:
            return a.with_keys(b._session.keys), b
    raise ParametersMismatch(
        "the two arrays are of different contexts, keys or devices",
        "encrypt both under one key set, and bring them to one device with .to(device)",
    )


def _target(a: EncryptedArray, b: EncryptedArray, shape: tuple[int, ...]) -> Layout:
    """The layout of an operand that has the shape already (the one without copies first), else a fresh one."""
    fitting = [x for x in (a, b) if x.shape == shape]
    fitting.sort(key=lambda x: x._packed.rest is Rest.ROWS)
    return fitting[0]._packed.layout if fitting else Layout.of_shape(shape, a._packed.layout.slots)


def _with_encrypted(verb: str, a: EncryptedArray, b: EncryptedArray) -> EncryptedArray:
    same = a is b
    a, b = _together(a, b)
    shape = _broadcast_shape(a.shape, b.shape)
    interval = _in_range(a, _interval_of(verb, a._interval, b._interval), verb)
    tables, target = a._session.tables, _target(a, b, shape)
    left = tables.broadcast(a._packed, a.shape, shape, target)
    right = left if same else tables.broadcast(b._packed, b.shape, shape, target)
    return _made(a, shape, tables.binary(getattr(tables.on, verb), left, right, product=verb == "multiply"), interval)


def _interval_of(verb: str, a: ranges.Interval | None, b: ranges.Interval | None) -> ranges.Interval | None:
    if verb == "multiply":
        return ranges.multiplied(a, b)
    return ranges.added(a, ranges.multiplied(b, (-1, -1)) if verb == "subtract" else b)


def _with_plain(verb: str, a: EncryptedArray, values: NDArray[Any]) -> EncryptedArray:
    """verb: add or multiply."""
    tables = a._session.tables
    interval = _in_range(a, _interval_of(verb, a._interval, ranges.of_values(values)), verb) if a._interval else None
    if verb == "multiply" and values.ndim == 0:
        number = values.item()
        scaled = tables.unary(lambda block: tables.on.multiply_number(block, number), a._packed)
        return _made(a, a.shape, scaled, interval)
    shape = _broadcast_shape(a.shape, values.shape)
    target = a._packed.layout if shape == a.shape else Layout.of_shape(shape, a._packed.layout.slots)
    packed = tables.broadcast(a._packed, a.shape, shape, target)
    full = np.broadcast_to(values, shape)
    run = tables.on.add_plain if verb == "add" else tables.on.multiply_plain
    return _made(a, shape, tables.with_plain(run, packed, full, product=verb == "multiply"), interval)


def _checked(a: EncryptedArray, other: Operand) -> NDArray[Any]:
    return a._session.plain(other)


def _add(a: Operand, b: Operand) -> EncryptedArray:
    if _is_encrypted(a) and _is_encrypted(b):
        return _with_encrypted("add", a, b)
    return _with_plain("add", a, _checked(a, b)) if _is_encrypted(a) else _with_plain("add", b, _checked(b, a))


def _subtract(a: Operand, b: Operand) -> EncryptedArray:
    if _is_encrypted(a) and _is_encrypted(b):
        return _with_encrypted("subtract", a, b)
    return (
        _with_plain("add", a, -_checked(a, b)) if _is_encrypted(a) else _with_plain("add", _negative(b), _checked(b, a))
    )


def _multiply(a: Operand, b: Operand) -> EncryptedArray:
    if _is_encrypted(a) and _is_encrypted(b):
        return _with_encrypted("multiply", a, b)
    return (
        _with_plain("multiply", a, _checked(a, b)) if _is_encrypted(a) else _with_plain("multiply", b, _checked(b, a))
    )


def _divide(a: Operand, b: Operand) -> EncryptedArray:
    if _is_encrypted(b):
        raise Unsupported(
            "dividing by an encrypted array is not possible", "multiply by an approximation of its inverse"
        )
    if a._session.on.exact:
        raise Unsupported("quotients of integers are not integers", "decrypt first, then divide")
    divisor = _checked(a, b)
    if not np.all(divisor):
        raise InvalidArgument("the divisor holds a zero", "divide by numbers other than zero")
    return _with_plain("multiply", a, 1 / divisor)


def _negative(a: EncryptedArray) -> EncryptedArray:
    tables = a._session.tables
    interval = ranges.multiplied(a._interval, (-1, -1))
    return _made(a, a.shape, tables.unary(tables.on.negate, a._packed), interval)


def _square(a: EncryptedArray) -> EncryptedArray:
    return _power(a, 2)


def _power(a: Operand, exponent: Operand) -> EncryptedArray:
    if _is_encrypted(exponent):
        raise Unsupported("an encrypted exponent is not possible", "give the exponent as an int")
    power = _exponent(exponent)
    if power == 1:
        return a
    tables = a._session.tables
    require_levels(tables.on, (power - 1).bit_length())
    interval = _in_range(a, ranges.powered(a._interval, power), "power")
    return _made(a, a.shape, tables.unary(lambda block: tables.on.power(block, power), a._packed), interval)


def _exponent(exponent: Operand) -> int:
    whole = (
        not isinstance(exponent, (list, tuple)) and np.ndim(exponent) == 0 and np.asarray(exponent).dtype.kind in "iuf"
    )
    if not whole or not np.isfinite(exponent) or exponent != int(exponent) or exponent < 1:
        raise InvalidArgument(f"the exponent is {exponent!r}", "give one whole number, 1 or more")
    return int(exponent)


def sum_of(a: EncryptedArray, axis: Axis = None, keepdims: bool = False) -> EncryptedArray:
    axes = _axes(a, axis)
    kept = tuple(1 if i in axes else n for i, n in enumerate(a.shape))
    shape = kept if keepdims else tuple(n for i, n in enumerate(a.shape) if i not in axes)
    layout, tables = a._packed.layout, a._session.tables
    interval = _in_range(a, ranges.summed(a._interval, math.prod(a.shape[i] for i in axes)), "sum")
    if all(a.shape[i] == 1 for i in axes):
        return _made(a, shape, a._packed, interval)
    if len(axes) == a.ndim:
        return _made(a, shape, tables.total(a._packed), interval)
    if layout.cols == a.shape[-1] and layout.rows * layout.cols == layout.size:
        if axes == (a.ndim - 1,):
            return _made(a, shape, tables.sum_columns(a._packed), interval)
        if axes == tuple(range(a.ndim - 1)):
            return _made(a, shape, tables.sum_rows(a._packed), interval)
    return _sum_by_parts(a, axes, shape)


def _sum_by_parts(a: EncryptedArray, axes: tuple[int, ...], shape: tuple[int, ...]) -> EncryptedArray:
    """The parts along the axes are moved onto each other and added: one level, a rotation or more for each part."""
    others = tuple(i for i in range(a.ndim) if i not in axes)
    index = np.arange(a.size).reshape(a.shape).transpose(axes + others)
    parts = index.reshape((-1, *(a.shape[i] for i in others)))
    if len(parts) > _MOST_PARTS:
        raise Unsupported(
            f"summing axis {axes} of shape {a.shape} would move {len(parts)} parts",
            "encrypt the array with this axis last or first: those are summed by a few rotations",
        )
    tables = a._session.tables
    target = Layout.of_shape(parts.shape[1:], a._packed.layout.slots)
    moved = [_made(a, shape, tables.gather(a._packed, target, part), a._interval) for part in parts]
    result = moved[0]
    for part in moved[1:]:
        result = _add(result, part)
    return result


_MOST_PARTS = 256


def mean_of(a: EncryptedArray, axis: Axis = None, keepdims: bool = False) -> EncryptedArray:
    if a._session.on.exact:
        raise Unsupported("means of integers are not integers", "sum, decrypt, then divide by the count")
    count = math.prod(a.shape[i] for i in _axes(a, axis))
    return _multiply(sum_of(a, axis, keepdims), 1 / count)


def roll_of(a: EncryptedArray, shift: Any, axis: Any = None) -> EncryptedArray:
    try:
        element = np.roll(np.arange(a.size).reshape(a.shape), shift, axis)
    except (TypeError, ValueError) as error:
        raise InvalidArgument(
            f"roll by {shift!r} along {axis!r}: {error}", "give shift and axis as numpy.roll has them"
        ) from None
    return _made(a, a.shape, a._session.tables.gather(a._packed, a._packed.layout, element), a._interval)


def reshape_of(a: EncryptedArray, shape: Any) -> EncryptedArray:
    try:
        target = np.empty(a.shape, np.bool_).reshape(shape).shape
    except (ValueError, TypeError) as error:
        raise InvalidArgument(
            f"shape {a.shape} cannot become {shape}: {error}", "keep the number of elements"
        ) from None
    return _made(a, target, a._packed, a._interval)


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
    return _made(a, element.shape, a._session.tables.gather(a._packed, layout, element), a._interval)


def dot_of(a: Operand, b: Operand) -> EncryptedArray:
    """numpy.dot of what has one axis; else a matrix product."""
    a, b = _operands(a, b)
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return _multiply(a, b)
    return _matmul(a, b)


def _operands(a: Operand, b: Operand) -> tuple[Operand, Operand]:
    """Plain operands as checked arrays."""
    if not _is_encrypted(a):
        return _checked(b, a), b
    return a, b if _is_encrypted(b) else _checked(a, b)


def _matmul(a: Operand, b: Operand) -> EncryptedArray:
    a, b = _operands(a, b)
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        raise InvalidArgument("a matrix product needs axes", "multiply by a number with *")
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        if np.shape(a) != np.shape(b):
            raise InvalidArgument(
                f"shapes {np.shape(a)} and {np.shape(b)} have no product", "give vectors of one length"
            )
        return sum_of(_multiply(a, b))
    if not _is_encrypted(a):
        return _plain_times(a, b)
    if _is_encrypted(b):
        raise Unsupported(
            f"a product of encrypted {a.shape} and {b.shape} is not offered", "one operand may have one axis"
        )
    matrix = _checked(a, b)
    if matrix.ndim > 2 or a.shape[-1] != matrix.shape[0]:
        raise InvalidArgument(f"shapes {a.shape} and {matrix.shape} have no product", "the last axis meets the first")
    columns = matrix.reshape(matrix.shape[0], -1)
    shape = a.shape[:-1] + matrix.shape[1:]
    if a._packed.layout.cols != a.shape[-1]:
        raise Unsupported(
            f"rows of {a.shape[-1]} do not fit one ciphertext", "cut the array into narrower ones and add"
        )
    interval = _in_range(a, _interval_of_product(a, columns), "matmul")
    return _made(a, shape, a._session.tables.matrix_product(a._packed, columns), interval)


def _interval_of_product(a: EncryptedArray, columns: NDArray[Any]) -> ranges.Interval | None:
    if a._interval is None:
        return None
    low, high = a._interval
    columns = columns.astype(object)  # exact, however large
    positive, negative = np.maximum(columns, 0), np.minimum(columns, 0)
    least, most = positive * low + negative * high, positive * high + negative * low
    return int(least.sum(axis=0).min()), int(most.sum(axis=0).max())


def _plain_times(matrix: Operand, b: EncryptedArray) -> EncryptedArray:
    if b.ndim == 1:
        return _matmul(b, _checked(b, matrix).T)
    raise Unsupported(
        f"a plain matrix to the left of shape {b.shape} is not offered", "encrypt the transposed array: (x.T @ A.T).T"
    )


def _axes(a: EncryptedArray, axis: Axis) -> tuple[int, ...]:
    given = tuple(range(a.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = []
    for i in given:
        if isinstance(i, bool) or not isinstance(i, (int, np.integer)):
            raise InvalidArgument(f"axis {axis!r}", "give an int or a tuple of ints")
        if not -a.ndim <= i < a.ndim:
            raise InvalidArgument(f"axis {i} of an array with {a.ndim} axes", f"axes are {-a.ndim} .. {a.ndim - 1}")
        axes.append(i % a.ndim)
    if len(set(axes)) != len(axes):
        raise InvalidArgument(f"axis {axis} names one axis twice", "name each once")
    return tuple(sorted(axes))


UFUNCS: dict[np.ufunc, Callable[..., EncryptedArray]] = {
    np.add: _add,
    np.subtract: _subtract,
    np.multiply: _multiply,
    np.true_divide: _divide,
    np.negative: _negative,
    np.positive: lambda a: a,
    np.power: _power,
    np.float_power: _power,
    np.square: _square,
    np.matmul: _matmul,
}

FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: lambda a, axis=None, keepdims=False: sum_of(a, axis, keepdims),
    np.mean: lambda a, axis=None, keepdims=False: mean_of(a, axis, keepdims),
    np.dot: dot_of,
    np.roll: roll_of,
    np.reshape: reshape_of,
    np.ravel: lambda a: reshape_of(a, (-1,)),
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a: a.size,
    operator.getitem: take,
}


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> EncryptedArray:
    verb = UFUNCS.get(ufunc)
    if verb is None or method != "__call__":
        name = ufunc.__name__ + ("" if method == "__call__" else "." + method)
        known = ", ".join(sorted({known.__name__ for known in UFUNCS}))
        raise Unsupported(
            f"numpy.{name} cannot work on encrypted values", f"what can: {known}; approximate it by a polynomial"
        )
    if any(value is not None for value in options.values()):
        raise Unsupported(
            f"numpy.{ufunc.__name__} with {', '.join(options)} on encrypted values", "leave the options out"
        )
    result = verb(*inputs)
    shadow.check(result, ufunc, ufunc.__name__, inputs, {})
    return result


def apply_function(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    verb = FUNCTIONS.get(function)
    if verb is None:
        known = ", ".join(sorted(known.__name__ for known in FUNCTIONS if known is not operator.getitem))
        raise Unsupported(f"numpy.{function.__name__} does not work on encrypted arrays", f"what does: {known}")
    try:
        bound = inspect.signature(verb).bind(*args, **options)
    except TypeError as error:
        raise Unsupported(
            f"numpy.{function.__name__} on encrypted arrays: {error}", "leave the other options out"
        ) from None
    result = verb(*bound.args, **bound.kwargs)
    if isinstance(result, _array_type()):
        shadow.check(result, function, function.__name__, args, options)
    return result
