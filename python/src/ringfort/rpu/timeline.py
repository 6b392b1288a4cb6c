# SPDX-License-Identifier: Apache-2.0
"""Writes the timeline of a run as one HTML file. Each pipe of the ring processor (load and store, compute, shuffle) has
a row of bars. The mouse wheel zooms. The page describes the bar under the mouse.

The data come from the Chrome trace of the simulator. timeline.js, beside this module, is the script of the page.
"""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from ..errors import IoWrite
from ..whole_files import write_whole

__all__ = ["write_timeline"]

_STYLE = """body{font:14px system-ui,sans-serif;margin:1rem;color-scheme:light dark}
canvas{width:100%;display:block;border:1px solid #8884;cursor:grab}#tip{min-height:1.5em;font-family:monospace}
table{border-collapse:collapse}td,th{padding:.2rem .8rem;border-bottom:1px solid #8884;text-align:left}
td+td,th+th{text-align:right}p{max-width:60rem}"""
_WAITS = (
    "A bar of the last row is an instruction that the front end holds back. Its name says why, and for how many "
    "cycles: front_end: decoding and issuing; busyboard: a register is in use, by the instruction with the number "
    "behind “by”; queue: the queue of the pipe is full; port: a port of the register memory is taken. Pointing at a "
    "bar shows its whole name, the instruction's number and its cycles."
)


def _busy(rows: list[str], slices: list[list[Any]], end: int) -> str:
    """Returns a table with the number of cycles in which each row is busy. end: the number of cycles of the run."""
    body = ""
    for row, name in enumerate(rows):
        spans = sorted((start, start + lasts) for at, start, lasts, *_ in slices if at == row)
        busy = reached = 0
        for start, stop in spans:  # because bars of one row may overlap
            busy += max(0, stop - max(start, reached))
            reached = max(reached, stop)
        share = f"{busy / end:.0%}" if end else ""
        body += f"<tr><td>{html.escape(name)}</td><td>{len(spans):,}</td><td>{busy:,}</td><td>{share}</td></tr>"
    return f"<table><tr><th>row</th><th>bars</th><th>cycles</th><th>of {end:,}</th></tr>{body}</table>"


def write_timeline(trace: Path, page: Path, title: str, cycles: int) -> None:
    """Writes the page of a run. trace: the Chrome trace of the run. cycles: the number of cycles of the run. Errors:
    IoWrite."""
    events: list[dict[str, Any]] = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    rows = [event["args"]["name"] for event in events if event["ph"] == "M"]
    slices = [
        [
            event["tid"],
            event["ts"],
            event["dur"],
            event["name"],
            event["args"].get("pc"),
            event["args"].get("waited", ""),
        ]
        for event in events
        if event["ph"] == "X"
    ]
    notes = f"<p>{_WAITS}</p>" if "front end waits" in rows else ""
    data = json.dumps({"rows": rows, "slices": slices}, separators=(",", ":")).replace("<", "\\u003c")
    script = Path(__file__).with_name("timeline.js").read_text(encoding="utf-8")
    text = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{html.escape(title)}</h1>"
        "<p>Clock cycles from left to right. Wheel: zoom; drag: move; double click: all.</p>"
        f'<canvas id="plot"></canvas><p id="tip"></p>{_busy(rows, slices, cycles)}{notes}'
        f"<script>const DATA={data};\n{script}</script></body></html>\n"
    )
    try:
        write_whole(page, text)
    except OSError as error:
        raise IoWrite(f"the timeline {page} cannot be written: {error.strerror}", "choose another path") from None
