# SPDX-License-Identifier: Apache-2.0
"""Operands of operations on arrays. The functions here distinguish encrypted and plain operands, and check that two
operands fit together. A plain operand is in the clear."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidArgument, ParametersMismatch, Unsupported
from ...values import is_masked, is_plain_device, kind_of
from ..array import ranges
from ..array.array import EncryptedArray
from ..array.show import two_contexts

__all__ = [
    "Axis",
    "Operand",
    "Shape",
    "axes_in_order",
    "axes_of",
    "axis_of",
    "both",
    "broadcast_shape",
    "checked",
    "encrypted_among",
    "in_range",
    "intervals",
    "is_encrypted",
    "require_sensible",
    "require_unmasked",
    "sensible",
    "together",
]

Axis = int | tuple[int, ...] | None
Operand = Any
Shape = tuple[int, ...]
_MOST_ENLARGED = 1 << 20  # an operation on this many elements takes up to half a minute


def is_encrypted(x: object) -> bool:
    return isinstance(x, EncryptedArray)


def encrypted_among(args: Sequence[Operand]) -> list[EncryptedArray]:
    """Returns the encrypted arrays among the arguments of a call. Also searches lists and tuples."""
    arrays = [x for x in args if is_encrypted(x)]
    return arrays + [x for nested in args if isinstance(nested, (list, tuple)) for x in encrypted_among(nested)]


def checked(a: EncryptedArray, other: Operand) -> NDArray[Any]:
    """Checks a plain operand of an operation with ``a``, and converts it to the dtype of the context."""
    return a._session.plain(other)


def both(a: Operand, b: Operand) -> tuple[Operand, Operand]:
    """Returns the two operands of an operation. Checks a plain operand. Brings two encrypted operands under the same
    key set."""
    if is_encrypted(a) and is_encrypted(b):
        return together(a, b)
    return (a, checked(a, b)) if is_encrypted(a) else (checked(b, a), b)


def in_range(like: EncryptedArray, interval: ranges.Interval | None, what: str) -> ranges.Interval | None:
    return ranges.checked(interval, like._session.keys.context.plain_modulus, what) if interval else None


def intervals(a: EncryptedArray, b: EncryptedArray) -> tuple[ranges.Interval | None, ranges.Interval | None]:
    """Returns the intervals of two operands. Either both are intervals, or both are None."""
    return ranges.paired(a._interval, b._interval, a._session.keys.context.plain_modulus)


def broadcast_shape(left: Shape, right: Shape) -> Shape:
    try:
        result = np.broadcast_shapes(left, right)
    except (ValueError, RuntimeError):  # NumPy raises RuntimeError if there are too many axes
        raise InvalidArgument(
            f"shapes {left} and {right} do not broadcast", "give at most 32 axes, of equal length or of length 1"
        ) from None
    return sensible(result, left, right)


def sensible(result: Shape, left: Shape, right: Shape) -> Shape:
    """Returns the shape ``result``. Refuses a shape of many more elements than each operand has, because an operand may
    come from the file of a stranger, who chooses its shape. Errors: Unsupported.
    """
    require_sensible(f"the result of shapes {left} and {right}", math.prod(result), math.prod(left), math.prod(right))
    return result


def require_sensible(what: str, size: int, *operands: int) -> None:
    """Refuses a result of more than _MOST_ENLARGED elements, if it has more than four times as many elements as each
    operand. size: the number of elements of the result. operands: the numbers of elements of the operands. Errors:
    Unsupported."""
    limit = max(_MOST_ENLARGED, *(4 * operand for operand in operands))
    if size > limit:
        raise Unsupported(
            f"{what} would have {size:,} elements, but the limit is {limit:,}",
            "check the shapes, or work on parts of the operands",
        )


def require_unmasked(what: str, arguments: Iterable[Any]) -> None:
    """Refuses indices, counts and conditions with masked values. NumPy would use the masked values like any others.
    Errors: InvalidArgument."""
    if any(map(is_masked, arguments)):
        raise InvalidArgument(f"{what} was given masked values", "fill them: x.filled(0)")


def numpys(what: str, function: Callable[..., Any], *args: Any, **options: Any) -> NDArray[Any]:
    """Applies a NumPy function to an array that contains the numbers of elements (0, 1, 2 and so on) in place of the
    elements.

    Errors: InvalidArgument. The error repeats NumPy's message only if all arguments after the array are integers, None,
    or lists and tuples of these. With other arguments, NumPy's message could show values of the caller.
    """
    _require_no_conversion(what, function, args, options)
    try:
        element = np.asarray(function(*args, **options))
        if element.dtype != np.int64 or any(element is argument for argument in args[1:]):
            raise InvalidArgument(f"{what} converts its elements", "omit the arguments dtype= and out=")
        return element
    except InvalidArgument:  # InvalidArgument is a ValueError, too
        raise
    # AxisError is IndexError and ValueError.
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        refused = error
    told = _only_numbers(args[1:]) and _only_numbers(tuple(options.values()))
    raise InvalidArgument(
        f"{what}: {refused}" if told else f"{what} does not take these arguments",
        "give arguments that numpy's function takes",
    )


def _require_no_conversion(
    what: str, function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]
) -> None:
    """Refuses the arguments dtype and out. With dtype, NumPy would convert the numbers of elements. With out, it would
    write them to the caller's array."""
    try:
        given: dict[str, Any] = inspect.signature(function).bind(*args, **options).arguments
    except (TypeError, ValueError):  # the function refuses the argument, or has no signature
        given = options
    for name in ("dtype", "out"):
        if given.get(name) is not None:
            raise InvalidArgument(f"{what} was given {name}=", f"omit {name}=: encrypted arrays keep their dtype")


def _only_numbers(value: object) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_only_numbers, value))
    return value is None or isinstance(value, (int, np.integer))


def together(a: EncryptedArray, b: EncryptedArray) -> tuple[EncryptedArray, EncryptedArray]:
    """Returns the two arrays under one key set, and on one device. If the first array has keys, both get the key set of
    the first array. If not, both get the key set of the second array.

    Two loaded copies of a key set count as one key set. This function does not detect arrays that were encrypted under
    different secret keys. The first operation that uses both arrays detects them, and fails. If one array is on the
    CPU, the results are on the device of the other array. Errors: ParametersMismatch.
    """
    if a._session is b._session:
        return a, b
    if a._session.keys.context != b._session.keys.context:
        raise two_contexts("the two arrays", a._session.keys.context, b._session.keys.context)
    if a.device != b.device:
        device = _common_device(a, b)
        a, b = a.to(device), b.to(device)
    if a._session.keys.is_empty:
        return a.with_keys(b._session.keys), b
    return a, b.with_keys(a._session.keys)


def _common_device(a: EncryptedArray, b: EncryptedArray) -> str:
    """Returns the device for an operation on arrays of two devices. Exactly one of the devices must be the CPU or
    ``ref``, the plain device with which tests compare all others. The other device runs the operation. Errors:
    ParametersMismatch."""
    others = [device for device in (a.device, b.device) if not is_plain_device(device)]
    if len(others) != 1:
        raise ParametersMismatch(
            f"the two arrays are on the devices {a.device} and {b.device}", f"bring them to one: x.to({a.device!r})"
        )
    return others[0]


def axes_of(a: EncryptedArray, axis: Axis) -> tuple[int, ...]:
    """Returns the numbers of the axes, sorted. Numbers begin at 0. None means all axes. Errors: InvalidArgument."""
    return tuple(sorted(axes_in_order(a, axis)))


def axis_of(a: EncryptedArray, axis: Axis) -> int:
    """Returns the number of one axis. Errors: InvalidArgument."""
    if isinstance(axis, tuple) or axis is None:
        raise InvalidArgument(f"axis is {kind_of(axis)}", "give an int")
    return axes_in_order(a, axis)[0]


def axes_in_order(a: EncryptedArray, axis: Axis) -> tuple[int, ...]:
    """Returns the numbers of the axes in the caller's order. Numbers begin at 0. None means all axes. Errors:
    InvalidArgument."""
    given = tuple(range(a.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = []
    for i in given:
        if isinstance(i, bool) or not isinstance(i, (int, np.integer)):
            raise InvalidArgument(f"axis is {kind_of(axis)}", "give an int or a tuple of ints")
        if not -a.ndim <= i < a.ndim:
            raise InvalidArgument(
                f"there is no axis {i} in an array with {a.ndim} axes",
                f"give one of {-a.ndim} .. {a.ndim - 1}" if a.ndim else "leave it out: the array is one number",
            )
        axes.append(int(i) % a.ndim)
    if len(set(axes)) != len(axes):
        raise InvalidArgument(f"axis {axis} contains one axis twice", "give each axis once")
    return tuple(axes)
