# SPDX-License-Identifier: Apache-2.0
"""Sums, means and sizes of groups of rows: ``ringfort.group_by(x, labels)``.

The labels of rows are in the clear or encrypted. With labels in the clear, a sum or a mean is one product with a matrix
in the clear, for any number of groups. A *level* is the part of an array's ``depth_left`` that a product takes.

Encrypted labels are an indicator matrix: an element is 1 if the row belongs to the group of the column, and 0 if not.
Then only the owner of the secret key can learn which row belongs to which group. The sizes of groups are encrypted,
too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InvalidArgument, Unsupported
from ...values import is_masked, kind_of
from ..array.array import EncryptedArray
from .operands import is_encrypted

__all__ = ["Groups", "group_by"]


class Groups:
    """The rows of an encrypted array by groups. labels: the labels of the groups, in the order of results. None if the
    labels are encrypted."""

    def __init__(self, x: EncryptedArray, labels: NDArray[Any] | None, member: Any) -> None:
        self._x = x
        self._member = member  # indicator matrix, rows x groups
        self.labels = labels

    def __len__(self) -> int:
        return int(self._member.shape[1])

    def sizes(self) -> Any:
        """Returns the number of rows of each group. The numbers are encrypted if the labels are encrypted."""
        return self._member.sum(axis=0)

    def sum(self) -> EncryptedArray:
        """Adds the rows of each group. The result has a row for each group.

        With labels in the clear, takes one level. With encrypted labels, a vector takes two levels, and a matrix takes
        three levels. A matrix takes a fourth level if the number of columns and the number of groups, both rounded up
        to powers of two, differ.
        """
        result: EncryptedArray
        if is_encrypted(self._member):
            result = self._x @ self._member if self._x.ndim == 1 else self._member.T @ self._x
        else:
            result = self._named(self._member.T.astype(np.int64) @ self._x)
        return result

    def mean(self) -> EncryptedArray:
        """Returns the mean of the rows of each group. Takes one level. Errors: Unsupported (integers or encrypted
        labels: decrypt ``sum()`` and ``sizes()``, then divide)."""
        if is_encrypted(self._member) or self._x._session.on.exact:
            raise Unsupported(
                "means of integers, or of groups whose sizes are encrypted, are not offered",
                "decrypt sum() and sizes(), then divide",
            )
        return self._named((self._member / self._member.sum(axis=0)).T @ self._x)

    def _named(self, result: EncryptedArray) -> EncryptedArray:
        result._labels = self._x.columns if self._x.ndim == 2 else None  # the names in a vector belong to rows
        return result

    def __repr__(self) -> str:
        labels = "encrypted" if self.labels is None else f"{len(self)} groups"
        return f"Groups({labels} of {self._x.shape[0]} rows)"


def group_by(x: EncryptedArray, labels: ArrayLike | EncryptedArray) -> Groups:
    """Groups the rows of ``x`` (its first axis) by labels, for sums, means and sizes of groups.

    labels: an array, a list or a Series with a number or a text for each row. The labels can also be an encrypted
    matrix, rows x groups: 1 where the row belongs to the group, and 0 elsewhere. Results have a row for each group.
    With labels in the clear, these rows are in the order of ``groups.labels``, which is sorted. With encrypted labels,
    the rows are in the order of the columns of the matrix. Errors: InvalidArgument.
    """
    if not isinstance(x, EncryptedArray) or x.ndim not in (1, 2):
        raise InvalidArgument("group_by was given no encrypted vector or matrix", "encrypt it: ctx.encrypt(rows, keys)")
    if isinstance(labels, EncryptedArray):
        if labels.ndim != 2 or labels.shape[0] != x.shape[0]:
            raise InvalidArgument(
                f"the encrypted labels have the shape {labels.shape}, but the array has {x.shape[0]} rows",
                "give an indicator, rows x groups",
            )
        return Groups(x, None, labels)
    given = _plain_labels(labels, x.shape[0])
    different, group = np.unique(given, return_inverse=True)
    return Groups(x, different, np.equal.outer(group.reshape(-1), np.arange(len(different))))


def _plain_labels(labels: ArrayLike, rows: int) -> NDArray[Any]:
    """Checks the labels, and returns an array of one type. NumPy would convert the labels in a list of several types,
    and different labels could become equal. Errors: InvalidArgument."""
    elements = np.array(labels, dtype=object) if isinstance(labels, (list, tuple)) else np.asarray(labels)
    if is_masked(labels) or elements.shape != (rows,) or elements.dtype.kind not in "biufUSO":
        raise InvalidArgument(
            f"labels are {kind_of(labels)} of shape {elements.shape}", f"give one label for each of the {rows} rows"
        )
    given = _of_one_type(elements.tolist()) if elements.dtype.kind == "O" else elements
    if given is None or (given.dtype.kind == "f" and not np.all(np.isfinite(given))):
        raise InvalidArgument(
            "labels are not all texts, all integers of 64 bits or all finite numbers, or a label is missing",
            "fill the missing ones, and convert the labels to one type",
        )
    return given


def _of_one_type(labels: list[Any]) -> NDArray[Any] | None:
    """Returns an array of one type, in which different labels are different elements. Returns None if there is no such
    type."""
    types = {type(label) for label in labels}
    for kind, dtype in ((str, np.str_), (bytes, np.bytes_)):
        if all(issubclass(each, kind) for each in types):
            nul = "\0" if kind is str else b"\0"  # NumPy removes NUL characters at the end
            return None if any(label.endswith(nul) for label in labels) else np.array(labels, dtype=dtype)
    if all(issubclass(each, (bool, np.bool_)) for each in types):
        return np.array(labels, dtype=np.bool_)
    if any(issubclass(each, (bool, np.bool_)) for each in types):
        return None
    if all(issubclass(each, (int, np.integer)) for each in types):
        least, most = min(map(int, labels)), max(map(int, labels))
        if least >= -(2**63) and most < 2**63:
            return np.array(labels, dtype=np.int64)
        return np.array(labels, dtype=np.uint64) if least >= 0 and most < 2**64 else None
    if all(issubclass(each, (int, float, np.integer, np.floating)) for each in types):
        return np.array(labels, dtype=np.float64) if all(map(_is_double, labels)) else None
    return None


def _is_double(label: Any) -> bool:
    try:
        return float(label) == label  # NaN differs from itself
    except OverflowError:
        return False
