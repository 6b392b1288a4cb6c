# SPDX-License-Identifier: Apache-2.0
"""Like: describes an encrypted input for a plan (plan.py). The description has a shape and a bound on the values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..encrypted.verbs.labels import is_frame, labels_of_frame
from ..errors import InvalidArgument
from ..values import is_masked, kind_of, kind_of_objects, positive, shown, whole

__all__ = ["Like", "like", "like_all"]

_MOST_AXES = 32
_MOST_ELEMENTS = 2**32
_ROUNDED_BITS = 3  # the magnitude of examples is rounded up to this many bits


@dataclass(frozen=True)
class Like:
    """An input of a program. magnitude: a bound on the absolute values of real and complex numbers. Integers do not use
    it. columns: the names of the columns, if the input is a DataFrame."""

    shape: tuple[int, ...]
    magnitude: float
    columns: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"like({self.shape}, magnitude={self.magnitude:g})"


def like(shape: int | Sequence[int], *, magnitude: float = 1.0) -> Like:
    """Describes an array that is an argument of a program. Errors: InvalidArgument."""
    axes = tuple(shape) if isinstance(shape, Sequence) and not isinstance(shape, (str, bytes)) else (shape,)
    sizes = tuple(whole("shape", axis, _MOST_ELEMENTS) for axis in axes)
    if len(sizes) > _MOST_AXES or not 0 < math.prod(sizes) <= _MOST_ELEMENTS:
        raise InvalidArgument(
            f"shape is {shown(shape)}", f"give at most {_MOST_AXES} axes and 1 .. {_MOST_ELEMENTS} elements"
        )
    return Like(sizes, positive("magnitude", magnitude, 100))


def like_all(examples: Any) -> Like:
    """Describes an input by examples: returns the common shape of the examples, and a magnitude that none of their
    values exceeds. Errors: InvalidArgument."""
    columns = {labels_of_frame(example) if is_frame(example) else None for example in examples}
    if len(columns) > 1:
        raise InvalidArgument("the examples of an argument have different columns", "give tables with equal columns")
    arrays = [_numbers(example) for example in examples]
    if not arrays or any(array.shape != arrays[0].shape or array.size == 0 for array in arrays):
        raise InvalidArgument(
            "the examples of an argument have different shapes, or there is none",
            "give arrays of one shape; for several arguments give tuples: inputs=[(a, b)]",
        )
    largest = max(float(np.abs(array).max()) for array in arrays)
    step = 2.0 ** (math.frexp(largest)[1] - _ROUNDED_BITS) if largest > 0 else 1.0
    return Like(arrays[0].shape, max(step, math.ceil(largest / step) * step), columns.pop())


def _numbers(example: ArrayLike) -> np.ndarray[Any, np.dtype[Any]]:
    try:
        array = np.asarray(example) if not is_masked(example) else np.empty(0, object)
        if array.dtype.kind == "O" and array.size and (kind := kind_of_objects(array)):
            array = array.astype(np.complex128 if kind == "c" else np.float64)
    except (OverflowError, TypeError, ValueError):
        array = np.empty(0, object)
    if array.dtype.kind not in "biufc" or not np.all(np.isfinite(array)):
        raise InvalidArgument(f"an example is {kind_of(example)}", "give arrays of finite numbers")
    return array
