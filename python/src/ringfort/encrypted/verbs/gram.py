# SPDX-License-Identifier: Apache-2.0
"""Products of all pairs of columns, x.T @ y, or of all pairs of rows, x @ y.T, of two encrypted matrices. Transposes no
matrix. Levels and rotations are explained in array/array.py.

A *variable* is a column for x.T @ y, and a row for x @ y.T. The product has the inner product of each pair of
variables. Let M and F be the two matrices, where M has at least as many variables as F. *Line* d has the inner product
of variable i of M and variable i + d of F (cyclically), for each i. An element-wise product and its sum over an axis
compute a line. There is a line for each variable of F. If M and F are the same matrix, about half of the lines suffice,
because two variables have the same inner product in either order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..array.array import EncryptedArray
from .combine import joined
from .elementwise import multiply
from .operands import require_sensible
from .rearrange import take, with_own_rows
from .reductions import sum_of

__all__ = ["gram", "is_worth_it"]

_MOST_LINES = 256


def _lines(a: EncryptedArray, b: EncryptedArray, over: int) -> int:
    """Returns the number of lines that the product takes."""
    few = min(a.shape[1 - over], b.shape[1 - over])
    return few // 2 + 1 if _is_same(a, b) else few


def _is_same(a: EncryptedArray, b: EncryptedArray) -> bool:
    return a is b or (a.shape == b.shape and a._packed.ciphertexts is b._packed.ciphertexts)


def is_worth_it(a: EncryptedArray, b: EncryptedArray, over: int) -> bool:
    """Tells whether to compute the product by lines. The alternative transposes a matrix, and adds an outer product for
    each index of axis ``over``. Lines take less work if there are at most as many lines as outer products. The answer
    is always yes for one or two lines, and always no for more than _MOST_LINES.
    """
    return _lines(a, b, over) <= min(_MOST_LINES, max(2, a.shape[over]))


def gram(a: EncryptedArray, b: EncryptedArray, over: int) -> EncryptedArray:
    """Returns the inner products of all pairs of columns (over=0) or of rows (over=1).

    Takes three levels. For columns, takes a fourth level if the matrix with fewer columns has a smaller stride
    (packing/layout.py) than the other matrix.
    """
    k, m = a.shape[1 - over], b.shape[1 - over]
    require_sensible("a product of transposed matrices", k * m, a.size, b.size)
    few, many, swapped = (b, a, False) if m <= k else (a, b, True)
    if over == 0:  # with equal strides, ``take`` moves columns by few different distances: each takes a rotation
        few = with_own_rows(few, max(many._packed.layout.stride, few._packed.layout.stride))
    width, variables = few.shape[1 - over], many.shape[1 - over]
    lines = []
    for d in range(_lines(a, b, over)):
        chosen = (np.arange(variables) + d) % width
        is_moved = d > 0 or width != variables
        aligned = take(few, (slice(None), chosen) if over == 0 else (chosen,)) if is_moved else few
        lines.append(sum_of(multiply(many, aligned), over))
    return joined("a product of transposed matrices", lines, lambda numbered: _matrix(numbered, width, swapped))


def _matrix(lines: list[NDArray[np.int64]], width: int, swapped: bool) -> NDArray[np.int64]:
    """Returns, for each element of the matrix, its index among the elements of all lines. lines: the indices of the
    elements of each line (``joined`` in combine.py). Element i of line d is the inner product of variable i of M and
    variable (i + d) mod ``width`` of F."""
    table = np.stack(lines)
    many, few = np.indices((table.shape[1], width))
    distance = (few - many) % width
    mirrored = distance >= len(lines)  # only if both operands are the same matrix: entry (i, j) equals entry (j, i)
    index = table[np.where(mirrored, (many - few) % width, distance), np.where(mirrored, few, many)]
    return np.ascontiguousarray(index.T if swapped else index)
