# SPDX-License-Identifier: Apache-2.0
"""Summary: the result of a study for the analyst. It has exact totals, and computes statistics from the totals."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import statistics as core
from ..errors import InvalidArgument, KeyMissing
from ..logs import recorded
from ..units import quantity
from ..values import whole
from .keys import Keys
from .uploads import Result, Upload, require_same_study

__all__ = ["Regression", "Summary", "decrypt"]


@dataclass(frozen=True)
class Regression:
    """The least-squares fit of target = intercept + sum of coefficient * feature over all features. r_squared: the
    share of the target's variance that the fit explains, in 0 .. 1."""

    target: str
    intercept: float
    coefficients: dict[str, float]
    r_squared: float


class Summary:
    """Counts, exact totals and statistics. A total is a whole number of units: a unit is the last decimal of the
    column. A statistic is not in units, but on the scale of the column's values.

    In a study with each_slot, a column of a user is a vector, and a *slot* is one of its elements. A statistic is then
    a vector with an element for each slot. ``regress`` has a parameter for the slot.
    """

    def __init__(self, keys: Keys, totals: core.Totals) -> None:
        self.study = keys.study
        self._plain = keys.public._plain
        self._totals = totals

    @property
    def uploads(self) -> int:
        """Number of uploads in the totals."""
        return int(self._totals.uploads)

    @property
    def records(self) -> int:
        """Number of records in the totals. A mean is a total divided by this number. With each_slot, it is the number
        of records in each slot."""
        return int(self._totals.records)

    def sums(self, column: str) -> list[int]:
        """Returns the total of a column in units. The list has one number, or with each_slot a number for each slot."""
        return list(self._totals.sums[self.study.index(column)])

    def products(self, a: str, b: str) -> list[int]:
        """Returns the total of the products of two columns. The list is as in ``sums``. Errors: InvalidArgument (the
        study does not compute them)."""
        return list(self._totals.products[self._plain.product(self.study.index(a), self.study.index(b))])

    def mean(self, column: str) -> Any:
        """Returns the mean of a column as a float. With each_slot, returns a vector. Errors: InvalidArgument."""
        at, unit = self.study.index(column), self.study.units(column)
        return self._each([core.mean(self._totals, at, slot) / unit for slot in self._slots()])

    def variance(self, column: str, ddof: int = 0) -> Any:
        """Returns the variance of a column. The divisor is records - ddof, as in numpy.var. Errors: those of
        ``covariance``."""
        return self.covariance(column, column, ddof)

    def covariance(self, a: str, b: str, ddof: int = 0) -> Any:
        """Returns the covariance of two columns. Errors: InvalidArgument (the study does not compute it, or there are
        too few records)."""
        at, scale = (self.study.index(a), self.study.index(b)), self.study.units(a) * self.study.units(b)
        less = whole("ddof", ddof, 2**32)
        return self._each([core.covariance(self._totals, *at, less, slot) / scale for slot in self._slots()])

    def regress(self, target: str, features: Sequence[str], slot: int = 0) -> Regression:
        """Fits the column ``target`` to the columns ``features`` by least squares.

        Errors: InvalidArgument (the study does not compute regressions, the features are linearly dependent, the target
        is a feature, or there are too few records).
        """
        names = [features] if isinstance(features, str) else list(features)
        if target in names:
            raise InvalidArgument("the target is among the features", "leave it out of the features")
        indices = [self.study.index(name) for name in names]
        found = core.regress(self._totals, self.study.index(target), indices, whole("slot", slot, 2**32))
        units = self.study.units(target)
        coefficients = [c * self.study.units(name) / units for c, name in zip(found.coefficients, names)]
        return Regression(target, found.intercept / units, dict(zip(names, coefficients)), found.r_squared)

    def _slots(self) -> range:
        return range(len(self._totals.sums[0]))

    def _each(self, values: list[float]) -> float | NDArray[np.float64]:
        return np.array(values) if self.study.each_slot else values[0]

    def __repr__(self) -> str:
        counts = f"{quantity(self.records, 'record')} of {quantity(self.uploads, 'upload')}"
        return f"Summary({', '.join(self.study.columns)}; {counts})"


@recorded("statistics.decrypt")
def decrypt(result: Result | bytes | str | os.PathLike[str], keys: Keys) -> Summary:
    """Decrypts totals. Only the analyst can do so. result: the Result of an aggregator, its bytes or the path of its
    file.

    Errors: KeyMissing (``keys`` has no secret key), ParametersMismatch (the result belongs to other keys or to another
    study), RangeExceeded (records within their ranges cannot have these totals: an upload or the result is malformed or
    false), NoiseBoundExceeded, the Io errors.
    """
    if not isinstance(keys, Keys):
        raise KeyMissing(f"decrypt was given {type(keys).__name__}", "only the analyst's Keys decrypt totals")
    public = keys.public
    if isinstance(result, (Result, Upload)):
        require_same_study(result, public, Result)
    if not isinstance(result, Result) or result.keys is not public:
        result = Result.load(result.to_bytes() if isinstance(result, Result) else result, public)
    totals = public.module.decrypt_totals(public.home, public._plain, keys._keys._secret, result._found)
    return Summary(keys, totals)
