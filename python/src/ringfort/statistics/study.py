# SPDX-License-Identifier: Apache-2.0
"""A study: the facts on which the analyst, the users and the aggregator agree before the first upload.

Users encrypt their records under the analyst's public key. The aggregator computes encrypted totals of the records. The
analyst decrypts the totals."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core import statistics as core
from ..encrypted.verbs.labels import is_frame
from ..errors import InvalidArgument
from ..units import quantity
from ..values import flag, is_masked, shown, text, to_doubles, whole

__all__ = ["Study"]

_WANTED = {"means": core.Wanted.means, "variances": core.Wanted.variances, "regressions": core.Wanted.regressions}
_MOST_DECIMALS = 9
_MOST_DIGITS = 21  # a whole number in a study's text has at most this many digits
_ROUNDING = 1e-6  # a value that is at most this many units from a whole number of units is taken as whole


@dataclass(frozen=True, eq=False)
class Study:
    """The columns of the users' records, and the requested statistics.

    columns: maps the name of each column to (low, high), or to (low, high, decimals). ``low`` and ``high`` are the
    smallest and the largest value. ``decimals`` is the largest number of digits after the decimal point. Totals are
    exact. wanted: "means"; "variances", which include means; or "regressions", which include means, variances and
    covariances. uploads: the largest number of uploads. records: the largest number of records in one upload.

    each_slot: if False, statistics are over all records of all users. If True, a column of a user is a vector of
    ``records`` elements, and the statistics of each element are over the users. scheme: "bgv" or "bfv". The results do
    not depend on the scheme. Errors: InvalidArgument.
    """

    columns: Mapping[str, tuple[float, ...]]
    wanted: str = "variances"
    uploads: int = 10_000
    records: int = 1
    each_slot: bool = False
    scheme: str = "bgv"

    def __post_init__(self) -> None:
        _require_one_of("wanted", self.wanted, list(_WANTED))
        _require_one_of("scheme", self.scheme, ["bgv", "bfv"])
        if not isinstance(self.columns, Mapping):
            raise InvalidArgument(f"columns is {shown(self.columns)}", 'give names and ranges: {"age": (0, 120)}')
        columns = {name: _plain_range(given) for name, given in self.columns.items()}
        object.__setattr__(self, "columns", MappingProxyType(columns))
        core.check(self.plain())

    def _facts(self) -> tuple[Any, ...]:
        """Returns all fields, for comparisons. The first element has the columns in their order in uploads."""
        return (tuple(self.columns.items()), *(getattr(self, field.name) for field in fields(self)[1:]))

    def __eq__(self, other: object) -> bool:
        return self._facts() == other._facts() if isinstance(other, Study) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._facts())

    def __reduce__(self) -> Any:
        columns, *others = self._facts()
        return Study, (dict(columns), *others)

    def __repr__(self) -> str:
        others = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self)[1:])
        return f"Study({dict(self.columns)}, {others})"

    def plain(self) -> core.Study:
        """Returns the library's form of the study. Ranges are whole numbers of units: a unit is the last decimal of the
        column. Errors: InvalidArgument."""
        study = core.Study()
        study.columns = [_column(name, given) for name, given in self.columns.items()]
        study.wanted = _WANTED[self.wanted]
        study.uploads = whole("uploads", self.uploads, 2**63)
        study.records = whole("records", self.records, 2**32)
        study.each_slot = flag("each_slot", self.each_slot)
        return study

    def index(self, column: str) -> int:
        """Returns the number of a column. Errors: InvalidArgument."""
        if column not in self.columns:
            raise InvalidArgument("there is no such column", "columns: " + ", ".join(self.columns))
        return list(self.columns).index(column)

    def units(self, column: str) -> int:
        """Returns 10^decimals of a column: the number of units in 1. A unit is the column's last decimal."""
        return int(10 ** _decimals(self.columns[column]))

    def table(self, values: Mapping[str, ArrayLike]) -> NDArray[np.int64]:
        """Returns the values as whole numbers of units, one row for each column. A unit is the column's last decimal.
        Errors: InvalidArgument."""
        by_name = isinstance(values, Mapping) or is_frame(values)
        if not by_name or set(values) != set(self.columns):
            raise InvalidArgument(
                f"the {len(list(values))} columns do not have the names of the study's columns"
                if by_name
                else f"the columns are of type {type(values).__name__}",
                "give a sequence for each of: " + ", ".join(self.columns),
            )
        rows = [_units(name, values[name], given) for name, given in self.columns.items()]
        if len({row.size for row in rows}) != 1:
            raise InvalidArgument(
                "the columns have different lengths: " + ", ".join(f"{n} {r.size}" for n, r in zip(self.columns, rows)),
                "give a value for every column of every record",
            )
        return np.stack(rows)

    def to_json(self) -> str:
        """Returns the study as text that ``Study.from_json`` reads."""
        document = {field.name: getattr(self, field.name) for field in fields(self)}
        return json.dumps(document | {"columns": {name: list(given) for name, given in self.columns.items()}}, indent=1)

    @classmethod
    def from_json(cls, document: str) -> Study:
        """Reads the text of ``to_json``. Errors: InvalidArgument."""
        if (found := _parsed(document)) is None:  # the parser's own error would contain the document
            raise InvalidArgument("the text is not a study", "give the text of Study.to_json()")
        return cls(**found)


def _parsed(document: str) -> dict[str, Any] | None:
    try:
        found = json.loads(document, parse_int=_parsed_whole)
        found["columns"] = {name: tuple(given) for name, given in found["columns"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return found if set(found) <= {field.name for field in fields(Study)} else None


def _require_one_of(name: str, given: object, known: list[str]) -> None:
    if not isinstance(given, str) or given not in known:
        raise InvalidArgument(f"{name} is {shown(given)}", "give one of: " + ", ".join(known))


def _parsed_whole(digits: str) -> int:
    """Parses an integer. Limits its number of digits, because int() takes quadratic time."""
    if len(digits) > _MOST_DIGITS:
        raise ValueError
    return int(digits)


def _plain_range(given: Any) -> Any:
    """Converts the numbers of a range to Python's numbers, which a file can contain. Does not change other objects,
    which _column() refuses."""
    return tuple(map(_plain_number, given)) if isinstance(given, (list, tuple)) else given


def _plain_number(value: Any) -> Any:
    if isinstance(value, Integral):
        return int(value)
    if not isinstance(value, (Real, Decimal)):
        return value
    given: Any = value
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return value
    return int(given) if abs(number) < 2.0**62 and given == int(given) else number


def _decimals(given: tuple[float, ...]) -> int:
    return operator.index(given[2]) if len(given) == 3 else 0  # type: ignore[arg-type]


def _column(name: object, given: object) -> core.Column:
    title = text("a column's name", name)
    if not title.isprintable() or not title:  # a terminal obeys escape sequences and characters that reverse text
        raise InvalidArgument("a column's name is empty, or has characters that cannot be printed", "rename it")
    try:
        low, high = given[:2]  # type: ignore[index]
        if not all(isinstance(end, (Real, Decimal)) for end in (low, high)):  # text times 10**9 is long
            raise TypeError
        decimals = _decimals(given)  # type: ignore[arg-type]
        if len(given) > 3 or not 0 <= decimals <= _MOST_DECIMALS:  # type: ignore[arg-type]
            raise ValueError
        scaled = [round(end * 10**decimals) for end in (low, high)]
        if any(abs(end * 10**decimals - whole) > _ROUNDING for end, whole in zip((low, high), scaled)):
            raise ValueError
        return core.Column(title, *(max(-(2**62), min(end, 2**62)) for end in scaled))
    except (TypeError, ValueError, OverflowError, IndexError):
        raise InvalidArgument(
            f"column {shown(name)} has the range {_shown_range(given)}",
            "give (low, high), or (low, high, decimals) with 0 to 9 decimals; low and high must have no more decimals",
        ) from None


def _shown_range(given: object) -> str:
    return f"({', '.join(map(shown, given))})" if isinstance(given, (tuple, list)) else shown(given)


def _numbers(name: str, values: ArrayLike) -> NDArray[Any]:
    if is_masked(values):
        raise InvalidArgument(f"column {name!r} has masked values", "leave these records out")
    try:
        array = np.atleast_1d(np.asarray(values))
        if array.dtype.kind == "O" and all(map(_is_number, array.flat)):
            array = array.astype(np.float64)
    except (ValueError, TypeError, OverflowError, np.ma.MaskError):
        array = np.empty((0, 0))
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        kind = type(values).__name__ if array.ndim == 1 or array.size == 0 else f"an array of {array.ndim} axes"
        of_dtype = f" of {array.dtype}" if array.ndim == 1 else ""
        raise InvalidArgument(f"column {name!r} is given as {kind}{of_dtype}", "give a sequence of numbers")
    # The conversion of a float16 to units could overflow.
    return to_doubles(f"column {name!r}", array) if array.dtype.kind == "f" else array


def _is_number(value: object) -> bool:
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool)  # databases return Decimals


def _units(name: str, values: ArrayLike, given: tuple[float, ...]) -> NDArray[np.int64]:
    decimals = _decimals(given)
    array = _numbers(name, values)
    if not np.all(np.isfinite(array)):
        raise InvalidArgument(f"column {name!r} has values that are not finite numbers", "leave them out")
    half = 10.0**-decimals / 2  # a value outside the range by less than ``half`` fails in the check of digits below
    if np.any(array < given[0] - half) or np.any(array > given[1] + half):
        raise InvalidArgument(
            f"column {name!r} has values outside {given[0]} .. {given[1]}",
            "leave them out, or declare a wider range in the study",
        )
    if array.dtype.kind != "f":
        return np.ascontiguousarray(array).astype(np.int64) * 10**decimals
    scaled = array * 10.0**decimals
    if np.any(np.abs(scaled - np.rint(scaled)) > _ROUNDING):
        takes = f"numbers with at most {quantity(decimals, 'digit')} after the point" if decimals else "whole numbers"
        raise InvalidArgument(
            f"column {name!r} accepts only {takes}",
            "round the values (as float64), or declare (low, high, decimals) in the study",
        )
    return np.ascontiguousarray(np.rint(scaled)).astype(np.int64)
