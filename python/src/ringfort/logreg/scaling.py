# SPDX-License-Identifier: Apache-2.0
"""Computations of the data owner in the clear. ``Scaling`` turns records into rows of norm at most 1. ``Records`` has
the facts about these rows that a plan (plan.py) needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidArgument
from ..values import matrix_of, numbers_of, positive, shown, whole

__all__ = ["LARGEST_ENTRY", "Records", "Scaling", "labels_of"]

LARGEST_ENTRY = 0.5  # the largest absolute value of an entry of a row; the library's bound on a margin grows with it
_RADIUS = 2.5  # the radius of a scaling, divided by the root mean square norm of (1, new features)
_FLOOR = 0.3  # a scaling adds this number to variances; a standardised feature has the variance 1
_ROUNDING = 1 + 1e-9  # allows for the rounding of doubles
_LARGEST = {"length": 0.5, "reach": 0.5, "window": math.sqrt(0.5), "spread": 1.0}


@dataclass(frozen=True, eq=False, repr=False)
class Scaling:
    """Turns records into rows. A scaling reveals the means and the covariances of the training records. Show it only to
    parties that may know these.

    First, the features are standardised. Then they are rotated to directions that do not correlate. A feature of
    variance v along such a direction is divided by sqrt(v + 0.3). With the new features, gradient steps converge at
    nearly the same speed in all directions. Therefore two steps suffice.

    A row is (1, new features) / radius. The constant first entry is for the intercept. Entries are cut to -1/2 .. 1/2.
    A row whose norm is above 1 is divided by its norm.
    """

    mean: NDArray[np.float64]
    directions: NDArray[np.float64]
    radius: float
    columns: tuple[str, ...] | None = None
    """Names of the features, if the training records were a DataFrame."""

    @classmethod
    def of(cls, x: ArrayLike) -> Scaling:
        """Returns the scaling for training records. x: a matrix, samples x features. Errors: InvalidArgument."""
        records = matrix_of("x", x)
        with np.errstate(over="ignore", invalid="ignore"):
            mean, deviation = records.mean(axis=0), records.std(axis=0)
        if not np.isfinite(deviation).all():
            raise InvalidArgument("x has numbers whose squares exceed the range of doubles", "divide its columns")
        # The computed deviation of a column of equal numbers is at most this bound on rounding errors.
        rounding = len(records) * np.finfo(np.float64).eps * np.abs(mean)
        deviation = np.where(deviation > rounding, deviation, 1.0)
        standard = (records - mean) / deviation
        variances, axes = np.linalg.eigh(standard.T @ standard / len(standard))
        directions = axes / np.sqrt(np.maximum(variances, 0) + _FLOOR) / deviation[:, None]
        mean_square = 1 + float(np.sum(variances / (variances + _FLOOR)))
        return cls(mean, directions, max(1 / LARGEST_ENTRY, _RADIUS * math.sqrt(mean_square)), _columns_of(x))

    def __repr__(self) -> str:
        return f"Scaling({self.mean.size} features)"

    def rows(self, x: ArrayLike) -> NDArray[np.float64]:
        """Returns the rows for records: a matrix, samples x (1 + features). The norm of a row is at most 1. x: records
        with the columns of the training records. Errors: InvalidArgument."""
        records, columns = matrix_of("x", x), _columns_of(x)
        if columns is not None and self.columns is not None and columns != self.columns:
            raise InvalidArgument(
                "x has other columns than the training records, or in another order",
                "choose them in this order: " + ", ".join(self.columns),
            )
        if records.shape[1] != self.mean.size:
            raise InvalidArgument(
                f"x has {records.shape[1]} features, but the scaling has {self.mean.size}",
                "give the columns of the training records",
            )
        decorrelated = (records - self.mean) @ self.directions / self.radius
        rows = np.column_stack([np.full(len(records), 1 / self.radius), decorrelated])
        rows = np.clip(rows, -LARGEST_ENTRY, LARGEST_ENTRY)
        return rows / np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))


def _columns_of(x: object) -> tuple[str, ...] | None:
    return tuple(map(str, x.columns)) if hasattr(x, "columns") else None


@dataclass(frozen=True)
class Records:
    """Facts about the rows x and the labels y (0 or 1) of a training. Whoever sees the plan learns these facts.

    samples: the number of rows. features: the number of features. Let m be mean((y - 1/2) x). ``length`` is the norm of
    m, and ``reach`` is the largest |<x, m>| of all rows x. ``window`` is a bound on |<v, m>| for vectors v that begin
    with the end of a row and continue with the beginning of another row (steps.py says why). ``spread`` is the largest
    eigenvalue of mean(x^T x). If you do not know the records, use the defaults: they are true for all rows of norm at
    most 1. Errors: InvalidArgument.
    """

    samples: int
    features: int
    length: float = 0.5
    reach: float = 0.5
    window: float = math.sqrt(0.5)
    spread: float = 1.0

    def __post_init__(self) -> None:
        for name, most in (("samples", 2**24), ("features", 2**14)):
            if not 1 <= whole(name, getattr(self, name), 2**32) <= most:
                raise InvalidArgument(f"{name} is {shown(getattr(self, name))}", f"give {name} in 1 .. {most}")
        for name, largest in _LARGEST.items():
            if positive(name, getattr(self, name), 20) > largest * _ROUNDING:
                raise InvalidArgument(
                    f"{name} is {getattr(self, name):.4g}, but rows have a norm of at most 1",
                    f"give {name} up to {largest:.4g}: Records.of(rows, y)",
                )

    @classmethod
    def of(cls, rows: ArrayLike, y: ArrayLike) -> Records:
        """Returns the facts about rows and labels, rounded up to 3 digits. rows: the result of ``Scaling.rows``.
        Errors: InvalidArgument."""
        given, labels = matrix_of("rows", rows), labels_of(y)
        require_rows(given)
        if labels.size != len(given):
            raise InvalidArgument(f"there are {len(given)} rows and {labels.size} labels", "give one label per row")
        mean = (labels - 0.5) @ given / len(given)
        beginnings = np.cumsum(np.pad(given * mean, ((0, 0), (1, 0))), axis=1)
        reach, ends = beginnings[:, -1], beginnings[:, -1:] - beginnings
        facts = {
            "length": np.linalg.norm(mean),
            "reach": np.abs(reach).max(),
            "window": (np.abs(ends).max(axis=0) + np.abs(beginnings).max(axis=0)).max(),
            "spread": np.linalg.eigvalsh(given.T @ given / len(given))[-1],
        }
        rounded = {name: _up(float(value), _LARGEST[name]) for name, value in facts.items()}
        return cls(len(given), given.shape[1] - 1, **rounded)

    def require_of(self, rows: NDArray[np.float64], labels: NDArray[np.float64]) -> None:
        """Requires that these facts are true for the given rows and labels. All bounds of a training depend on the
        facts.

        Errors: InvalidArgument.
        """
        found = Records.of(rows, labels)
        for name in _LARGEST:
            if getattr(found, name) > getattr(self, name) * _ROUNDING:
                raise InvalidArgument(
                    f"the records have a larger {name} than those that the plan is for",
                    "plan with their own facts, Records.of(rows, y), or without facts",
                )


def require_rows(rows: NDArray[np.float64]) -> None:
    """Refuses the rows if the norm or an entry of a row is too large. ``Scaling.rows`` does not return such rows.
    Errors: InvalidArgument."""
    if np.max(np.linalg.norm(rows, axis=1)) > _ROUNDING or np.max(np.abs(rows)) > LARGEST_ENTRY:
        raise InvalidArgument(
            f"a row has a norm above 1 or an entry above {LARGEST_ENTRY}", "scale the records: Scaling.of(x).rows(x)"
        )


def _up(value: float, largest: float) -> float:
    """Rounds the value up to 3 digits. The result is at least largest / 1000 and at most ``largest``."""
    digits = 10.0 ** (2 - math.floor(math.log10(max(value, largest / 1000))))
    return min(largest, math.ceil(max(value, largest / 1000) * digits * _ROUNDING) / digits)


def labels_of(y: ArrayLike) -> NDArray[np.float64]:
    """Checks labels, and returns them as a vector of zeros and ones. Errors: InvalidArgument."""
    # numbers_of refuses masked labels. A reshape before this call would hide the mask.
    column = numbers_of("y", y).reshape(-1)
    if not np.all((column == 0) | (column == 1)):
        raise InvalidArgument("y has labels other than 0 and 1", "give one label per record: y = (kind == 'sick')")
    return column
