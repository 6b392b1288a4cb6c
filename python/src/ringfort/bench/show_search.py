# SPDX-License-Identifier: Apache-2.0
"""The report of the word search. Compares our numbers with Table 1 and Figure 1 of the paper. An *engine* multiplies
the encrypted bits of a word: engines literal and sequential multiply whole matrices, and the others compute one row of
the product. The base is the base of the digits into which polynomials are decomposed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from .. import units
from ..report import Report
from . import published
from .rows import Row
from .show import is_extrapolated

__all__ = ["ENGINES", "draw_engines", "engine_of", "search_report"]

_ENGINE = re.compile(r"search/(sequential/product|[\w-]+/t\d+)$")


def search_report(title: str, rows: Sequence[Row]) -> Report:
    report = Report(title)
    if text := _summary(rows):
        report.summary(text)
    report.paragraph(
        'Rows "literal" show the published algorithm with its parameters (n = 1024, 31-bit q, full matrix products, '
        "below 128 bits of security). We chose 32 hash bits, because the paper states no number. The other engines, "
        "except sequential, compute the same counts by other algorithms, so their times are for different work."
    )
    if table := _table_1(rows):
        report.heading("Total time of a search")
        report.table("Total time of a search, seconds (Table 1 of the paper)", *table)
    if points := _figure_1(rows):
        report.heading("Words compared at once")
        report.figure(
            "Time per word against the number of words compared at once (Figure 1 of the paper)",
            partial(_draw_figure_1, points=points),
        )
    if engines := [row for row in rows if _ENGINE.match(row.name) and row.unit == "ms/word"]:
        report.heading("Engines")
        report.figure("Time per word, by engine", partial(draw_engines, rows=engines), height=1.4 + 0.32 * len(engines))
        names = list(dict.fromkeys(engine_of(row)[0] for row in engines))
        report.table("What an engine is", ("engine", "what it computes"), [(name, ENGINES[name]) for name in names])
    return report


ENGINES = {
    "literal": "full matrix product, as published; about 110 bits of security",
    "sequential": "as literal, without vector instructions",
    "row-b2": "one row of the product, published parameters, base 2; about 110 bits of security",
    "row-b256": "one row of the product, published ring, base 256; about 110 bits of security",
    "gsw128": "one row of the product, 137 bits of security: the default",
    "gsw128-cw": "as gsw128, with a constant-weight code for the hash",
}


def engine_of(row: Row) -> tuple[str, str]:
    """Returns the engine and the number of threads of a row, as words for a page."""
    words = row.name.split("/")
    threads = next((word[1:] for word in words if re.fullmatch(r"t\d+", word)), "1")
    return words[1], f"{threads} thread{'s' if threads != '1' else ''}"


def _summary(rows: Sequence[Row]) -> str:
    """Compares the default engine with the published algorithm on this machine, and with the published times."""
    times: dict[str, float] = {}
    for row in rows:
        if row.unit == "ms/word" and _ENGINE.match(row.name):
            name = engine_of(row)[0]
            times[name] = min(row.median, times.get(name, row.median))
    if not {"gsw128", "literal"} <= times.keys():
        return ""
    return (
        f"The default engine takes {units.number(times['gsw128'], 3)} ms per word on this machine, the published "
        f"algorithm {units.number(times['literal'], 3)} ms; the paper has {published.FIGURE_1[6]:g} ms on four Xeon Phi"
        f" and {published.GTX_980_MS_A_WORD:g} ms on a GTX 980."
    )


def _table_1(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]] | None:
    ours: dict[tuple[str, int], Row] = {}
    for row in rows:
        if match := re.match(r"search/(sequential|literal)/w(\d+)/t(\d+)$", row.name):
            key = "sequential" if match[1] == "sequential" else ", ".join(engine_of(row))
            ours[key, int(match[2])] = row
    kinds = list(dict.fromkeys(kind for kind, _ in ours))
    if not kinds:
        return None
    columns = ["words", "sequential, published", "four Xeon Phi, published", *(f"{kind}, here" for kind in kinds)]
    body = [
        [
            str(total.words),
            f"{total.sequential_s:,.1f}",
            f"{total.parallel_s:.1f}",
            *(_shown(ours.get((kind, total.words))) for kind in kinds),
        ]
        for total in published.TABLE_1
    ]
    return columns, body


def _shown(row: Row | None) -> str:
    if row is None:
        return ""
    return f"{row.median:,.1f}" + (" (extrapolated)" if is_extrapolated(row) else "")


def _figure_1(rows: Sequence[Row]) -> dict[int, float]:
    found = {}
    for row in rows:
        if match := re.match(r"search/literal/s(\d+)/", row.name):
            found[int(match[1])] = row.median
    return found


def _draw_figure_1(axes: Any, points: dict[int, float]) -> None:
    axes.plot(list(points), list(points.values()), "o-", color="#4477aa", label="here")
    axes.plot(
        list(published.FIGURE_1),
        list(published.FIGURE_1.values()),
        "s",
        color="#cc6677",
        label="four Xeon Phi (published)",
    )
    axes.set_xlabel("words compared at once (s in the paper)")
    axes.set_ylabel("ms per word")
    axes.set_ylim(bottom=0)
    axes.legend()


def draw_engines(axes: Any, rows: Sequence[Row]) -> None:
    """Draws a bar for each of our numbers and a dashed line for each published number, on a logarithmic axis."""
    names = [", ".join(engine_of(row)) for row in rows]
    drawn = axes.barh(names, [row.median for row in rows], color="#4477aa")
    for value, label in ((published.FIGURE_1[6], "four Xeon Phi"), (published.GTX_980_MS_A_WORD, "GTX 980")):
        axes.axvline(value, color="#cc6677", linestyle="--", linewidth=1)
        above = axes.get_xaxis_transform()
        axes.text(value, 1.01, label, color="#cc6677", ha="center", va="bottom", fontsize=8, transform=above)
    axes.bar_label(drawn, fmt=lambda value: units.number(value, 3), padding=3, fontsize=8)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: units.number(value))
    axes.margins(x=0.15)
    axes.invert_yaxis()
    axes.set_xlabel("ms per word (dashed: published)")
