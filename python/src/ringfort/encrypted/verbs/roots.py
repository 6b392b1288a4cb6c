# SPDX-License-Identifier: Apache-2.0
"""Standard deviations and norms. They are square roots of values that have no known lower bound above zero.

An upper bound is known. The variance of numbers in low .. high is at most (high - low)^2 / 4 [Popoviciu35]. A squared
norm is at most magnitude^2 times the number of elements. The polynomial must approximate the square root on the whole
interval from zero to this bound.
"""

from __future__ import annotations

import math
from typing import Any

from ...errors import InvalidArgument, Unsupported
from ...values import shown
from ..array.array import EncryptedArray
from ..array.refusals import ErrorBelowNoise
from .approximate import real_array, smooth_of
from .composed import var_of
from .elementwise import multiply
from .operands import Axis, axes_of, is_encrypted
from .promises import assumed, domain_of
from .reductions import sum_of

__all__ = ["norm_of", "std_of"]

_ERROR = 1e-2


def std_of(a: EncryptedArray, axis: Axis = None, ddof: float = 0, keepdims: bool = False) -> EncryptedArray:
    """Returns standard deviations with an error of at most 0.01. Takes the levels (array/array.py) of a variance and of
    a square root."""
    variance = var_of(a, axis, ddof, keepdims)  # var_of also checks the arguments
    count = math.prod(a.shape[i] for i in axes_of(a, axis))
    low, high = domain_of(real_array("sqrt", a))
    most = ((high - low) / 2) ** 2 * count / (count - ddof)
    return _root("standard deviations", variance, most, "x.var()")


def norm_of(x: EncryptedArray, ord: Any = None, axis: Any = None, keepdims: bool = False) -> EncryptedArray:
    """Returns the Euclidean norms of vectors, or the Frobenius norms of matrices. Their error is at most 0.01."""
    if not is_encrypted(x) or x._session.on.exact:
        raise Unsupported("norms of integers are not integers", "decrypt (x * x).sum(), then take the root")
    axes = axes_of(x, tuple(axis) if isinstance(axis, list) else axis)
    if ord is not None and not (ord == "fro" and len(axes) == 2) and not (len(axes) == 1 and ord in (2, 2.0)):
        raise Unsupported(
            f"numpy.linalg.norm was given ord={shown(ord)} for {len(axes)} axes",
            "leave ord out; for other norms see ringfort.abs and ringfort.maximum",
        )
    if axis is not None and len(axes) > 2:
        raise InvalidArgument(
            f"numpy.linalg.norm was given {len(axes)} axes", "give one axis, two, or none for all elements"
        )
    real = real_array("sqrt", x)
    count = math.prod(x.shape[i] for i in axes)
    squares = sum_of(multiply(real, real), axes if axis is not None or x.ndim else None, keepdims)
    return _root("norms", squares, count * max(map(abs, domain_of(real))) ** 2, "(x * x).sum()")


def _root(what: str, squares: EncryptedArray, most: float, written: str) -> EncryptedArray:
    """Returns the square roots of numbers in 0 .. most. what, written: names of the results and of the numbers, for
    messages. Errors: Unsupported, ErrorBelowNoise."""
    known = assumed(squares, (0.0, most), False)
    instead = f"if you know bounds above zero: ringfort.sqrt({written}.assume(low=0.5, high=8), domain=(0.5, 8))"
    try:
        return smooth_of(known, "sqrt", (0.0, most), _ERROR)
    except Unsupported:
        raise Unsupported(
            f"by the array's bounds {what} may reach {math.sqrt(most):.4g}, which needs a polynomial of a degree above "
            "255",
            f"state smaller bounds, x.assume(magnitude=...); or {instead}",
        ) from None
    except ErrorBelowNoise as error:
        fix = f"make the context with more bits, Context(precision=...); or {instead}"
        raise ErrorBelowNoise(error.problem, fix) from None
