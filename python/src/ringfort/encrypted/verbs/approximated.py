# SPDX-License-Identifier: Apache-2.0
"""Functions of encrypted real numbers: ``ringfort.sigmoid(x, domain=(-8, 8), error=1e-3)`` and others.

``domain`` is an interval that contains all values. The bounds of the array must guarantee this: see ``x.assume``.
``error`` is a bound on the error of the decrypted results. It includes rounding and noise, the error that encryption
and operations add. A *level* is the part of an array's ``depth_left`` that a product takes.

These functions can raise the following errors: InvalidArgument (the argument is not an encrypted array, or its bounds
do not guarantee the domain), Unsupported (integers, complex numbers, or no polynomial of a degree up to 255 meets
``error``), NoiseBoundExceeded (with noise, an error may exceed ``error``), DepthExhausted, KeyMissing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from ...functions import FUNCTIONS
from ...functions.table import sigmoid as plain_sigmoid
from ...values import positive
from ..array.array import EncryptedArray
from . import labels, shadow
from .approximate import (
    absolute_of,
    compare_of,
    maximum_of,
    minimum_of,
    polynomial_of,
    relu_of,
    sign_of,
    smooth_of,
    steps_for,
)
from .functions import done
from .of_rows import argmax_of, indicator_for, softmax_of
from .operands import Operand

__all__ = [
    "abs",
    "argmax",
    "compare",
    "exp",
    "inverse",
    "inverse_sqrt",
    "log",
    "maximum",
    "minimum",
    "polynomial",
    "relu",
    "sigmoid",
    "sign",
    "softmax",
    "sqrt",
    "tanh",
]

Domain = tuple[float, float]


def _apply(
    name: str, verb: Callable[..., EncryptedArray], args: tuple[Any, ...], plain: Callable[..., Any], operands: int = 1
) -> EncryptedArray:
    result = done(f"ringfort.{name}", verb, args, {})
    shadow.check(result, plain, name, args[:operands], {})
    named: EncryptedArray = labels.with_labels(result, labels.BY_ELEMENT, args[:operands], {})
    return named


def _smooth(name: str, x: EncryptedArray, domain: Domain, error: float) -> EncryptedArray:
    return _apply(name, smooth_of, (x, name, domain, error), FUNCTIONS[name].values)


def sigmoid(x: EncryptedArray, domain: Domain = (-8.0, 8.0), error: float = 1e-3) -> EncryptedArray:
    """Returns 1 / (1 + exp(-x))."""
    return _apply("sigmoid", smooth_of, (x, "sigmoid", domain, error), plain_sigmoid)


def tanh(x: EncryptedArray, domain: Domain = (-8.0, 8.0), error: float = 1e-3) -> EncryptedArray:
    """Returns hyperbolic tangents."""
    return _smooth("tanh", x, domain, error)


def exp(x: EncryptedArray, domain: Domain = (-4.0, 4.0), error: float = 1e-3) -> EncryptedArray:
    """Returns e^x. The error is absolute. Results may be as large as e^high. The context must allow values of this
    size: Context(magnitude=...)."""
    return _smooth("exp", x, domain, error)


def log(x: EncryptedArray, domain: Domain = (0.5, 8.0), error: float = 1e-3) -> EncryptedArray:
    """Returns natural logarithms. The domain must be above zero. For example, x.assume(low=0.5, high=8) promises that
    values are in the default domain."""
    return _smooth("log", x, domain, error)


def sqrt(x: EncryptedArray, domain: Domain = (0.5, 8.0), error: float = 1e-3) -> EncryptedArray:
    """Returns square roots. The domain may begin at zero. For example, x.assume(low=0, high=8) promises that values are
    in the domain 0 .. 8."""
    return _smooth("sqrt", x, domain, error)


def inverse(x: EncryptedArray, domain: Domain = (0.5, 8.0), error: float = 1e-3) -> EncryptedArray:
    """Returns 1 / x. The domain must be above zero. For example, x.assume(low=0.5, high=8) promises that values are in
    the default domain."""
    return _smooth("inverse", x, domain, error)


def inverse_sqrt(x: EncryptedArray, domain: Domain = (0.5, 8.0), error: float = 1e-3) -> EncryptedArray:
    """Returns 1 / sqrt(x). The domain must be above zero. For example, x.assume(low=0.5, high=8) promises that values
    are in the default domain."""
    return _smooth("inverse_sqrt", x, domain, error)


def sign(
    x: EncryptedArray, domain: Domain = (-1.0, 1.0), error: float = 1e-2, gap: float | None = None
) -> EncryptedArray:
    """Returns the sign of x, -1 or 1, where |x| >= gap. Returns a value between -1 and 1 where |x| < gap.

    gap: None means 1/32 of the larger of -low and high, the ends of the domain. A smaller gap takes more levels.
    """
    half = _end(domain)

    def plain(values: Any) -> Any:
        return steps_for("sign", half, positive("error", error, 100), gap).values(np.asarray(values) / half)

    return _apply("sign", sign_of, (x, domain, error, gap), plain)


def compare(
    x: Operand, y: Operand, domain: Domain = (-1.0, 1.0), error: float = 1e-2, gap: float | None = None
) -> EncryptedArray:
    """Returns 1 where x - y >= gap, and 0 where y - x >= gap. Returns a value between 0 and 1 where the difference is
    smaller.

    domain: an interval that contains x - y. gap: as for ``sign``.
    """
    half = _end(domain)

    def plain(a: Any, b: Any) -> Any:
        found = steps_for("compare", half, positive("error", error, 100), gap)
        return 0.5 + 0.5 * found.values((np.asarray(a) - b) / half)

    return _apply("compare", compare_of, (x, y, domain, error, gap), plain, operands=2)


def _end(domain: Any) -> float:
    """Returns the larger of -low and high. Does not check the domain, because ``sign_of`` and ``compare_of`` check
    it."""
    try:
        return float(max(-domain[0], domain[1]))
    except (TypeError, ValueError, IndexError, KeyError, OverflowError):
        return 1.0


def relu(x: EncryptedArray, domain: Domain = (-1.0, 1.0), error: float = 1e-2) -> EncryptedArray:
    """Returns max(x, 0)."""
    return _apply("relu", relu_of, (x, domain, error), lambda values: np.maximum(values, 0))


def abs(x: EncryptedArray, domain: Domain = (-1.0, 1.0), error: float = 1e-2) -> EncryptedArray:
    """Returns |x|."""
    return _apply("abs", absolute_of, (x, domain, error), np.absolute)


def maximum(x: Operand, y: Operand, domain: Domain = (-1.0, 1.0), error: float = 1e-2) -> EncryptedArray:
    """Returns the larger of two elements. domain: an interval that contains x - y."""
    return _apply("maximum", maximum_of, (x, y, domain, error), np.maximum, operands=2)


def minimum(x: Operand, y: Operand, domain: Domain = (-1.0, 1.0), error: float = 1e-2) -> EncryptedArray:
    """Returns the smaller of two elements. domain: an interval that contains x - y."""
    return _apply("minimum", minimum_of, (x, y, domain, error), np.minimum, operands=2)


def argmax(
    x: EncryptedArray,
    axis: int = -1,
    domain: Domain = (-1.0, 1.0),
    error: float = 1e-2,
    gap: float | None = None,
) -> EncryptedArray:
    """Returns an indicator along the axis: 1 at the largest element, and 0 at all others. Each value has an error of at
    most ``error``.

    The largest element must exceed all others by at least ``gap``. If it does not, elements whose distance from the
    largest element is below ``gap`` get values between 0 and 1. The sum of the indicator times ``np.arange`` is the
    index of the largest element. The axis must have 2 to 256 elements.

    domain: an interval that contains the differences of elements, for example -1 .. 1 if all elements are in 0 .. 1.
    gap: as for ``sign``.
    """
    half = _end(domain)

    def plain(values: Any) -> Any:
        rows = np.moveaxis(np.asarray(values), axis, -1)
        found = indicator_for(rows.shape[-1], half, positive("error", error, 100), gap)
        return np.moveaxis(found.values(rows / half), -1, axis)

    return _apply("argmax", argmax_of, (x, axis, domain, error, gap), plain)


def softmax(x: EncryptedArray, axis: int = -1, domain: Domain = (-2.0, 2.0), error: float = 1e-2) -> EncryptedArray:
    """Returns exp(x) / exp(x).sum(axis). These are the probabilities for the scores of a model. The axis must have 2 to
    256 elements.

    The reciprocal of the sum is computed as a polynomial. Its degree grows with exp((high - low) / 2). Therefore the
    domain can be at most about 7 wide.
    """

    def plain(values: Any) -> Any:
        powers = np.exp(np.asarray(values))
        return powers / powers.sum(axis=axis, keepdims=True)

    return _apply("softmax", softmax_of, (x, axis, domain, error), plain)


def polynomial(x: EncryptedArray, series: Chebyshev | Polynomial) -> EncryptedArray:
    """Evaluates a polynomial of your own. series: a polynomial in Chebyshev's basis or in the power basis.

    Takes ceil(log2(degree + 1)) levels. A Chebyshev series of a degree above 1 takes one level more if its domain is
    not -1 .. 1. The bounds of the array must guarantee the domain of a Chebyshev series. The only error of the result
    is noise.
    """
    return _apply("polynomial", polynomial_of, (x, series), lambda values: series(values))
