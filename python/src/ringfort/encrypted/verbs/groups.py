# SPDX-License-Identifier: Apache-2.0
"""Sums, means and numbers of the rows of each group: ``ringfort.group_by(x, labels)``.

Plain labels make one product with a plain matrix of zeros and ones, whatever the number of groups. Encrypted labels are
an indicator matrix: 1 where the row belongs to the group of the column, else 0. Then nobody but the owner of the keys
learns which row belongs to which group, and numbers of rows are encrypted too.
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
    """Rows of an encrypted array by group. labels: the groups in the order of results; None if they are encrypted."""

    def __init__(self, x: EncryptedArray, labels: NDArray[Any] | None, member: Any) -> None:
        self._x = x
        self._member = member  # rows x groups
        self.labels = labels

    def __len__(self) -> int:
        return int(self._member.shape[1])

    def sizes(self) -> Any:
        """Returns the number of rows of each group: plain integers, or encrypted numbers if the labels are."""
        return self._member.sum(axis=0)

    def sum(self) -> EncryptedArray:
        """Returns the sums of the rows of each group, one row a group. Takes one level; three with encrypted labels."""
        result: EncryptedArray
        if is_encrypted(self._member):
            result = self._x @ self._member if self._x.ndim == 1 else self._member.T @ self._x
        else:
            result = self._named(self._member.T.astype(np.int64) @ self._x)
        return result

    def mean(self) -> EncryptedArray:
        """Returns the means of the rows of each group. Takes one level. Errors: Unsupported (integers; encrypted
        labels: decrypt ``sum()`` and ``sizes()``, then divide)."""
        if is_encrypted(self._member) or self._x._session.on.exact:
            raise Unsupported(
                "means of integers, or of groups whose sizes are encrypted, are not offered",
                "decrypt sum() and sizes(), then divide",
            )
        return self._named((self._member / self._member.sum(axis=0)).T @ self._x)

    def _named(self, result: EncryptedArray) -> EncryptedArray:
        result._labels = self._x.columns if self._x.ndim == 2 else None  # those of a vector belong to its rows
        return result

    def __repr__(self) -> str:
        labels = "encrypted" if self.labels is None else f"{len(self)} groups"
        return f"Groups({labels} of {self._x.shape[0]} rows)"


def group_by(x: EncryptedArray, labels: ArrayLike | EncryptedArray) -> Groups:
    """Groups the rows of ``x`` (its first axis) by labels, for sums, means and numbers of rows.

    labels: one for each row, numbers or texts in the clear: an array, a list, a Series. Or an encrypted matrix, rows x
    groups, that is 1 where the row belongs to the group and else 0. Results have one row for each group, in the order
    of ``groups.labels``, which is sorted. Errors: InvalidArgument.
    """
    if not isinstance(x, EncryptedArray) or x.ndim not in (1, 2):
        raise InvalidArgument("group_by was given no encrypted vector or matrix", "encrypt it: ctx.encrypt(rows, keys)")
    if isinstance(labels, EncryptedArray):
        if labels.ndim != 2 or labels.shape[0] != x.shape[0]:
            raise InvalidArgument(
                f"encrypted labels of shape {labels.shape} for {x.shape[0]} rows", "give an indicator, rows x groups"
            )
        return Groups(x, None, labels)
    given = np.asarray(labels)
    if is_masked(labels) or given.shape != (x.shape[0],) or given.dtype.kind not in "biufUSO":
        raise InvalidArgument(
            f"labels are {kind_of(labels)} of shape {given.shape}", f"give one label for each of the {x.shape[0]} rows"
        )
    if given.dtype.kind == "O":
        given = given.astype(str) if all(isinstance(label, str) for label in given) else given
    if given.dtype.kind == "O" or (given.dtype.kind == "f" and not np.all(np.isfinite(given))):
        raise InvalidArgument("labels are neither numbers nor texts, or a label is missing", "fill the missing ones")
    different, group = np.unique(given, return_inverse=True)
    return Groups(x, different, np.equal.outer(group.reshape(-1), np.arange(len(different))))
