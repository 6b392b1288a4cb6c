# SPDX-License-Identifier: Apache-2.0
"""The distinct elements of an array, without ``np.unique``.

Since NumPy 2.3, ``np.unique`` waits for the interpreter's lock inside a C++ function that no exception may leave.
Before Python 3.14, a daemon thread that waits for this lock while the interpreter ends is unwound, and the process
aborts. A sort waits for the lock only in C functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["distinct"]


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Returns the different elements in ascending order, in one dimension. The elements must not be NaN."""
    ascending = np.sort(values, axis=None)
    first = np.ones(ascending.size, bool)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return ascending[first]
