# SPDX-License-Identifier: Apache-2.0
"""Makes the parts of a report on an exploration: its points, Figures 4 to 11 of [Soni23] with our numbers, and
comparisons of the numbers in the paper with ours. A machine (h, b) has h lanes (HPLEs) and b banks of vector data
memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import units
from .._rpu import model
from ..bench.rows import Row
from ..plot import Axis, Series, bars, xy
from ..report import Report
from .explore import Point, Results, hbm_us, pareto
from .paper import BANKS, HPLES, INTERVALS, PAPER_POINT, SIZES, Study, theory_us
from .processors import QUOTED

__all__ = ["add_exploration", "add_paper", "add_processors", "add_streams", "summary"]

_AREAS = (("LAW engines", "law"), ("VRF", "vrf"), ("VDM", "vdm"), ("VBAR", "vbar"), ("SBAR", "sbar"), ("rest", "im"))


def add_exploration(report: Report, points: Sequence[Point]) -> None:
    front = pareto(points)
    report.heading("Time and area")
    cloud = Series("all points", [(p.area.total, p.us) for p in points])
    best = Series("Pareto front", [(p.area.total, p.us) for p in front], [str(p.size) for p in front], line=True)
    shown = [cloud, best]
    if all(p.request.n == PAPER_POINT.n and not p.request.program for p in points):
        shown.append(_published((PAPER_POINT.mm2, PAPER_POINT.us)))
    report.plot(
        "Runtime against area; (HPLEs, banks) of the Pareto front",
        xy(Axis("area, mm² (GF 12 nm)", log=True), Axis("µs", log=True), shown, report.palette),
    )
    report.table("Pareto front", _COLUMNS, [_cells(p) for p in front])
    _add_map(report, points)
    report.table("All points", _COLUMNS, [_cells(p) for p in points])


def _add_map(report: Report, points: Sequence[Point]) -> None:
    """Adds a table of runs per second and mm2, by the numbers of HPLEs and of banks. Adds nothing unless the points are
    a full grid of these two parameters."""
    value = {p.size: p.per_area for p in points}
    hples, banks = sorted({h for h, _ in value}), sorted({b for _, b in value})
    if len(value) != len(points) or len(value) != len(hples) * len(banks):
        return
    rows = {h: [value[h, b] for b in banks] for h in hples}
    report.map("Runs per second and mm², by HPLEs and banks", "HPLEs", banks, rows)


_COLUMNS = (
    "HPLEs",
    "banks",
    "other settings",
    "cycles",
    "µs",
    "mm²",
    "µJ",
    "W",
    "µJ µs",
    "runs / s mm²",
    "off-chip µs",
)


def _cells(point: Point) -> list[object]:
    row = point.document()
    others = " ".join(f"{name}={value}" for name, value in row["settings"].items())
    numbers = [row[k] for k in ("us", "area_mm2", "energy_uj", "power_w", "energy_delay_uj_us", "runs_per_second_mm2")]
    off_chip = "" if row["hbm_us"] is None else f"{row['hbm_us']:.4g}"
    return [row["hples"], row["banks"], others, row["cycles"], *(f"{number:.4g}" for number in numbers), off_chip]


def add_paper(report: Report, study: Study, results: Results, rtl_percent: float | None = None) -> None:
    found = study.residuals(results, rtl_percent)
    report.summary(summary(found))
    _add_statements(report, found)
    _add_areas(report)
    _add_energy(report, study.points("lengths", results)[-1])
    _add_code(report, study, results)
    _add_sensitivity(report, study, results)
    _add_lengths(report, study, results)


def summary(found: Sequence[model.Residual]) -> str:
    """States how many numbers of the paper the model reproduces."""
    verdicts = [residual.verdict for residual in found]
    text = f"The model is within the accepted residual for {verdicts.count('within')} of {len(found)} numbers"
    missed, contradicted = verdicts.count("missed"), verdicts.count("contradicted")
    predicted = [residual for residual in found if residual.origin == "predicted"]
    within = sum(residual.verdict == "within" for residual in predicted)
    return (
        f"{text}; {missed} are missed, and {contradicted} contradict other numbers of the paper. {len(predicted)} "
        f"numbers are predicted, {within} of them within the residual; the others determined parts of the model."
    )


def _published(*points: tuple[float, float]) -> Series:
    return Series("the paper", points, published=True)


def _said(name: str) -> float:
    """Returns a number that the paper states, by its id in published.json. Of a range, returns the lower end."""
    return float(model.statements()[name].low)


def _percent(share: float, sign: str = "") -> str:
    return f"{round(100 * share, 1) + 0.0:{sign}.1f} %"  # the addition of zero makes a negative zero positive


def _add_statements(report: Report, found: Sequence[model.Residual]) -> None:
    report.heading("Numbers that the paper states, and ours")
    columns = ("where", "what", "unit", "paper", "ours", "residual", "accepted", "origin", "verdict")
    rows = [
        [
            r.statement.where,
            r.statement.text,
            units.symbol(r.statement.unit),
            r.statement.paper,
            units.number(r.model, 5),
            _percent(r.residual, "+"),
            _percent(r.statement.tolerance),
            r.origin,
            r.verdict,
        ]
        for r in found
    ]
    report.table("[Soni23]; optimizer “paper” on profile “paper”", columns, rows)
    for r in found:
        if said := r.statement.contradiction:
            report.paragraph(f"{r.statement.where}, {r.statement.text}: {said}.")


def _add_areas(report: Report) -> None:
    report.heading("Figure 6: area")
    for caption, names, sizes in (
        ("(a) 128 HPLEs, by banks", BANKS, [(128, b) for b in BANKS]),
        ("(b) 128 banks, by HPLEs", HPLES, [(h, 128) for h in HPLES]),
    ):
        areas = [model.area(*size) for size in sizes]
        stacks = [(name, [getattr(area, field) for area in areas]) for name, field in _AREAS]
        report.plot(caption, bars([str(name) for name in names], Axis("mm²"), stacks, report.palette))


def _add_energy(report: Report, point: Point) -> None:
    report.heading("Figure 6c: energy of a 64K transform on (128, 128)")
    stated = {r.statement.id.removeprefix("share_"): r for r in model.energy_residuals(point.activity, point.us)}
    rows = [
        [
            name,
            f"{uj:.4g}",
            f"{100 * uj / point.energy.total:.1f}",
            stated[name].statement.paper if name in stated else "",
        ]
        for name, uj in point.energy._asdict().items()
    ]
    report.table(f"{point.energy.total:.4g} µJ", ("part", "µJ", "share, %", "paper, %"), rows)


def _add_code(report: Report, study: Study, results: Results) -> None:
    report.heading("Figure 7: gain of the schedule")
    series = [
        Series(name, [(p.size[0], p.us) for p in study.points(name, results)], line=True)
        for name in ("optimised", "unoptimised")
    ]
    series.append(_published((128, PAPER_POINT.us)))
    report.plot("64K, 128 banks", xy(Axis("HPLEs", log=True), Axis("µs", log=True), series, report.palette))


def _add_sensitivity(report: Report, study: Study, results: Results) -> None:
    report.heading("Figures 8 and 9: sensitivity on (128, 128)")
    multiplies = study.points("multiply_latencies", results)
    series = [
        Series(
            f"interval {interval}",
            [
                (p.request.machine.multiply_latency, p.cycles)
                for p in multiplies
                if p.request.machine.multiply_interval == interval
            ],
            line=True,
        )
        for interval in sorted({p.request.machine.multiply_interval for p in multiplies})
    ]
    cycles, second = _said("cycles_64k"), _said("cycles_64k") * _said("interval_2")
    series.append(_published((5, cycles), (5, second), (5, second * _said("interval_4_over_2"))))
    report.plot(
        "Cycles by the multiplier's latency", xy(Axis("multiplier latency"), Axis("cycles"), series, report.palette)
    )
    intervals = [(float(i), float(p.cycles)) for i, p in zip(INTERVALS, study.points("intervals", results))]
    report.plot(
        "Cycles by the multiplier's initiation interval",
        xy(
            Axis("initiation interval"),
            Axis("cycles"),
            [
                Series("latency 5", intervals, line=True),
                _published((1, cycles), (2, second), (4, second * _said("interval_4_over_2"))),
            ],
            report.palette,
        ),
    )
    digits = [(p.request.machine, p) for p in study.points("digits", results)]
    trade = Series(
        "multipliers that process digits one by one",
        [(p.area.total, float(p.cycles)) for _, p in digits],
        [f"interval {on.multiply_interval}, latency {on.multiply_latency}" for on, _ in digits],
        line=True,
    )
    report.plot(
        "Area and cycles by the initiation interval", xy(Axis("area, mm²"), Axis("cycles"), [trade], report.palette)
    )
    others = study.points("other_latencies", results)
    series = [
        Series(
            f"shuffle latency {shuffle}",
            [
                (p.request.machine.memory_latency, p.cycles)
                for p in others
                if p.request.machine.shuffle_latency == shuffle
            ],
            line=True,
        )
        for shuffle in sorted({p.request.machine.shuffle_latency for p in others})
    ]
    series.append(_published((4, cycles), (10, cycles * _said("memory_latency_10_over_4"))))
    report.plot(
        "Cycles by the latencies of the crossbars",
        xy(Axis("load and store latency"), Axis("cycles"), series, report.palette),
    )


def _add_lengths(report: Report, study: Study, results: Results) -> None:
    report.heading("Figure 10: lengths, and the off-chip memory")
    ours, best = study.points("lengths", results), study.points("best_lengths", results)
    series = [
        Series("the paper's program", [(p.request.n, p.us) for p in ours], line=True),
        Series("our program (best)", [(p.request.n, p.us) for p in best], line=True),
        Series("n log2 n / (HPLEs f)", [(p.request.n, theory_us(p)) for p in ours], line=True),
        Series("HBM2, 3 n words", [(n, hbm_us(n)) for n in SIZES], line=True),
        Series("HBM2, roots resident", [(n, hbm_us(n, 2)) for n in SIZES], line=True),
        _published(
            (1024, _said("ratio_1k") * theory_us(ours[0])), (16384, _said("ns_16k") / 1000), (65536, PAPER_POINT.us)
        ),
    ]
    report.plot("(128, 128)", xy(Axis("n", log=True), Axis("µs", log=True), series, report.palette))
    rows = [
        [p.request.n, p.cycles, f"{p.us / theory_us(p):.2f}", b.cycles, f"{p.cycles / b.cycles:.2f}", _hidden(b)]
        for p, b in zip(ours, best)
    ]
    columns = ("n", "paper's program, cycles", "over n log2 n", "best, cycles", "gain", "transfers hide behind best")
    report.table("Cycles", columns, rows)


def _hidden(point: Point) -> str:
    all_in, resident = hbm_us(point.request.n), hbm_us(point.request.n, 2)
    if point.us >= all_in:
        return "yes"
    return "with resident roots" if point.us >= resident else f"no: they take {resident / point.us:.2f} times as long"


def add_streams(report: Report, streams: Mapping[int, Mapping[str, Any]]) -> None:
    report.heading("Streams: transforms one after the other with their transfers")
    columns = ("n", "VDM, MiB", "places", "alone, cycles", "each in the stream", "off-chip memory busy", "both busy")
    rows = [
        [
            n,
            f"{found['vdm_words'] / 65536:g}",
            found["places"],
            found["alone"],
            f"{found['cycles_each']:.0f}",
            f"{found['hbm_busy_cycles'] / found['cycles']:.0%}",
            f"{found['overlap_cycles'] / found['cycles']:.0%}",
        ]
        for n, found in streams.items()
    ]
    report.table(
        f"(128, 128), optimizer “best”, {_count(streams)} transforms each, tables stay in the memory", columns, rows
    )


def _count(streams: Mapping[int, Mapping[str, Any]]) -> int:
    return next(int(found["count"]) for found in streams.values())


def add_processors(report: Report, rows: Sequence[Row]) -> None:
    report.heading("Figure 11: comparison with other processors")
    series = []
    for bits in (128, 64):
        speedups = [(float(r.params["n"]), r.versus[0].ratio) for r in rows if r.params["word_bits"] == bits]
        series.append(Series(f"{bits}-bit words", speedups, line=True))
    caption = "Speed-up of the paper's program over this machine's CPU, one thread"
    report.plot(caption, xy(Axis("n", log=True), Axis("times", log=True), series, report.palette))
    cells = [
        [r.params["word_bits"], r.params["n"], f"{r.median:.4g}", *(f"{v.ratio:.0f}" for v in r.versus[:2])]
        for r in rows
    ]
    columns = ("word bits", "n", "CPU, µs", "over the paper's program", "over best")
    report.table("Processor time on this machine, one thread, our own transform", columns, cells)
    report.table("What the paper quotes", ("what", "times"), QUOTED)
