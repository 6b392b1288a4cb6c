# SPDX-License-Identifier: Apache-2.0
"""Products of vectors and matrices: numpy.dot and ``@``. Each operand is plain or encrypted. Levels and rotations are
explained in array/array.py, strides in packing/layout.py."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidArgument, Unsupported
from ...values import shown
from ..array import ranges
from ..array.array import EncryptedArray
from ..array.refusals import require_levels
from ..packing.row_maps import RowMap
from .elementwise import add, conjugate, multiply
from .gram import gram, is_worth_it
from .operands import Operand, Shape, both, broadcast_shape, in_range, intervals, is_encrypted, sensible
from .rearrange import as_column, moving, reshape_of, take, with_own_rows
from .reductions import sum_of

__all__ = ["dot_of", "matmul", "matrix_power_of", "vecdot_of"]

_MOST_OUTER_PRODUCTS = 256


def dot_of(a: Operand, b: Operand) -> EncryptedArray:
    """Computes numpy.dot for a second operand of at most two axes. contractions.py handles operands of more axes."""
    a, b = both(a, b)
    return multiply(a, b) if np.ndim(a) == 0 or np.ndim(b) == 0 else matmul(a, b)


def matmul(a: Operand, b: Operand) -> EncryptedArray:
    a, b = both(a, b)
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        raise InvalidArgument("a matrix product needs axes", "multiply by a number with *")
    if np.shape(a)[-1] != np.shape(b)[max(0, np.ndim(b) - 2)]:
        raise InvalidArgument(
            f"shapes {np.shape(a)} and {np.shape(b)} have no product",
            "the last axis of the first array must be as long as the last but one axis (or only axis) of the second",
        )
    if np.ndim(a) > 2 and np.ndim(b) > 2:
        batch = broadcast_shape(np.shape(a)[:-2], np.shape(b)[:-2])
        sensible((*batch, np.shape(a)[-2], np.shape(b)[-1]), np.shape(a), np.shape(b))
    else:
        columns = np.shape(b)[max(1, np.ndim(b) - 1) :]
        sensible(np.shape(a)[:-1] + np.shape(b)[:-2] + columns, np.shape(a), np.shape(b))
    if (product := _without_transposing(a, b)) is not None:
        return product
    if np.ndim(b) == 1 and (np.ndim(a) == 1 or (is_encrypted(a) and is_encrypted(b))):
        return sum_of(multiply(a, b), -1)
    if not is_encrypted(a):
        return _plain_times(a, b)
    return _encrypted_times(a, b) if is_encrypted(b) else _times_plain(a, b)


def _without_transposing(a: Operand, b: Operand) -> EncryptedArray | None:
    """Multiplies by a transposed matrix without a move of its elements. Returns None if no operand is a transposed
    matrix, or if a move takes less work."""
    if is_encrypted(a) and a._source is not None:
        if np.ndim(b) == 1:
            return matmul(b, a._source)
        if is_encrypted(b) and b.ndim == 2 and b._source is None and is_worth_it(a._source, b, 0):
            return gram(a._source, b, 0)
    elif is_encrypted(b) and b._source is not None:
        if np.ndim(a) == 1:
            return matmul(b._source, a)
        if is_encrypted(a) and a.ndim == 2 and is_worth_it(a, b._source, 1):
            return gram(a, b._source, 1)
    return None


def vecdot_of(a: Operand, b: Operand) -> EncryptedArray:
    a, b = both(a, b)
    if np.ndim(a) == 0 or np.ndim(b) == 0 or np.shape(a)[-1] != np.shape(b)[-1]:
        raise InvalidArgument(
            f"numpy.vecdot was given arrays of shapes {np.shape(a)} and {np.shape(b)}",
            "give last axes of the same length",
        )
    return sum_of(multiply(conjugate(a) if is_encrypted(a) else np.conjugate(a), b), -1)


def matrix_power_of(a: EncryptedArray, n: int) -> EncryptedArray:
    """Returns the n-th power of a matrix, or of each matrix of a stack. Squares repeatedly. Each successive product
    takes two levels for a matrix, and two or three levels for a stack."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise InvalidArgument(f"numpy.linalg.matrix_power was given n={shown(n)}", "give a whole number, 1 or more")
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise InvalidArgument(
            f"numpy.linalg.matrix_power was given an array of shape {a.shape}", "give a square matrix"
        )
    if n == 1:
        return a
    half = matrix_power_of(a, n // 2)
    square = matmul(half, half)
    return matmul(square, a) if n % 2 else square


def _times_plain(a: EncryptedArray, matrix: NDArray[Any]) -> EncryptedArray:
    if matrix.ndim > 2:
        return _times_matrices(a, matrix)
    columns = matrix.reshape(matrix.shape[0], -1)
    interval = in_range(a, ranges.weighted(a._interval, columns), "matmul")
    a = with_own_rows(a)
    shape = a.shape[:-1] + matrix.shape[1:]
    if matrix.ndim == 1:
        return a._derived(shape, sum_of(multiply(a, matrix), -1)._packed, interval)
    return a._derived(shape, a._session.tables.matrix_product(a._packed, columns), interval)


def _times_matrices(a: EncryptedArray, matrices: NDArray[Any]) -> EncryptedArray:
    """Multiplies matrix i of the stack ``a`` by plain matrix i. Takes one level, and a second level if ``a`` is
    broadcast."""
    if a.ndim == 1:
        return _plain_times(np.swapaxes(matrices, -1, -2), a)
    several = matrices.shape[:-2]
    batch, (k, m) = broadcast_shape(a.shape[:-2], several), matrices.shape[-2:]
    columns = np.moveaxis(matrices, -2, 0).reshape(k, -1)
    interval = in_range(a, ranges.weighted(a._interval, columns), "matmul")
    a = with_own_rows(_broadcast(a, batch))
    of_row = np.broadcast_to(np.arange(math.prod(several)).reshape(*several, 1), a.shape[:-1]).reshape(-1)
    packed = a._session.tables.matrix_product(a._packed, matrices.reshape(-1, k, m), of_row)
    return a._derived((*a.shape[:-1], m), packed, interval)


def _broadcast(a: EncryptedArray, batch: Shape) -> EncryptedArray:
    """Broadcasts a stack of matrices. The result has the axes ``batch`` before its last two axes."""
    shape = (*batch, *a.shape[-2:])
    if math.prod(shape) == a.size:
        return reshape_of(a, shape)
    return moving(np.broadcast_to)(a, shape)


def _plain_times(matrix: NDArray[Any], b: EncryptedArray) -> EncryptedArray:
    if b.ndim == 1:
        return _times_plain(b, matrix.reshape(-1, b.shape[0]).T).reshape(matrix.shape[:-1])
    rows = matrix.reshape(-1, matrix.shape[-1])
    interval = in_range(b, ranges.weighted(b._interval, rows.T), "matmul")
    if matrix.ndim > 2 and b.ndim > 2:
        batch = broadcast_shape(matrix.shape[:-2], b.shape[:-2])
        each = np.broadcast_to(matrix, (*batch, *matrix.shape[-2:])).reshape(-1, *matrix.shape[-2:])
        b = with_own_rows(_broadcast(b, batch))
        packed = b._session.tables.row_product(b._packed, RowMap.of_matrices(each))
        return b._derived((*batch, matrix.shape[-2], b.shape[-1]), packed, interval)
    b = with_own_rows(b)
    if matrix.ndim == 1 and b.ndim == 2:
        return b._derived(b.shape[-1:], sum_of(multiply(b, matrix[:, None]), 0)._packed, interval)
    tables = int(np.prod(b.shape[:-2], dtype=np.int64))
    packed = b._session.tables.row_product(b._packed, RowMap.of_matrix(rows, tables))
    return b._derived(b.shape[:-2] + matrix.shape[:-1] + b.shape[-1:], packed, interval)


def _encrypted_times(a: EncryptedArray, b: EncryptedArray) -> EncryptedArray:
    """Multiplies encrypted matrices as a sum of outer products. Takes two levels, and a third level if the rows of the
    operands have different strides.

    If the first operand has one row, or the second has one column, this operand is treated as a vector. This takes far
    fewer rotations than outer products.
    """
    if b.ndim > 2:
        return _each_times_each(a, b)
    shape = a.shape[:-1] + b.shape[1:]
    if b.shape[1] == 1:
        return sum_of(multiply(a, b.reshape(b.shape[0])), -1).reshape(shape)
    if a.ndim > 1 and a.size == b.shape[0]:
        return _encrypted_times(a.reshape(a.size), b).reshape(shape)
    require_levels(a._session.on, 2, a._packed.ciphertexts)
    terms = ranges.multiplied(*intervals(a, b))
    interval = in_range(a, ranges.summed(terms, b.shape[0]), "matmul")
    a, b = with_own_rows(a), with_own_rows(b)
    if a.ndim == 1:
        return sum_of(multiply(as_column(a, b), b), 0)
    _require_few_terms(a, b)
    stride = max(a._packed.layout.stride, b._packed.layout.stride)
    a, b = with_own_rows(a, stride), with_own_rows(b, stride)
    return a._derived(shape, a._session.tables.outer_products(a._packed, b._packed), interval)


def _each_times_each(a: EncryptedArray, b: EncryptedArray) -> EncryptedArray:
    """Multiplies stacks of encrypted matrices. Each index of the inner axis takes one element-wise product of a
    broadcast column and a broadcast row."""
    if a.ndim == 1:
        product = _each_times_each(reshape_of(a, (1, -1)), b)
        return reshape_of(product, (*product.shape[:-2], product.shape[-1]))
    _require_few_terms(a, b)
    total = None
    for j in range(a.shape[-1]):
        column, row = take(a, (..., slice(j, j + 1))), take(b, (..., slice(j, j + 1), slice(None)))
        term = multiply(column, row)
        total = term if total is None else add(total, term)
    assert total is not None
    return total


def _require_few_terms(a: EncryptedArray, b: EncryptedArray) -> None:
    if b.shape[-2] > _MOST_OUTER_PRODUCTS:
        raise Unsupported(
            f"a product of encrypted arrays of shapes {a.shape} and {b.shape} would take {b.shape[-2]} outer products, "
            f"but the limit is {_MOST_OUTER_PRODUCTS}",
            f"cut the inner axis into pieces of {_MOST_OUTER_PRODUCTS}, and add the results",
        )
