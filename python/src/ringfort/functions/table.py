# SPDX-License-Identifier: Apache-2.0
"""Table of smooth functions: their values, bounds on their absolute values and second derivatives, default domains and
default errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FUNCTIONS", "Domain", "Function", "sigmoid"]

Domain = tuple[float, float]
Values = NDArray[Any]


@dataclass(frozen=True)
class Function:
    """A smooth function f. magnitude: computes a bound on |f| on an interval. curvature: computes a bound on |f''| on
    an interval. domain, error: the defaults.

    is_positive: True if chebyshev.py approximates f only on intervals above zero. is_from_zero: True if roots.py
    approximates f on intervals that begin at zero.
    """

    name: str
    values: Callable[[Values], Values]
    magnitude: Callable[[float, float], float]
    curvature: Callable[[float, float], float]
    domain: Domain
    error: float = 1e-3
    is_positive: bool = False
    is_from_zero: bool = False


def sigmoid(x: Values) -> Values:
    """Returns 1 / (1 + exp(-x)). Does not overflow."""
    return 0.5 * (1 + np.tanh(0.5 * x))


def _sigmoid_at(x: float) -> float:
    return 0.5 * (1 + math.tanh(0.5 * x))


_POSITIVE = (0.5, 8.0)
_ALL = (
    # the largest |f''|: 1 / (6 sqrt 3) of sigmoid, 4 / (3 sqrt 3) of tanh
    Function("sigmoid", sigmoid, lambda low, high: _sigmoid_at(high), lambda low, high: 0.0963, (-8.0, 8.0)),
    Function("tanh", np.tanh, lambda low, high: math.tanh(max(-low, high)), lambda low, high: 0.7699, (-8.0, 8.0)),
    Function("exp", np.exp, lambda low, high: math.exp(high), lambda low, high: math.exp(high), (-4.0, 4.0)),
    Function(
        "log",
        np.log,
        lambda low, high: max(abs(math.log(low)), abs(math.log(high))),
        lambda low, high: low**-2,
        _POSITIVE,
        is_positive=True,
    ),
    Function(
        "sqrt",
        np.sqrt,
        lambda low, high: high**0.5,
        lambda low, high: low**-1.5 / 4,
        _POSITIVE,
        is_positive=True,
        is_from_zero=True,
    ),
    Function(
        "inverse",
        lambda x: 1 / x,
        lambda low, high: 1 / low,
        lambda low, high: 2 * low**-3,
        _POSITIVE,
        is_positive=True,
    ),
    Function(
        "inverse_sqrt",
        lambda x: 1 / np.sqrt(x),
        lambda low, high: low**-0.5,
        lambda low, high: 0.75 * low**-2.5,
        _POSITIVE,
        is_positive=True,
    ),
)
FUNCTIONS = {function.name: function for function in _ALL}
