# SPDX-License-Identifier: Apache-2.0
"""Makes the HTML page of the demonstration (demo.py). The page shows the result, the data that each party sees, the
estimates beside the measured values, the queries, and the engines."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from .. import units
from ..bench.machine import describe
from ..bench.rows import Row
from ..bench.show import cells, machine_line
from ..bench.show_search import ENGINES, draw_engines, engine_of
from ..report import Report

__all__ = ["COLUMNS", "Outcome", "page", "row_of"]

COLUMNS = ("word", "decrypted", "plain", "messages", "right", "search, s", "answer, KB")


@dataclass(frozen=True)
class Outcome:
    """The result of one query."""

    word: str
    counted: list[int]  # decrypted, a count for each message
    plain: list[int]
    seconds: float
    answer_bytes: int

    @property
    def right(self) -> bool:
        return self.counted == self.plain


def row_of(outcome: Outcome) -> tuple[str, ...]:
    """Returns the cells of an outcome in the order of COLUMNS."""
    return (
        outcome.word,
        str(sum(outcome.counted)),
        str(sum(outcome.plain)),
        str(sum(count > 0 for count in outcome.counted)),
        "yes" if outcome.right else "NO",
        f"{outcome.seconds:.2f}",
        f"{outcome.answer_bytes / 1000:.1f}",
    )


def page(
    text: str,
    facts: Sequence[tuple[str, str]],
    measured: Mapping[str, str],
    outcomes: Sequence[Outcome],
    rows: Sequence[Row],
) -> Report:
    """Makes the page. text: a name for the messages. measured: measured values under the names of ``facts``."""
    report = Report("Encrypted word search")
    wrong = sum(not outcome.right for outcome in outcomes)
    verdict = (
        f"all {len(outcomes)} counts are right: they equal counts in the clear"
        if not wrong
        else f"{units.quantity(wrong, 'count')} WRONG: counts in the clear are different"
    )
    times = sorted(outcome.seconds for outcome in outcomes)
    report.summary(
        f"Messages of {text} were encrypted word by word. A server without any key counted words in them, and "
        f"{verdict}. A search took {units.duration(times[len(times) // 2])} (median)."
    )
    report.heading("Who sees what")
    report.plot("The server never holds a key that decrypts", _picture())
    report.table("", ("party", "sees", "does not see"), _SEES)
    report.heading("Queries")
    report.table("Present and absent words", COLUMNS, [row_of(outcome) for outcome in outcomes])
    report.heading("Cost and guarantees")
    report.table(
        "", ("what", "estimated", "measured"), [(name, value, measured.get(name, "")) for name, value in facts]
    )
    if rows:
        report.heading("Engines")
        report.paragraph("The engines count the same words with different algorithms. The index is already in memory.")
        height = 1.4 + 0.32 * len(rows)
        report.figure("Time per word, by engine, 32 hash bits", partial(draw_engines, rows=rows), height=height)
        report.table(
            "", ("engine", "threads", "ms per word", "what it computes", "published (ours / theirs)"), _engines(rows)
        )
    report.paragraph(f"Measured on: {machine_line(describe())}")
    return report


def _engines(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for row in rows:
        name, threads = engine_of(row)
        found.append((name, threads.split()[0], units.number(row.median, 3), ENGINES[name], cells(row)[-1]))
    return found


_SEES = (
    ("sender", "its own messages, the public keys", "the secret key, answers"),
    ("server", "encrypted words, keyed hashes of queries, sizes, times, equal queries", "messages, words, counts"),
    ("owner", "all messages, queries, counts", ""),
)
_BOXES = (("sender", "encrypts each word"), ("server", "adds up equal words"), ("owner", "holds the secret key"))
_ARROWS = (
    (0, 1, 62, "encrypted words"),
    (2, 1, 62, "hash of a word"),
    (1, 2, 102, "one encrypted answer"),
)
_STEP, _BOX, _TALL = 330, 180, 120


def _picture() -> str:
    """Draws the three parties and the data that they send."""
    width = 2 * _STEP + _BOX + 20
    elements = [
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        '<path d="M0,0L8,4L0,8z" style="fill:#333;stroke:none"/></marker></defs>'
    ]
    for i, (name, does) in enumerate(_BOXES):
        x = 10 + i * _STEP
        elements.append(
            f'<rect x="{x}" y="20" width="{_BOX}" height="{_TALL}" rx="8" fill="#eaf1fb" stroke="#3b7dd8"/>'
            + _label(x + _BOX / 2, 72, name, "font-weight:600")
            + _label(x + _BOX / 2, 96, does)
        )
    for source, target, y, what in _ARROWS:
        left = 10 + min(source, target) * _STEP + _BOX + 6
        ends = (left, left + _STEP - _BOX - 12)
        begin, end = ends if source < target else ends[::-1]
        elements.append(f'<line x1="{begin}" y1="{y}" x2="{end}" y2="{y}" stroke="#333" marker-end="url(#tip)"/>')
        elements.append(_label(sum(ends) / 2, y - 9, what))
    return f'<svg class="plot" viewBox="0 0 {width} {_TALL + 40}" role="img">{"".join(elements)}</svg>'


def _label(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="middle" style="{style}">{html.escape(text)}</text>'
