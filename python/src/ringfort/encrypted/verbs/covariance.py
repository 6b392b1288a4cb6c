# SPDX-License-Identifier: Apache-2.0
"""Covariances. For each cyclic distance d, multiplies all variables i by the variables i + d at once. The covariances
of one distance are a *line*. Transposes no matrix, because a transposition takes many rotations. Levels and rotations
are explained in array/array.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidArgument, Unsupported
from ...values import kind_of
from ..array.array import EncryptedArray
from .combine import joined
from .composed import var_of
from .elementwise import conjugate, multiply, subtract
from .rearrange import moving, reshape_of
from .reductions import sum_of

__all__ = ["cov_of"]

_MOST_VARIABLES = 256


def cov_of(m: EncryptedArray, rowvar: bool = True, bias: bool = False, ddof: float | None = None) -> EncryptedArray:
    """Computes numpy.cov: the covariances of variables. A variable is a row, or a column if rowvar is False. Takes
    three levels. Takes two levels for a single variable, and four for a matrix of two rows with rowvar=True.

    The covariance of variables i and i + d is the mean of their products minus the product of their means, with the
    divisor that ``ddof`` requires. For real numbers, about half of the distances suffice, because the matrix is
    symmetric.
    """
    if m._session.on.exact:
        raise Unsupported("covariances of integers are not integers", "decrypt x.T @ x and x.sum(0), then compute them")
    if m.ndim > 2 or m.ndim == 0:
        raise InvalidArgument(f"numpy.cov was given an array of shape {m.shape}", "give a vector or a matrix")
    if ddof is not None and (isinstance(ddof, bool) or not isinstance(ddof, (int, float, np.integer, np.floating))):
        raise InvalidArgument(f"ddof is {kind_of(ddof)}", "give a number")
    if not isinstance(bias, (int, np.bool_, np.integer)):  # NumPy compares bias with 0: None would mean True
        raise InvalidArgument(f"bias is {kind_of(bias)}", "give True or False")
    away = (0 if bias else 1) if ddof is None else ddof
    if m.ndim == 1 or (1 in m.shape and m.shape[0 if rowvar else 1] == 1):
        return var_of(reshape_of(m, (-1,)), ddof=away)
    variables, count = m.shape if rowvar else m.shape[::-1]
    if not count - away > 0 or variables > _MOST_VARIABLES:
        raise InvalidArgument(
            f"numpy.cov was given {variables} variables of {count} values each, and ddof={away}",
            f"give at most {_MOST_VARIABLES} variables, and more values than ddof",
        )
    along, over = (0, 1) if rowvar else (1, 0)
    half = variables // 2 + 1 if m.dtype.kind != "c" else variables
    whole, share = sum_of(m, over), multiply(m, 1 / (count - away))
    scaled = multiply(whole, 1 / (count * (count - away)))
    lines = []
    for d in range(half):
        others, means = (moving(np.roll)(m, -d, along), moving(np.roll)(whole, -d)) if d else (m, whole)
        products = sum_of(multiply(share, conjugate(others)), over)
        lines.append(subtract(products, multiply(scaled, conjugate(means))))
    return joined("numpy.cov", lines, lambda numbered: _matrix(numbered, variables))


def _matrix(lines: list[NDArray[np.int64]], variables: int) -> NDArray[np.int64]:
    """Returns, for each element of the matrix, its index among the elements of all lines. lines: the indices of the
    elements of each line (``joined`` in combine.py). Element i of line d is the covariance of variables i and i + d
    (cyclically)."""
    row, col = np.indices((variables, variables))
    distance = (col - row) % variables
    mirrored = distance >= len(lines)
    table = np.stack(lines)
    return np.asarray(table[np.where(mirrored, (row - col) % variables, distance), np.where(mirrored, col, row)])
