# SPDX-License-Identifier: Apache-2.0
"""NumPy functions along an axis: convolutions, gradients, integrals and cross products.

A linear function of one vector is computed as a product with a matrix in the clear. Row i of the matrix is the
function's value for the unit vector i. Only nonzero diagonals of the matrix take time. Convolutions of two encrypted
vectors and cross products have no such matrix. Levels are explained in array/array.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidArgument, Unsupported
from ...values import numbers_of, shown
from ..array.array import EncryptedArray
from .elementwise import multiply, subtract
from .operands import Operand, axes_in_order, axis_of, both, is_encrypted
from .products import matmul
from .rearrange import gathered, take

__all__ = ["convolve_of", "correlate_of", "cross_of", "gradient_of", "trapezoid_of"]

_MOST = 2048  # largest number of elements of a vector; a matrix then has fewer than 2 * _MOST**2 entries


def _require_vectors(what: str, a: Operand, b: Operand) -> None:
    if np.ndim(a) != 1 or np.ndim(b) != 1:
        raise InvalidArgument(f"{what} was given arrays of shapes {np.shape(a)} and {np.shape(b)}", "give two vectors")
    longest = max(np.size(a), np.size(b))
    if longest > _MOST:
        raise Unsupported(
            f"{what} was given {longest} elements, but the limit is {_MOST}", "work on overlapping pieces"
        )


def _require_mode(what: str, mode: Any) -> None:
    if not isinstance(mode, str) or mode not in ("full", "same", "valid"):
        raise InvalidArgument(f"{what} was given mode={shown(mode)}", 'give "full", "same" or "valid"')


def _linear(x: EncryptedArray, function: Callable[[NDArray[Any]], NDArray[Any]]) -> EncryptedArray:
    """Applies a linear function to an encrypted vector."""
    return matmul(x, np.stack([function(unit) for unit in np.eye(x.size, dtype=x._session.on.dtype)]))


def convolve_of(a: Operand, v: Operand, mode: Any = "full") -> EncryptedArray:
    """Computes numpy.convolve. Takes one level if one of the vectors is plain. If both are encrypted, takes a move of
    the longer vector and a product."""
    a, v = both(a, v)
    _require_vectors("numpy.convolve", a, v)
    _require_mode("numpy.convolve", mode)
    if not is_encrypted(a) or not is_encrypted(v):
        x, kernel = (a, v) if is_encrypted(a) else (v, a)
        return _linear(x, lambda unit: np.convolve(unit, kernel, mode))
    n, m = max(a.size, v.size), min(a.size, v.size)
    long, short = (a, v) if a.size == n else (v, a)
    first, count = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (m - 1, n - m + 1)}[mode]
    element = first + np.arange(count)[:, None] - np.arange(m)
    return matmul(gathered(long, np.where((element >= 0) & (element < n), element, -1), "numpy.convolve"), short)


def correlate_of(a: Operand, v: Operand, mode: Any = "valid") -> EncryptedArray:
    """Computes numpy.correlate with a plain second vector. Takes one level."""
    a, v = both(a, v)
    _require_vectors("numpy.correlate", a, v)
    _require_mode("numpy.correlate", mode)
    if is_encrypted(v):
        raise Unsupported(
            "numpy.correlate does not take an encrypted second vector", "use numpy.convolve(a, v[::-1].conj(), mode)"
        )
    return _linear(a, lambda unit: np.correlate(unit, v, mode))


def _along(a: EncryptedArray, matrix: NDArray[Any], axis: int) -> EncryptedArray:
    """Multiplies vectors along one of the last two axes by a matrix. Errors: Unsupported (another axis)."""
    if axis == a.ndim - 1:
        return matmul(a, matrix)
    if axis == a.ndim - 2:
        return matmul(matrix.T, a)
    raise Unsupported(f"this function does not work along axis {axis} of {a.ndim} axes", "use one of the last two axes")


def _plain(name: str, values: Any) -> NDArray[Any]:
    """Checks plain distances or positions, and returns them as an array of their own dtype. Errors: InvalidArgument (a
    value is not finite, or is masked)."""
    numbers_of(name, values)
    return np.asarray(values)


def gradient_of(f: EncryptedArray, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Computes numpy.gradient: weighted differences of neighbouring elements. spacing: the distances of the elements,
    in the clear. Takes one level."""
    if not is_encrypted(f) or any(map(is_encrypted, spacing)):
        raise Unsupported("numpy.gradient does not take encrypted distances", "give plain distances")
    if f._session.on.exact:
        raise Unsupported("gradients of integers are not integers", "use numpy.diff, decrypt, then divide")
    axes, many = axes_in_order(f, axis), axis is None or isinstance(axis, tuple)
    if not axes or len(spacing) not in (0, 1, len(axes)) or max(f.shape[i] for i in axes) > _MOST:
        raise InvalidArgument(
            f"numpy.gradient was given {len(spacing)} distances for {len(axes)} axes of an array of shape {f.shape}",
            f"give none, one, or one for each axis; axes have at most {_MOST} elements",
        )
    each = [_plain("a distance", distance) for distance in spacing]
    if len(each) < len(axes) and any(distance.ndim for distance in each):
        raise InvalidArgument(
            "numpy.gradient was given one array of places for several axes", "give one array for each axis"
        )
    each *= len(axes) // max(1, len(each))
    results = []
    for number, along in enumerate(axes):
        distance = tuple(each[number : number + 1])
        unit = np.eye(f.shape[along])
        try:
            matrix = np.gradient(unit, *distance, axis=1, edge_order=edge_order)  # type: ignore[call-overload]
        except (IndexError, TypeError, ValueError):
            raise InvalidArgument(
                f"numpy.gradient does not take these arguments for an axis of {f.shape[along]} elements",
                "give arguments that numpy's function takes",
            ) from None
        results.append(_along(f, matrix, along))
    if not many or len(results) == 1:
        return results[0]
    return tuple(results) if isinstance(np.gradient(np.eye(2)), tuple) else results


def trapezoid_of(y: EncryptedArray, x: Any = None, dx: float = 1.0, axis: int = -1) -> EncryptedArray:
    """Computes numpy.trapezoid: an integral by the trapezoid rule. x: the positions of the elements, in the clear.
    Takes one level."""
    if not is_encrypted(y) or is_encrypted(x) or is_encrypted(dx):
        raise Unsupported(
            "an integral over encrypted places is not possible", "give plain places x, or a plain distance dx"
        )
    if y._session.on.exact:
        raise Unsupported("integrals of integers are not integers", "sum, decrypt, then divide")
    along = axis_of(y, axis)
    positions = None if x is None else _plain("x", x)
    distance = np.asarray(1.0) if x is not None else _plain("dx", dx)  # dx has no meaning if x is given
    if distance.ndim:
        raise InvalidArgument("dx is an array", "give one number, or places: x=np.cumsum([0, *dx])")
    if (positions is not None and positions.shape != (y.shape[along],)) or y.shape[along] > _MOST:
        raise InvalidArgument(
            f"the axis of the integral has {y.shape[along]} elements",
            f"give a vector of places of the same length, at most {_MOST}",
        )
    steps = np.full(y.shape[along] - 1, float(distance)) if positions is None else np.diff(positions).astype(np.float64)
    weights = (np.append(steps, 0) + np.insert(steps, 0, 0)) / 2
    return _along(y, weights[:, None], along).reshape(y.shape[:along] + y.shape[along + 1 :])


def cross_of(a: Operand, b: Operand) -> EncryptedArray:
    """Computes cross products of vectors of three elements along the last axis."""
    a, b = both(a, b)
    if np.ndim(a) == 0 or np.ndim(b) == 0 or np.shape(a)[-1] != 3 or np.shape(b)[-1] != 3:
        raise InvalidArgument(
            f"numpy.cross was given arrays of shapes {np.shape(a)} and {np.shape(b)}", "give a last axis of length 3"
        )

    def permuted(x: Operand, by: list[int]) -> Operand:
        return take(x, (..., by)) if is_encrypted(x) else x[..., by]

    one, two = [1, 2, 0], [2, 0, 1]
    return subtract(multiply(permuted(a, one), permuted(b, two)), multiply(permuted(a, two), permuted(b, one)))
