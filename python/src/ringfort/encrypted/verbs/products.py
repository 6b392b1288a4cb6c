# SPDX-License-Identifier: Apache-2.0
"""Products of vectors and matrices: numpy.dot and ``@``, with plain and encrypted operands on either side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidArgument, Unsupported
from ..array import ranges
from ..array.array import EncryptedArray
from ..array.refusals import require_levels
from ..packing.row_maps import RowMap
from .elementwise import multiply
from .operands import Operand, both, in_range, intervals, is_encrypted, sensible
from .rearrange import as_column, with_own_rows
from .reductions import sum_of

__all__ = ["dot_of", "matmul"]

_MOST_OUTER_PRODUCTS = 256


def dot_of(a: Operand, b: Operand) -> EncryptedArray:
    """Computes numpy.dot. The second operand has at most two axes."""
    a, b = both(a, b)
    if np.ndim(b) > 2:
        raise Unsupported(
            f"numpy.dot with a second operand of shape {np.shape(b)}", "give a vector or one matrix, or use @"
        )
    return multiply(a, b) if np.ndim(a) == 0 or np.ndim(b) == 0 else matmul(a, b)


def matmul(a: Operand, b: Operand) -> EncryptedArray:
    a, b = both(a, b)
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        raise InvalidArgument("a matrix product needs axes", "multiply by a number with *")
    if np.shape(a)[-1] != np.shape(b)[max(0, np.ndim(b) - 2)]:
        raise InvalidArgument(
            f"shapes {np.shape(a)} and {np.shape(b)} have no product",
            "the last axis of the first array must have the length of the first axis (or last but one) of the second",
        )
    sensible(np.shape(a)[:-1] + np.shape(b)[:-2] + np.shape(b)[max(1, np.ndim(b) - 1) :], np.shape(a), np.shape(b))
    if np.ndim(b) == 1 and (np.ndim(a) == 1 or (is_encrypted(a) and is_encrypted(b))):
        return sum_of(multiply(a, b), -1)
    if not is_encrypted(a):
        return _plain_times(a, b)
    return _encrypted_times(a, b) if is_encrypted(b) else _times_plain(a, b)


def _times_plain(a: EncryptedArray, matrix: NDArray[Any]) -> EncryptedArray:
    if matrix.ndim > 2:
        raise Unsupported(f"a product with a plain array of shape {matrix.shape}", "give a vector or one matrix")
    columns = matrix.reshape(matrix.shape[0], -1)
    interval = in_range(a, ranges.weighted(a._interval, columns), "matmul")
    a = with_own_rows(a)
    shape = a.shape[:-1] + matrix.shape[1:]
    if matrix.ndim == 1:
        return a._derived(shape, sum_of(multiply(a, matrix), -1)._packed, interval)
    return a._derived(shape, a._session.tables.matrix_product(a._packed, columns), interval)


def _plain_times(matrix: NDArray[Any], b: EncryptedArray) -> EncryptedArray:
    if b.ndim == 1:
        return _times_plain(b, matrix.reshape(-1, b.shape[0]).T).reshape(matrix.shape[:-1])
    if matrix.ndim > 2:
        raise Unsupported(f"a product with a plain array of shape {matrix.shape}", "give a vector or one matrix")
    rows = matrix.reshape(-1, matrix.shape[-1])
    interval = in_range(b, ranges.weighted(b._interval, rows.T), "matmul")
    b = with_own_rows(b)
    if matrix.ndim == 1 and b.ndim == 2:
        return b._derived(b.shape[-1:], sum_of(multiply(b, matrix[:, None]), 0)._packed, interval)
    tables = int(np.prod(b.shape[:-2], dtype=np.int64))
    packed = b._session.tables.row_product(b._packed, RowMap.of_matrix(rows, tables))
    return b._derived(b.shape[:-2] + matrix.shape[:-1] + b.shape[-1:], packed, interval)


def _encrypted_times(a: EncryptedArray, b: EncryptedArray) -> EncryptedArray:
    """Adds outer products. Takes two levels, and one more if the rows of the operands have different strides.

    A product with one column, or of one row, needs far fewer rotations as the product of a matrix and a vector.
    """
    if b.ndim > 2:
        raise Unsupported(f"a product of encrypted {a.shape} and {b.shape} is not offered", "give one matrix at a time")
    shape = a.shape[:-1] + b.shape[1:]
    if b.shape[1] == 1:
        return sum_of(multiply(a, b.reshape(b.shape[0])), -1).reshape(shape)
    if a.ndim > 1 and a.size == b.shape[0]:
        return _encrypted_times(a.reshape(a.size), b).reshape(shape)
    require_levels(a._session.on, 2, a._packed.blocks)
    terms = ranges.multiplied(*intervals(a, b))
    interval = in_range(a, ranges.summed(terms, b.shape[0]), "matmul")
    a, b = with_own_rows(a), with_own_rows(b)
    if a.ndim == 1:
        return sum_of(multiply(as_column(a, b), b), 0)
    if b.shape[0] > _MOST_OUTER_PRODUCTS:
        raise Unsupported(
            f"a product of encrypted {a.shape} and {b.shape} would take {b.shape[0]} outer products",
            f"cut the inner axis into pieces of {_MOST_OUTER_PRODUCTS}, and add the results",
        )
    stride = max(a._packed.layout.stride, b._packed.layout.stride)
    a, b = with_own_rows(a, stride), with_own_rows(b, stride)
    return a._derived(shape, a._session.tables.outer_products(a._packed, b._packed), interval)
