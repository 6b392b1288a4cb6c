# SPDX-License-Identifier: Apache-2.0
"""A table of measured times. The library uses it to choose between transforms on a GPU: ``cuda:0,times=FILE``.

Columns are separated by tabs. src/backend/device/measured_times.h describes them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .rows import Row

__all__ = ["transform_times"]

_FIRST_LINE = "ringfort times of transforms 1"
_ROW = re.compile(r"(?:ntt/(?P<own>forward|inverse)|variant/(?P<direction>forward|inverse)/(?P<name>[\w-]+/\w+))/n\d+/")
_WORD_BITS = 32
_ALTERNATING = ("tom/", "tom16/")  # variants that interleave polynomials, which the library's transforms do not do


def transform_times(chip: str, rows: Sequence[Row]) -> str:
    """Returns the table of a chip from the rows of ``bench gpu-ntt``. Without measured times, the table has only
    its first line."""
    found: dict[tuple[int, int, int, str], dict[str, float]] = {}
    for row in rows:
        if row.unit != "us" or (match := _ROW.match(row.name)) is None:
            continue
        name = match["name"] or "own"
        if name.startswith(_ALTERNATING):
            continue
        word = _WORD_BITS if row.params["q_bits"] < _WORD_BITS else 2 * _WORD_BITS
        key = (word, row.params["n"].bit_length() - 1, row.params["batch"], name)
        found.setdefault(key, {})[match["own"] or match["direction"]] = row.median
    lines = [
        "\t".join((chip, *map(str, key), f"{sum(us.values()):.6g}"))
        for key, us in sorted(found.items())
        if len(us) == 2  # forward and inverse transforms
    ]
    return "\n".join((_FIRST_LINE, *lines)) + "\n"
