# SPDX-License-Identifier: Apache-2.0
"""Draws plots as SVG text: points and lines over two axes, and stacked bars. Needs no other package.

On a page, plot.js zooms a plot: it changes the view box. It also sets the CSS variable ``--k``, so that letters and
points keep their size on the screen.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10
from pathlib import Path

from . import units

__all__ = ["SCRIPT", "STYLE", "Axis", "Palette", "Series", "bars", "xy"]

SCRIPT = Path(__file__).with_name("plot.js")
STYLE = """
svg.plot { width: 100%; --k: 1; cursor: grab; touch-action: none }
svg.plot circle { r: calc(4px * var(--k)) }
svg.plot text { font-size: calc(12px * var(--k)); font-family: system-ui, sans-serif; fill: #333 }
svg.plot rect.published { fill: none; stroke-width: calc(2px * var(--k)) }
svg.plot line, svg.plot path { stroke-width: calc(1.5px * var(--k)); fill: none }
"""
_COLOURS = ("#3b7dd8", "#d9822b", "#2ca05a", "#c0392b", "#8e5bd0", "#6b6b6b", "#b59f00", "#00868b")
_PUBLISHED = "#111111"
_LONGEST_LINE = 24  # a legend's mark and this many characters fit in _RIGHT pixels
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM, _RIGHT = 860, 430, 80, 16, 50, 190


@dataclass(frozen=True)
class Axis:
    label: str
    log: bool = False


@dataclass(frozen=True)
class Series:
    """A series of points. labels: texts beside the points. line: True joins the points by lines.

    published: True for numbers that others published. Every plot shows them as black squares.
    """

    name: str
    points: Sequence[tuple[float, float]]
    labels: Sequence[str] = field(default=())
    line: bool = False
    published: bool = False


class Palette:
    """Chooses a colour for each name. A name has the same colour in every plot of a page."""

    def __init__(self) -> None:
        self._of: dict[str, str] = {}

    def colours(self, names: Sequence[str]) -> list[str]:
        """Returns the colours of the names in a plot. A new name gets the least used colour among those that the plot
        does not use. If the plot uses all colours, the new name gets the least used colour."""
        taken = [self._of[name] for name in names if name in self._of]
        for name in names:
            if name not in self._of:
                used = [*self._of.values()]
                self._of[name] = min(_COLOURS, key=lambda colour: (colour in taken, used.count(colour)))
                taken.append(self._of[name])
        return [self._of[name] for name in names]


class _Scale:
    """Maps values to pixels, with ticks at round numbers."""

    def __init__(
        self, axis: Axis, values: Sequence[float], pixels: tuple[float, float], *, from_zero: bool = False
    ) -> None:
        """from_zero: True begins a linear axis at zero. False begins it at zero only if this leaves at most half of the
        axis empty, or if all values are equal. An axis with negative values begins at the lowest value."""
        self._log = axis.log
        low, high = min(values), max(values)
        if axis.log:
            self._low, self._high = log10(low) - 0.05, log10(high) + 0.05
        elif from_zero or 2 * low <= high or low == high:
            self._low, self._high = min(0.0, low), high * 1.05 if high > 0 else float(low == 0)
        else:
            margin = 0.05 * (high - low)
            self._low, self._high = low - margin, high + margin
        self._pixels = pixels

    def __call__(self, value: float) -> float:
        at = ((log10(value) if self._log else value) - self._low) / (self._high - self._low)
        return self._pixels[0] + at * (self._pixels[1] - self._pixels[0])

    def ticks(self) -> list[float]:
        if self._log:
            decades = range(floor(self._low), ceil(self._high) + 1)
            steps = (1, 2, 5) if self._high - self._low < 2.5 else (1,)
            found = [m * 10.0**d for d in decades for m in steps]
            return [tick for tick in found if self._low <= log10(tick) <= self._high]
        step = 10 ** floor(log10(self._high - self._low))
        step *= next(m for m in (0.2, 0.5, 1, 2) if (self._high - self._low) / (step * m) <= 8)
        return [step * i for i in range(ceil(self._low / step), floor(self._high / step) + 1)]


def xy(x: Axis, y: Axis, series: Sequence[Series], palette: Palette | None = None) -> str:
    """Draws points and lines. palette: the palette of the page. It gives a name the same colour in all plots."""
    shown = [s for s in series if s.points]
    measured = [s.name for s in shown if not s.published]
    colour = dict(zip(measured, (palette or Palette()).colours(measured), strict=True))
    across = _Scale(x, [p[0] for s in shown for p in s.points], (_LEFT, _WIDTH - _RIGHT))
    up = _Scale(y, [p[1] for s in shown for p in s.points], (_HEIGHT - _BOTTOM, _TOP))
    elements = [_frame(x.label, y.label, up)]
    for tick in across.ticks():
        at = across(tick)
        elements.append(_line(at, _HEIGHT - _BOTTOM, at, _HEIGHT - _BOTTOM + 5, "#888"))
        elements.append(_text(at, _HEIGHT - _BOTTOM + 20, units.number(tick), "middle"))
    elements += [_drawn(one, colour.get(one.name, _PUBLISHED), across, up) for one in shown]
    return _svg(elements + _legend([(one.name, colour.get(one.name, _PUBLISHED)) for one in shown]))


def bars(
    categories: Sequence[str], y: Axis, series: Sequence[tuple[str, Sequence[float]]], palette: Palette | None = None
) -> str:
    """Draws a bar for each category. A bar stacks the values of all series. palette: as in ``xy``."""
    colours = (palette or Palette()).colours([name for name, _ in series])
    totals = [sum(values[i] for _, values in series) for i in range(len(categories))]
    up = _Scale(y, totals, (_HEIGHT - _BOTTOM, _TOP), from_zero=True)
    elements = [_frame("", y.label, up)]
    step = (_WIDTH - _RIGHT - _LEFT) / len(categories)
    for i, category in enumerate(categories):
        elements.append(_text(_LEFT + step * (i + 0.5), _HEIGHT - _BOTTOM + 20, category, "middle"))
        below = 0.0
        for index, (name, values) in enumerate(series):
            top, bottom = up(below + values[i]), up(below)
            title = html.escape(f"{category}, {name}: {values[i]:.4g}")
            elements.append(
                f'<rect x="{_LEFT + step * (i + 0.15):.1f}" y="{top:.1f}" width="{step * 0.7:.1f}" '
                f'height="{bottom - top:.1f}" fill="{colours[index]}"><title>{title}</title></rect>'
            )
            below += values[i]
    return _svg(elements + _legend([(name, colours[index]) for index, (name, _) in enumerate(series)]))


def _svg(elements: Sequence[str]) -> str:
    return f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">' + "".join(elements) + "</svg>"


def _drawn(one: Series, colour: str, across: _Scale, up: _Scale) -> str:
    at = [(across(a), up(b)) for a, b in one.points]
    elements = []
    if one.line:
        path = "M" + "L".join(f"{a:.1f},{b:.1f}" for a, b in at)
        elements.append(f'<path d="{path}" stroke="{colour}"/>')
    for index, ((a, b), point) in enumerate(zip(at, one.points)):
        label = one.labels[index] if index < len(one.labels) else ""
        title = html.escape(f"{one.name} {label}: {point[0]:.5g}, {point[1]:.5g}")
        if one.published:
            mark = f'rect class="published" x="{a - 5:.1f}" y="{b - 5:.1f}" width="10" height="10" stroke'
        else:
            mark = f'circle cx="{a:.1f}" cy="{b:.1f}" fill'
        elements.append(f'<{mark}="{colour}"><title>{title}</title></{mark.split()[0]}>')
        if label:
            elements.append(_text(a + 6, b - 5, label))
    return "".join(elements)


def _frame(x_label: str, y_label: str, up: _Scale) -> str:
    elements = [_line(_LEFT, _HEIGHT - _BOTTOM, _WIDTH - _RIGHT, _HEIGHT - _BOTTOM, "#888")]
    elements.append(_line(_LEFT, _TOP, _LEFT, _HEIGHT - _BOTTOM, "#888"))
    for tick in up.ticks():
        elements.append(_line(_LEFT, up(tick), _WIDTH - _RIGHT, up(tick), "#ddd"))
        elements.append(_text(_LEFT - 8, up(tick) + 4, units.number(tick), "end"))
    elements.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 8, x_label, "middle"))
    elements.append(
        f'<text transform="translate(16 {_HEIGHT / 2}) rotate(-90)" text-anchor="middle">{html.escape(y_label)}</text>'
    )
    return "".join(elements)


def _legend(names: Sequence[tuple[str, str]]) -> list[str]:
    """Draws the names with their colours. A long name takes several lines."""
    elements, at = [], _TOP + 10
    for name, colour in names:
        kind = 'class="published" stroke' if colour == _PUBLISHED else "fill"
        mark = f'<rect x="{_WIDTH - _RIGHT + 16}" y="{at - 9}" width="10" height="10" {kind}="{colour}"/>'
        lines = textwrap.wrap(name, _LONGEST_LINE) or [""]
        texts = [_text(_WIDTH - _RIGHT + 32, at + 15 * number, line) for number, line in enumerate(lines)]
        elements.append(f"<g><title>{html.escape(name)}</title>{mark}{''.join(texts)}</g>")
        at += 20 + 15 * (len(lines) - 1)
    return elements


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'
