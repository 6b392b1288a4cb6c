# SPDX-License-Identifier: Apache-2.0
"""Report: makes one HTML file from headings, paragraphs, tables, figures and plots. The file needs no other file.

``ringfort.plot`` draws plots, and a script in the page zooms them. matplotlib, which comes with the extra
``ringfort[report]``, draws figures. Without matplotlib, the report says that a figure is missing.
"""

from __future__ import annotations

import html
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import plot, units
from .errors import IoWrite
from .whole_files import require_replaceable, write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Report"]

_STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }
caption { text-align: left; font-weight: 600; padding: .3rem 0 }
th, td { padding: .25rem .8rem; border-bottom: 1px solid #8884; text-align: left }
td.number, th.number { text-align: right }
.bad { color: #c22; font-weight: 600 }
.wide { overflow-x: auto }
.summary { border-left: .25rem solid #3b7dd8; padding-left: 1rem }
figure { margin: 1rem 0; background: #fff; border-radius: .4rem; padding: .5rem }
figure svg { width: 100%; height: auto }
figcaption { color: #555; font-size: .9rem }
"""


_NUMBER = ' class="number"'
_FEWEST_IN_CONTENTS = 3


class Report:
    """Collects the parts of a report in their order. ``write`` makes the file."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._elements: list[str] = []
        self._zooms = False
        self._summary = ""
        self._headings: list[str] = []
        self.palette = plot.Palette()

    def heading(self, text: str) -> None:
        self._headings.append(html.escape(text))
        self._elements.append(f'<h2 id="part-{len(self._headings)}">{self._headings[-1]}</h2>')

    def _contents(self) -> str:
        """Returns links to the headings, if there are at least three headings."""
        links = [f'<li><a href="#part-{i}">{text}</a></li>' for i, text in enumerate(self._headings, 1)]
        return f"<nav><ol>{''.join(links)}</ol></nav>\n" if len(links) >= _FEWEST_IN_CONTENTS else ""

    def summary(self, text: str) -> None:
        """Adds a paragraph with the result of the report, above the list of headings."""
        self._summary += f'<p class="summary">{html.escape(text)}</p>\n'

    def paragraph(self, text: str) -> None:
        self._elements.append(f"<p>{html.escape(text)}</p>")

    def _caption(self, text: str) -> str:
        """Returns a caption. Returns an empty text if the caption is empty, or equal to the heading above it."""
        text = html.escape(text)
        return "" if not text or [text] == self._headings[-1:] else f"<caption>{text}</caption>"

    def table(
        self, caption: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, folded: str = ""
    ) -> None:
        """Adds a table. A column is right-aligned if each of its cells is empty, or begins with a number.

        folded: the text of a line above the table. If it is given, the page shows only this line until a reader opens
        the table.
        """
        kinds = ["" if any(_is_text(row[i]) for row in rows) else _NUMBER for i in range(len(columns))]
        head = "".join(f"<th{kind}>{html.escape(c)}</th>" for kind, c in zip(kinds, columns, strict=True))
        body = "".join("<tr>" + "".join(map(_cell, kinds, row)) + "</tr>\n" for row in rows)
        table = (
            f'<div class="wide"><table>{self._caption(caption)}<thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{body}</tbody></table></div>"
        )
        if folded:
            table = f"<details><summary>{html.escape(folded)}</summary>\n{table}</details>"
        self._elements.append(table)

    def figure(self, caption: str, draw: Callable[[Axes], Any], *, width: float = 8, height: float = 4) -> None:
        """Adds a figure as SVG. draw: a function that draws the figure on axes of matplotlib. width, height: inches."""
        drawn = _svg(draw, width, height) or "<p>(no figure: pip install 'ringfort[report]' draws it)</p>"
        self._elements.append(f"<figure>{drawn}<figcaption>{html.escape(caption)}</figcaption></figure>")

    def plot(self, caption: str, svg: str) -> None:
        """Adds a plot. svg: a plot of ``ringfort.plot``, drawn with the page's ``palette``."""
        self._zooms = True
        shown = self._caption(caption).replace("caption>", "figcaption>")
        self._elements.append(f"<figure>{svg}{shown}</figure>")

    def map(self, caption: str, corner: str, columns: Sequence[object], rows: Mapping[int, Sequence[float]]) -> None:
        """Adds a table of numbers. Cells of larger numbers are darker."""
        low = min(min(values) for values in rows.values())
        high = max(max(values) for values in rows.values())
        body = "".join(
            f"<tr><th>{html.escape(str(name))}</th>" + "".join(_shade(v, low, high) for v in values) + "</tr>\n"
            for name, values in rows.items()
        )
        head = "".join(f"<th>{html.escape(str(text))}</th>" for text in (corner, *columns))
        self._elements.append(
            f'<div class="wide"><table>{self._caption(caption)}<thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{body}</tbody></table></div>"
        )

    def text(self) -> str:
        title = html.escape(self._title)
        style = _STYLE + (plot.STYLE if self._zooms else "")
        script = f"<script>\n{plot.SCRIPT.read_text(encoding='utf-8')}</script>\n" if self._zooms else ""
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f'<meta name="viewport" content="width=device-width"><style>{style}</style></head>\n'
            f"<body><h1>{title}</h1>\n{self._summary}{self._contents()}"
            + "\n".join(self._elements)
            + f"\n{script}</body></html>\n"
        )

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Writes the file and returns its path. Errors: IoWrite."""
        with _errors_of(Path(path)) as target:
            write_whole(target, self.text())
        return target

    @staticmethod
    def require_writable(path: str | os.PathLike[str]) -> None:
        """Makes the folder of a path, and checks that ``write`` can write there. Call it before work that takes
        minutes.

        Errors: IoWrite.
        """
        with _errors_of(Path(path)) as target:
            require_replaceable(target)


@contextmanager
def _errors_of(target: Path) -> Iterator[Path]:
    """Makes the folder of a file. Converts an OSError in the block to IoWrite."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield target
    except OSError as error:
        raise IoWrite(f"the report {target} cannot be written: {error.strerror}", "choose another path") from None


def _is_text(value: object) -> bool:
    """Tells whether a cell is text. A cell that is empty, or begins with a number, is not text."""
    text = str(value).lstrip("-+~< \u2212")
    return not isinstance(value, (int, float)) and text[:1] != "" and not text[:1].isdigit()


def _cell(kind: str, value: object) -> str:
    values = value if isinstance(value, tuple) else (value,)
    return f"<td{kind}>{', '.join(map(_written, values))}</td>"


def _written(value: object) -> str:
    text = html.escape(str(value))
    return f'<a href="{text}">{text}</a>' if isinstance(value, Path) else text  # a page in the same folder


def _shade(value: float, low: float, high: float) -> str:
    lightness = 85 - 60 * (value - low) / ((high - low) or 1)
    ink = "#fff" if lightness < 55 else "#000"
    return f'<td class="number" style="background:hsl(215 60% {lightness:.0f}%);color:{ink}">{units.number(value)}</td>'


def _svg(draw: Callable[[Axes], Any], width: float, height: float) -> str:
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    with matplotlib.rc_context({"svg.hashsalt": "ringfort", "svg.fonttype": "path", "font.size": 10}):
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure.add_subplot())
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]
