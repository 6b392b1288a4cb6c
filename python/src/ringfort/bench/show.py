# SPDX-License-Identifier: Apache-2.0
"""Shows benchmark rows as a table on the terminal, and as a report with a plot for each unit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from rich.table import Table

from .. import units
from ..report import Report
from .rows import Row, Versus

__all__ = ["COLUMNS", "cells", "is_extrapolated", "machine_line", "terminal_table", "write_report"]

_PARAMETERS = "parameters"
_WIDE = 120  # columns of a terminal in which names have one line
COLUMNS = ("name", _PARAMETERS, "median", "min .. max", "unit", "of the limit", "versus (ratio: ours / theirs)")


def machine_line(machine: dict[str, Any]) -> str:
    memory, cores = machine.get("memory_bytes") or 0, machine["cores"]
    return (
        f"{machine['cpu']}, {cores} core{'s' if cores != 1 else ''}, {memory / 2**30:.0f} GiB, "
        f"{machine['kernels']} kernels, {machine['os']}, {machine['compiler']}, ringfort {machine['ringfort']}, "
        f"load before {machine['load_before']}"
    )


def cells(row: Row) -> tuple[str, ...]:
    """Returns the cells of a row, in the order of COLUMNS."""
    parameters = " ".join(f"{name}={_parameter(value)}" for name, value in row.params.items())
    share = "" if row.limit_share is None else f"{row.limit_share:.0%}"
    spread = f"{units.number(row.min)} .. {units.number(row.max)}"
    return (
        row.name,
        parameters,
        units.number(row.median) + (" (extrapolated)" if is_extrapolated(row) else ""),
        spread,
        units.symbol(row.unit),
        share,
        "; ".join(map(_versus, row.versus)),
    )


def is_extrapolated(row: Row) -> bool:
    """Tells whether the row was measured for fewer items and then scaled. Its parameters state the number of measured
    items."""
    return any(name.startswith("scaled_from") for name in row.params)


def terminal_table(title: str, rows: Iterable[Row], width: int) -> Table:
    """Makes a table for the terminal. It has no column of parameters: the JSON file and the page contain them. It has
    no column that is empty in all rows. It never shortens medians. width: columns of the terminal; in a narrow terminal
    long names continue on the next line."""
    table = Table(title=title, title_justify="left", header_style="bold")
    columns = [(name, texts) for name, *texts in zip(COLUMNS, *map(cells, rows), strict=True) if name != _PARAMETERS]
    shown = [(name, texts) for name, texts in columns if any(texts)]
    for name, texts in shown:
        numeric = name in ("median", "min .. max", "of the limit")
        least = max(map(len, texts)) if name == "median" else None
        whole = name == "name" and width >= _WIDE
        side: Literal["left", "right"] = "right" if numeric else "left"
        table.add_column(name, justify=side, overflow="fold", no_wrap=whole, min_width=least)
    for row in zip(*(texts for _, texts in shown), strict=True):
        table.add_row(*row)
    return table


def write_report(
    path: str | os.PathLike[str], title: str, machine: dict[str, Any], rows: Sequence[Row], report: Report | None = None
) -> Path:
    """Writes a page: the parts of ``report``, then a table of all rows, then a bar plot of medians for each unit."""
    page = report or Report(title)
    page.heading("Rows")
    filled = [(column, texts) for column, *texts in zip(COLUMNS, *map(cells, rows), strict=True) if any(texts)]
    shown = [(name, texts) for name, texts in filled if name != _PARAMETERS]
    page.table(machine_line(machine), [name for name, _ in shown], [*zip(*(texts for _, texts in shown))])
    if len(shown) < len(filled):
        listed = [texts[:2] for texts in map(cells, rows)]
        page.table("", COLUMNS[:2], listed, folded="Parameters of each row")
    for unit in dict.fromkeys(row.unit for row in rows):
        same = [row for row in rows if row.unit == unit]
        height = 1.2 + 0.28 * len(same)
        page.figure(
            f"Medians in {units.symbol(unit)}; black lines span minimum to maximum",
            partial(bars, rows=same),
            height=height,
        )
    return page.write(path)


def bars(axes: Any, rows: Sequence[Row]) -> None:
    """Draws one horizontal bar per row. The axis is logarithmic if the medians span more than two decades."""
    medians = [row.median for row in rows]
    spread = [[row.median - row.min for row in rows], [row.max - row.median for row in rows]]
    axes.barh([_label(row, rows) for row in rows], medians, xerr=spread, color="#4477aa", ecolor="#222222")
    if min(medians) > 0 and max(medians) > 100 * min(medians):
        axes.set_xscale("log")
    else:
        axes.locator_params(axis="x", nbins=6)  # with more labels, long numbers would overlap
        axes.xaxis.set_major_formatter("{x:,g}")
    axes.invert_yaxis()
    axes.set_xlabel(units.symbol(rows[0].unit))


def _label(row: Row, rows: Sequence[Row]) -> str:
    twins = sum(other.name == row.name for other in rows)
    return row.name if twins == 1 else f"{row.name} {' '.join(f'{k}={v}' for k, v in row.params.items())}"


def _parameter(value: object) -> str:
    return units.number(value).replace(",", "") if isinstance(value, float) else str(value)


def _versus(other: Versus) -> str:
    version = f" {other.version}" if other.version else ""
    return f"{other.peer}{version} {units.number(other.median)} ({other.ratio:.3g})"
