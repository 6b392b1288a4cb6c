# SPDX-License-Identifier: Apache-2.0
"""The report of the model of processing in memory. Compares the claims and figures of the paper [Mwaisela24] with the
model's ratios and times. DPUs are the processors in the memory, and 64 DPUs form a rank."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .. import plot, units
from ..report import Report
from .pim import SCALED, Claim, claims, paper
from .pim_table1 import COUNTED, PREFIX, table1_cells
from .rows import Row, Versus

__all__ = ["claim_lines", "pim_report", "summary", "table1_lines"]

_POINT = re.compile(r"pim/(fig[\w-]+)/(n|dpus)(\d+)/(\w+)$")
_TITLES = {
    "fig3a": "Figure 3a: sums, 1024 DPUs",
    "fig3b": "Figure 3b: sums of 2^20 coefficients by DPUs",
    "fig3c": "Figure 3c: block-local convolution (partial product, as in the paper)",
    "fig3c-full": "Figure 3c, whole product: as in the paper's text",
    "fig3d": "Figure 3d: block-local convolution of 2^20 coefficients by DPUs",
    "fig3e": "Figure 3e: products, 1024 DPUs",
    "fig3f": "Figure 3f: products of 2^20 coefficients by DPUs",
    "fig4": "Figure 4: 60-bit sums, 2048 DPUs (OpenFHE)",
    "fig5": "Figure 5: 60-bit products, 2048 DPUs (OpenFHE)",
    "fig7": "Figure 7: one Cooley-Tukey iteration, 60 bits, 2048 DPUs",
    "fig8": "Figure 8: 60-bit sums, copied row by row (HElib)",
    "fig8-coalesced": "Figure 8 with its copies made at once",
}
_TIMES = {
    "dpu": "DPUs and launch",
    "to_dpus": "to DPUs",
    "from_dpus": "from DPUs",
    "with_copies": "with copies",
}
_SWEEPS = (
    ("Work on resident data, by number of DPUs", r"pim/scaling/(\w+)/dpus(\d+)$", "DPUs", "coefficients/ns"),
    ("Transfers, 32 ranks", r"pim/transfer/([\w-]+/\w+)/bytes(\d+)$", "bytes per DPU", "ms"),
    (
        "Break-even: PIM pays from this number of additions per copied word",
        r"pim/alpha/([\w-]+)/bytes(\d+)$",
        "bytes per DPU",
        "operations per word",
    ),
    ("Statistics: a question to resident ciphertexts", r"pim/statistics/(\w+)/users(\d+)/query$", "users", "ms"),
    (
        "Residency: the host's time over PIM's, copies included",
        r"pim/(alpha-sweep)/operations(\d+)$",
        "operations on resident operands",
        "host / PIM",
    ),
)


def pim_report(title: str, rows: Sequence[Row]) -> Report:
    report = Report(title)
    report.paragraph(
        "Times of DPUs, copies and launches are simulated; they exclude the simulator's own run time. The "
        "paper gives ratios but no absolute times: the times of its host are fitted. This CPU is measured in the same "
        "run by plain loops. " + _fidelity(rows)
    )
    found = claims(rows)
    lines = [f"{question}: {answer}" for question, answer in summary(found, rows)]
    report.summary("; ".join(lines).capitalize() + ".")
    report.heading("Claims of the paper")
    _claims(report, found)
    _table1(report, rows)
    _products(report, rows)
    for figure, caption in _TITLES.items():
        _figure(report, rows, figure, caption)
    for sweep in _SWEEPS:
        _sweep(report, rows, sweep)
    return report


def summary(found: Sequence[Claim], rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Returns questions with answers: how far the model agrees with the paper, and when processing in memory pays."""
    usable = [claim for claim in found if not claim.problem]
    met = sum(bool(claim.holds) for claim in usable)
    lines = [("claims of the paper that the model meets", f"{met} of {len(usable)}")]
    if len(usable) < len(found):
        lines.append(("claims that no model can reproduce, with reasons", str(len(found) - len(usable))))
    even = [row.median for row in rows if row.name.startswith("pim/alpha/")]
    if even:
        lines.append(
            ("processing in memory pays from so many additions per copied word", f"{min(even):.2g} to {max(even):.2g}")
        )
    return lines


def claim_lines(rows: Sequence[Row]) -> list[str]:
    """Returns lines for the terminal, one for each claim. If a claim cannot be reproduced, its line has the reason."""
    return [_line(claim) for claim in claims(rows)]


def _line(claim: Claim) -> str:
    head = f"figure {claim.figure}: {claim.text}: "
    if claim.problem:
        return f"{head}not reproducible: {claim.problem}"
    met = "" if claim.holds else ", NOT MET"
    return f"{head}paper {claim.paper}, model {claim.model:.3g}{met}"


def _fidelity(rows: Sequence[Row]) -> str:
    if any(row.params.get("cycles") == "simulated" for row in rows):
        return "Rows with cycles=estimated come from the table of measured costs, the others from the simulator."
    return "No compiler for DPUs was found when the package was built: all cycles come from the shipped table of costs."


def _claims(report: Report, found: Sequence[Claim]) -> None:
    body = [
        [c.figure, c.text, c.paper, "" if c.model is None else f"{c.model:.3g}", _status(c), c.basis] for c in found
    ]
    columns = ["figure", "what the paper says", "paper, CPU / PIM", "model, CPU / PIM", "status", "basis"]
    ratios = [(float(c.paper), c.model, c.text) for c in found if c.model and re.fullmatch(r"[\d.]+", c.paper)]
    if ratios:
        ends = [f(r[0] for r in ratios) for f in (min, max)]
        shown = [
            plot.Series("equal ratios", [(end, end) for end in ends], line=True),
            plot.Series("the paper", [(ratio, ratio) for ratio, *_ in ratios], published=True),
            plot.Series("the model", [(ratio, model) for ratio, model, _ in ratios]),
        ]
        x, y = (plot.Axis(f"CPU / PIM by the {who}", log=True) for who in ("paper", "model"))
        report.plot("Ratios of times; above 1, PIM is faster", plot.xy(x, y, shown, report.palette))
    report.table("Claims of the paper", columns, body)
    hosts = paper()["hosts"].values()
    fitted = [[host["peer"], f"{host['fixed_ms']:g}", f"{host['ns']:g}"] for host in hosts if "fitted" in host["peer"]]
    report.paragraph(
        "The paper gives only ratios, so we fitted these times of its hosts, once. About as many claims as there are "
        "fitted times are met because of the fit; the other claims with a fitted host are predictions."
    )
    report.table("Fitted times of hosts", ["host", "fixed, ms", "ns per coefficient"], fitted)


def _status(claim: Claim) -> str:
    if claim.problem:
        return f"not reproducible: {claim.problem}"
    within = "" if claim.factor == 1 else f", within a factor of {claim.factor:g}"
    return ("met" if claim.holds else "not met") + within


_TABLE1 = ("primitive", "multiplications, paper", "additions, paper", "BFV", "BGV", "agree")


def _table1(report: Report, rows: Sequence[Row]) -> None:
    if body := table1_cells(rows, paper()["table1"]):
        report.heading("Table I: polynomial work of the primitives")
        facts = next(row.params for row in rows if row.name.startswith(PREFIX))
        report.paragraph(
            "Table I, counted from the verbs that each primitive ran on device ref: "
            + " / ".join(COUNTED)
            + f" of residue polynomials (n = {facts['n']}, {facts['limbs']} data primes; a conversion is one verb)."
        )
        report.table("Table I: polynomial work of the primitives", _TABLE1, body)


def table1_lines(rows: Sequence[Row]) -> list[str]:
    """Returns a line for each primitive, for the terminal."""
    return [
        f"table I: {name}: paper: {products}; {sums}. counted ({' / '.join(COUNTED)}): BFV {bfv}, BGV {bgv}"
        + ("" if agree == "yes" else ", DISAGREES")
        for name, products, sums, bfv, bgv, agree in table1_cells(rows, paper()["table1"])
    ]


def _products(report: Report, rows: Sequence[Row]) -> None:
    named = [
        row for row in rows if row.name.startswith(("pim/cycles", "pim/modmul", "pim/ntt/", "pim/table2", "pim/chips/"))
    ]
    body = [
        [row.name.removeprefix("pim/"), units.number(row.median), row.unit, row.params.get("cycles", "")]
        for row in named
    ]
    if body:
        report.heading("Cycles of the kernels")
        report.table(
            "Cycles of the kernels, the cost of a product, and both chips", ["row", "value", "unit", "cycles"], body
        )


def _figure(report: Report, rows: Sequence[Row], figure: str, caption: str) -> None:
    points: dict[int, dict[str, Row]] = {}
    unit = "n"
    for row in rows:
        if (match := _POINT.match(row.name)) and match[1] == figure:
            unit = match[2]
            points.setdefault(int(match[3]), {})[match[4]] = row
    if not points:
        return
    report.heading(caption)
    peers = list(dict.fromkeys(peer for found in points.values() for peer in _hosts(found)))
    heads, beside = zip(*(_column(points.values(), peer) for peer in peers)) if peers else ((), ())
    body = [
        [f"{x:,}", *(_time(found, time) for time in _TIMES), *(cells[i] for cells in beside)]
        for i, (x, found) in enumerate(points.items())
    ]
    columns = [
        {"n": "coefficients", "dpus": "DPUs"}[unit],
        *(f"{name}, ms" for name in _TIMES.values()),
        *heads,
    ]
    report.table(caption, columns, body)
    if len(points) > 1:
        axis = plot.Axis("DPUs" if unit == "dpus" else "coefficients", log=True)
        report.plot(caption, plot.xy(axis, plot.Axis("ms", log=True), _series(points, peers), report.palette))


def _series(points: dict[int, dict[str, Row]], peers: Sequence[str]) -> list[plot.Series]:
    of_dpus = [
        plot.Series(_TIMES[time], [(x, found[time].median) for x, found in points.items() if time in found], line=True)
        for time in ("dpu", "with_copies")
    ]
    others = [
        plot.Series(
            peer, [(x, _hosts(found)[peer].median) for x, found in points.items() if peer in _hosts(found)], line=True
        )
        for peer in peers
    ]
    return of_dpus + others


def _hosts(found: dict[str, Row]) -> dict[str, Versus]:
    """Returns the time of each host for the work of a point in a plot, in milliseconds."""
    return {peer.peer: peer for row in found.values() for peer in row.versus}


def _extrapolated(host: Versus) -> str:
    return " (extrapolated)" if host.version.startswith(SCALED) else ""


def _column(points: Iterable[dict[str, Row]], peer: str) -> tuple[str, list[str]]:
    """Returns the head and the cells of a column. A note that belongs to all cells of the column is in the head."""
    hosts = [_hosts(point).get(peer) for point in points]
    notes = {_extrapolated(host) for host in hosts if host}
    common = notes.pop() if len(notes) == 1 else ""
    cells = ["" if host is None else _number(host.median) + ("" if common else _extrapolated(host)) for host in hosts]
    return f"{peer}, ms{common}", cells


def _time(found: dict[str, Row], time: str) -> str:
    return _number(found[time].median if time in found else None)


def _number(value: float | None) -> str:
    return "" if value is None else units.number(value)


def _sweep(report: Report, rows: Sequence[Row], sweep: tuple[str, str, str, str]) -> None:
    caption, pattern, x, y = sweep
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if match := re.match(pattern, row.name):
            lines.setdefault(match[1], []).append((float(match[2]), row.median))
    if not lines:
        return
    report.heading(caption)
    series = [plot.Series(name.replace("alpha-sweep", "model"), points, line=True) for name, points in lines.items()]
    report.plot(caption, plot.xy(plot.Axis(x, log=True), plot.Axis(y, log=True), series, report.palette))
    body = [[name, units.number(at), units.number(value)] for name, points in lines.items() for at, value in points]
    report.table(caption, ["what", x, y], body)
