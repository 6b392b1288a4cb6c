# SPDX-License-Identifier: Apache-2.0
"""Benchmark rows: {"name", "device", "params", "unit", "min", "median", "max", "limit_share", "versus"}.

A comparison has a ratio: our median divided by the other library's median. For times, a ratio below 1 means that we are
faster. limit_share is the fraction of a physical limit that the row reaches, or None if the row has no limit. LIMITS
names the limits. bench/limit.h and bench/search_limit.h have their formulas.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ..errors import InvalidArgument

__all__ = ["LIMITS", "Row", "Versus", "document", "is_wanted", "no_row", "require_row", "row_of", "summary"]

_VECTORS = "the multiplications alone, at two full vectors per cycle"
_ROOF = (
    "the larger of two times: the time of all products or butterflies, at the measured rate; and the time to move all "
    "bytes, at the bandwidth of a copy"
)
LIMITS = {
    "ntt": _VECTORS,
    "polymul": _VECTORS,
    "inner_product": _VECTORS,
    "limbs": _VECTORS + "; only for the rows convert and key_product, whose time is products by weights",
    "modmul": "the multiplications alone (three for a product of residues, or one with builtin), at one 64-bit word or "
    "two vectors of 32-bit words per cycle",
    "ops": "the larger of two times: the time of all products of residues (two or four multiplications each), at two "
    "full vectors per cycle; and the time to move operands, keys and result once, at the bandwidth measured for as "
    "many bytes",
    "pim": "the design's limits: cycles, milliseconds, and 4 GB of the host's memory",
    "gpu-ntt": _ROOF,
    "gpu-reduction": _ROOF,
    "gpu-ops": _ROOF,
    "gpu-matmul": _ROOF,
    "gpu-roofline": _ROOF,
    "search": "the larger of two times: the time to read all ciphertext bytes, at the measured memory bandwidth; and "
    "the time of all multiplications (and the key stream, if rows are expanded or encrypted), at two full vectors per "
    "cycle; for sequential, the multiplications alone, at one word per cycle",
}
"""Maps a benchmark to the definition of its limit, of which ``limit_share`` is a fraction."""


@dataclass(frozen=True)
class Versus:
    """The time of another library for the same work."""

    peer: str
    version: str
    median: float
    ratio: float


@dataclass(frozen=True)
class Row:
    """One measured number."""

    name: str
    device: str
    params: dict[str, Any]
    unit: str
    min: float
    median: float
    max: float
    limit_share: float | None = None
    versus: tuple[Versus, ...] = field(default=())

    def against(self, peer: str, version: str, median: float) -> Row:
        """Returns the row with one more comparison. ``median`` is in the unit of the row."""
        return replace(self, versus=(*self.versus, Versus(peer, version, median, self.median / median)))

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "versus": [asdict(v) for v in self.versus]}


def summary(samples: Iterable[float]) -> tuple[float, float, float]:
    """Returns the minimum, the median and the maximum."""
    values = sorted(samples)
    return values[0], statistics.median(values), values[-1]


def row_of(found: dict[str, Any]) -> Row:
    """Makes a row from a dictionary of the extension module."""
    versus = tuple(Versus(**peer) for peer in found.get("versus", ()))
    return Row(**{**found, "versus": versus})


def is_wanted(name: str, only: tuple[str, ...]) -> bool:
    """Tells whether a row's name begins with a string in ``only``, or ``only`` is empty."""
    return not only or name.startswith(only)


def require_row(only: tuple[str, ...], groups: Iterable[str]) -> None:
    """Refuses ``only`` if none of its strings can begin a name that begins with one of ``groups``. Call it before rows
    are measured. Errors: InvalidArgument."""
    if only and not any(group.startswith(only) or one.startswith(group) for group in groups for one in only):
        raise no_row(only)


def no_row(only: Iterable[str]) -> InvalidArgument:
    """Makes the error for a benchmark that has no row with such a beginning."""
    return InvalidArgument(f"no row begins with {' or '.join(only)}", "run without --only to see all names")


def document(machine: dict[str, Any], rows: Iterable[Row]) -> dict[str, Any]:
    return {"machine": machine, "rows": [row.as_dict() for row in rows]}
