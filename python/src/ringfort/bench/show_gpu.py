# SPDX-License-Identifier: Apache-2.0
"""The report of a GPU's transforms.

The report compares times with published times, and with the times of the schedule `naive`. It also has the roofline, a
plot of butterflies (the steps of a transform) per microsecond against butterflies per byte of memory traffic. On a GPU,
times are measured. On an emulated device, they are modelled for one chip.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from .. import plot
from ..report import Report
from . import published
from .rows import Row

__all__ = ["MODEL_CHIP", "Point", "gpu_report", "points_of", "times_of"]

MODEL_CHIP = "H200"
_ROW = re.compile(r"variant/(?P<direction>forward|inverse)/(?P<schedule>[\w-]+)/(?P<reduction>\w+)/n\d+/q\d+/b\d+")


@dataclass(frozen=True)
class Point:
    """A transform: its variant, its size, and its time in microseconds."""

    direction: str
    schedule: str
    reduction: str
    n: int
    bits: int
    batch: int
    passes: int
    us: float

    @property
    def butterflies(self) -> float:
        return self.n / 2 * (self.n.bit_length() - 1)

    @property
    def density(self) -> float:
        """Returns the butterflies per byte of traffic with global memory. Every pass of a transform reads and writes
        all words."""
        return self.butterflies / (2 * self.passes * self.n * (4 if self.bits < 32 else 8))


def points_of(rows: Sequence[Row]) -> list[Point]:
    """Returns the transforms with a time, which was measured or modelled for MODEL_CHIP."""
    found = []
    for row in rows:
        suffix = f"/model/{MODEL_CHIP}"
        match = _ROW.fullmatch(row.name.removesuffix(suffix))
        if match is None or not (row.unit == "us" or row.name.endswith(suffix)):
            continue
        of = row.params
        found.append(
            Point(
                *(match["direction"], match["schedule"], match["reduction"], of["n"], of["q_bits"], of["batch"]),
                *(of["passes"], row.median),
            )
        )
    return found


def times_of(rows: Sequence[Row]) -> list[Row]:
    """Returns the rows for a terminal: those with times that were measured or modelled for MODEL_CHIP. If there are no
    such rows, returns all rows."""
    times = [
        row for row in rows if row.unit in ("us", "us/million", "ms", "times") or row.name.endswith(f"/{MODEL_CHIP}")
    ]
    return times or list(rows)


def gpu_report(title: str, rows: Sequence[Row]) -> Report:
    report = Report(title)
    points = points_of(rows)
    modelled = any(row.unit == "us, model" for row in rows)
    if modelled:
        report.paragraph(
            f"The device is emulated: it counts products, launches and memory accesses. The times are those of a model "
            f"for an {MODEL_CHIP}, computed from the counts. They are not measurements."
        )
    forward = [point for point in points if point.direction == "forward"]
    for n, bits, batch in dict.fromkeys((p.n, p.bits, p.batch) for p in forward if p.reduction in _MAIN):
        of_size = [p for p in points if (p.n, p.bits, p.batch) == (n, bits, batch)]
        heading = f"n = {n:,}, {bits}-bit prime, batch of {batch}"
        report.heading(heading)
        report.table(f"Microseconds for one transform, {heading}", *_table(of_size))
        if speeds := _speeds(of_size):
            caption = f"Forward transforms, {heading}: times as fast as the naive one with the same reduction"
            report.figure(caption, partial(_draw_speeds, speeds=speeds), height=1.4 + 0.32 * len(speeds))
    if forward:
        report.heading("Roofline")
        density, rate = plot.Axis("butterflies per byte of memory", log=True), plot.Axis("butterflies/µs", log=True)
        report.plot(
            "Forward transforms, by word and reduction", plot.xy(density, rate, _roofline(forward), report.palette)
        )
    return report


_MAIN = ("harvey", "proposed")


def _table(points: Sequence[Point]) -> tuple[list[str], list[list[object]]]:
    columns = ["schedule", "reduction", "passes through memory", "forward", "inverse", "published"]
    body: list[list[object]] = []
    for schedule, reduction in dict.fromkeys((p.schedule, p.reduction) for p in points):
        both = {p.direction: p for p in points if (p.schedule, p.reduction) == (schedule, reduction)}
        some = next(iter(both.values()))
        times = [f"{both[d].us:.4g}" if d in both else "" for d in ("forward", "inverse")]
        body.append([schedule, reduction, some.passes, *times, _published(some)])
    return columns, body


def _published(point: Point) -> str:
    known = [
        f"{of.chip} {of.forward_us}, inverse {of.inverse_us}"
        for of in published.TRANSFORMS
        if (point.schedule, point.n, point.bits, point.batch) == ("2d", 1 << of.log_n, of.bits, 1)
    ]
    return "; ".join(known)


def _speeds(points: Sequence[Point]) -> dict[str, dict[str, float]]:
    """Returns, for each schedule and reduction, the speed of a transform relative to the schedule `naive` with this
    reduction."""
    forward = {(p.schedule, p.reduction): p.us for p in points if p.direction == "forward"}
    speeds: dict[str, dict[str, float]] = {}
    for (schedule, reduction), us in forward.items():
        if reduction in _MAIN and ("naive", reduction) in forward:
            speeds.setdefault(schedule, {})[reduction] = forward["naive", reduction] / us
    return speeds


def _draw_speeds(axes: Any, speeds: dict[str, dict[str, float]]) -> None:
    names = list(speeds)
    for i, reduction in enumerate(_MAIN):
        at = [k for k, name in enumerate(names) if reduction in speeds[name]]
        values = [speeds[names[k]][reduction] for k in at]
        axes.barh([k + 0.4 * i - 0.2 for k in at], values, height=0.38, label=reduction)
    axes.set_yticks(range(len(names)), names)
    axes.axvline(1, color="#222222", linewidth=0.8)
    axes.invert_yaxis()
    axes.set_xlabel("times as fast as naive")
    axes.legend()


def _roofline(points: Sequence[Point]) -> list[plot.Series]:
    series = []
    for word, short in (("u32", True), ("u64", False)):
        for reduction in _MAIN:
            of = [p for p in points if p.reduction == reduction and (p.bits < 32) == short]
            at = [(p.density, p.butterflies / p.us) for p in of]
            if at:
                series.append(plot.Series(f"{word}, {reduction}", at, [p.schedule for p in of]))
    known = [(some, of) for of in published.TRANSFORMS if (some := _like_published(points, of))]
    if known:
        at = [(some.density, some.butterflies / of.forward_us) for some, of in known]
        series.append(plot.Series("published times", at, [of.chip for _, of in known], published=True))
    return series


def _like_published(points: Sequence[Point], of: published.Transform) -> Point | None:
    """Returns the transform of this library that has the parameters of a published transform."""
    wanted = ("2d", 1 << of.log_n, of.bits, 1)
    return next((p for p in points if (p.schedule, p.n, p.bits, p.batch) == wanted), None)
