# SPDX-License-Identifier: Apache-2.0
"""Writes the timeline of a run as one self-contained page. Each pipe has a row. The mouse wheel zooms, and hovering
explains a bar.

The data are the simulator's Chrome trace. The script of the page is timeline.js beside this module.
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
canvas{width:100%;display:block;border:1px solid #8884;cursor:grab}#tip{min-height:1.5em;font-family:monospace}"""


def write_timeline(trace: Path, page: Path, title: str) -> None:
    """Writes the page. Errors: IoWrite."""
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
    data = json.dumps({"rows": rows, "slices": slices}, separators=(",", ":")).replace("<", "\\u003c")
    script = Path(__file__).with_name("timeline.js").read_text(encoding="utf-8")
    text = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{html.escape(title)}</h1>"
        "<p>Cycles from left to right. Wheel: zoom; drag: move; double click: all.</p>"
        f'<canvas id="plot"></canvas><p id="tip"></p><script>const DATA={data};\n{script}</script></body></html>\n'
    )
    try:
        write_whole(page, text)
    except OSError as error:
        raise IoWrite(f"the timeline {page} cannot be written: {error.strerror}", "choose another path") from None
