# SPDX-License-Identifier: Apache-2.0
"""NumPy functions that are composed of a few simpler operations. Examples are variances, weighted means, running sums,
and selections by a mask in the clear.

A function takes the time and the levels of its operations. Levels and slots are explained in array/array.py.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core import ckks
from ...errors import InvalidArgument, Unsupported
from ...values import is_masked, kind_of
from ..array.array import EncryptedArray
from .approximate import evaluated
from .elementwise import add, conjugate, multiply, power, subtract
from .operands import Axis, Operand, axes_of, axis_of, both, broadcast_shape, is_encrypted
from .products import dot_of, matmul
from .rearrange import reshape_of, take
from .reductions import mean_of, sum_of

__all__ = [
    "average_of",
    "cumsum_of",
    "diff_of",
    "ediff1d_of",
    "outer_of",
    "polyval_of",
    "trace_of",
    "var_of",
    "vdot_of",
    "where_of",
]

_MOST_RUNNING = 2048


def outer_of(a: Operand, b: Operand) -> EncryptedArray:
    a, b = both(a, b)
    return multiply(_reshaped(a, (-1, 1)), _reshaped(b, (1, -1)))


def vdot_of(a: Operand, b: Operand) -> EncryptedArray:
    a, b = both(a, b)
    first = conjugate(a) if is_encrypted(a) else np.conjugate(a)
    return dot_of(_reshaped(first, (-1,)), _reshaped(b, (-1,)))


def _reshaped(a: Operand, shape: tuple[int, ...]) -> Operand:
    return reshape_of(a, shape) if is_encrypted(a) else np.reshape(a, shape)


def var_of(a: EncryptedArray, axis: Axis = None, ddof: float = 0, keepdims: bool = False) -> EncryptedArray:
    """Computes a variance as the sum of scaled squares minus the square of the scaled sum. Takes two levels more than a
    sum along the same axes."""
    if a._session.on.exact:
        raise Unsupported(
            "variances of integers are not integers", "decrypt x.sum() and (x * x).sum(), then compute them"
        )
    if isinstance(ddof, bool) or not isinstance(ddof, (int, float, np.integer, np.floating)):
        raise InvalidArgument(f"ddof is {kind_of(ddof)}", "give a number")
    count = math.prod(a.shape[i] for i in axes_of(a, axis))
    if not count - ddof > 0:
        raise InvalidArgument(
            f"a variance of {count} values with ddof={ddof} divides by {count - ddof}",
            "give more values, or a smaller ddof",
        )
    share = multiply(a, 1 / math.sqrt(count - ddof))
    total = multiply(sum_of(a, axis, keepdims), 1 / math.sqrt(count * (count - ddof)))
    return subtract(sum_of(multiply(share, conjugate(share)), axis, keepdims), multiply(total, conjugate(total)))


def average_of(a: EncryptedArray, axis: Axis = None, weights: Operand = None) -> EncryptedArray:
    """Returns the weighted mean. weights: an array in the clear, of the shape of ``a``, or a vector with a weight for
    each index of one axis."""
    if weights is None:
        return mean_of(a, axis)
    if not is_encrypted(a) or a._session.on.exact or is_encrypted(weights):
        raise Unsupported(
            "averages of integers, or with encrypted weights, are not offered",
            "decrypt (x * weights).sum() and the sum of the weights, then divide",
        )
    weights, axes = a._session.plain(weights), axes_of(a, axis)
    if weights.shape != a.shape:
        if weights.ndim != 1 or len(axes) != 1 or weights.size != a.shape[axes[0]]:
            raise InvalidArgument(
                f"weights of shape {weights.shape} do not fit axis {axis} of shape {a.shape}",
                "give one weight for each element, or for each index of one axis",
            )
        weights = weights.reshape([-1 if i == axes[0] else 1 for i in range(a.ndim)])
    whole = np.broadcast_to(weights, a.shape).sum(axis=axis, keepdims=True)
    if not np.all(whole):
        raise InvalidArgument("the weights sum to zero", "give weights with another sum")
    return sum_of(multiply(a, weights / whole), axis)


def where_of(condition: Any, a: Operand, b: Operand) -> EncryptedArray:
    """Returns elements of ``a`` where ``condition`` is true, and elements of ``b`` where it is false. condition: a mask
    in the clear."""
    if is_encrypted(condition):
        raise Unsupported("an encrypted condition has no truth value", "give a plain mask of booleans")
    if is_masked(condition):
        raise InvalidArgument("the condition has masked values", "fill them: condition.filled(False)")
    mask = np.asarray(condition, bool)
    a, b = both(a, b)
    broadcast_shape(mask.shape, broadcast_shape(np.shape(a), np.shape(b)))
    chosen, other = mask.astype(np.int64), (~mask).astype(np.int64)
    if is_encrypted(a):
        return add(multiply(a, chosen), multiply(b, other) if is_encrypted(b) else b * other)
    return add(multiply(b, other), a * chosen)


def diff_of(a: EncryptedArray, n: int = 1, axis: int = -1) -> EncryptedArray:
    along = axis_of(a, axis)
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 0 <= n < a.shape[along]:
        raise InvalidArgument(
            f"numpy.diff was given an n that does not fit an axis of {a.shape[along]} elements",
            f"give n in 0 .. {a.shape[along] - 1}",
        )
    later, earlier = [slice(None)] * a.ndim, [slice(None)] * a.ndim
    later[along], earlier[along] = slice(1, None), slice(None, -1)
    for _ in range(int(n)):
        a = subtract(take(a, tuple(later)), take(a, tuple(earlier)))
    return a


def cumsum_of(a: EncryptedArray, axis: int | None = None) -> EncryptedArray:
    """Computes running sums as a product with a triangular matrix of ones. Takes one level. Takes a second level if
    elements must first move to one row.

    Errors: Unsupported (the axis is not one of the last two, or has more than _MOST_RUNNING elements: for n elements,
    the matrix has n^2 entries).
    """
    if axis is None:
        a, axis = reshape_of(a, (-1,)), -1
    along = axis_of(a, axis)
    if a.shape[along] > _MOST_RUNNING:
        raise Unsupported(
            f"numpy.cumsum was given an axis of {a.shape[along]} elements, but the limit is {_MOST_RUNNING}",
            "reshape the array to shorter rows, and add the sums of the rows before",
        )
    triangle = np.triu(np.ones((a.shape[along],) * 2, np.int64))
    if along == a.ndim - 2:
        return matmul(triangle.T, a)
    if along == a.ndim - 1:
        return matmul(a, triangle)
    raise Unsupported(f"numpy.cumsum does not work along axis {axis} of {a.ndim} axes", "use one of the last two axes")


def ediff1d_of(ary: EncryptedArray) -> EncryptedArray:
    return diff_of(reshape_of(ary, (-1,)))


def trace_of(a: EncryptedArray, offset: int = 0) -> EncryptedArray:
    if a.ndim != 2:
        raise Unsupported(f"numpy.trace was given an array of shape {a.shape}", "give one matrix")
    if isinstance(offset, bool) or not isinstance(offset, (int, np.integer)):
        raise InvalidArgument(f"offset is {kind_of(offset)}", "give a whole number")
    if not -a.shape[0] < offset < a.shape[1]:
        raise InvalidArgument(
            f"no diagonal of shape {a.shape} has the offset {offset}", f"give {1 - a.shape[0]} .. {a.shape[1] - 1}"
        )
    return sum_of(multiply(a, np.eye(a.shape[0], a.shape[1], int(offset), np.int64)))


def polyval_of(p: Any, x: EncryptedArray) -> EncryptedArray:
    """Evaluates a polynomial. p: its coefficients in the clear, the coefficient of the highest power first.

    For real numbers, takes ceil(log2(degree + 1)) levels. For complex numbers and integers, takes at most one level
    more.
    """
    if is_encrypted(p) or not is_encrypted(x):
        raise Unsupported(
            "the coefficients of the polynomial are encrypted", "add up products with powers: c[0] * x**2 + c[1]"
        )
    given = np.atleast_1d(x._session.plain(p))
    if given.ndim != 1:
        raise InvalidArgument(
            f"the coefficients of the polynomial have the shape {given.shape}", "give one list of numbers"
        )
    coefficients = np.trim_zeros(given, "f")[::-1] if given.any() else given[:1]
    if x.dtype.kind == "f":
        powers = ckks.Polynomial(coefficients.tolist(), (-1.0, 1.0), powers=True)
        return evaluated(x, powers, keeps_zero=not coefficients[0])
    return _polynomial(coefficients, x)


def _polynomial(coefficients: NDArray[Any], x: EncryptedArray) -> EncryptedArray:
    powers = {1: x}

    def raised(k: int) -> EncryptedArray:
        if k not in powers:
            powers[k] = power(raised(k // 2), 2) if k % 2 == 0 else multiply(raised(k // 2), raised(k - k // 2))
        return powers[k]

    result = multiply(x, 0)
    for k in range(coefficients.size - 1, 0, -1):
        if coefficients[k]:
            result = add(result, multiply(raised(k), coefficients[k]))
    return add(result, coefficients[0])
