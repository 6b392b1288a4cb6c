# SPDX-License-Identifier: Apache-2.0
"""Compares the figures of five publications with ours, and makes a page of the comparisons.

The command `ringfort reproduce` makes the measurements. Each system has a command that writes a report (a page) and
rows (JSON). ``figures`` reads the rows. It returns every published figure with our figure and a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .. import units
from ..report import Report
from . import compiled, published
from .pim import claims
from .rows import Row, row_of

__all__ = ["SYSTEMS", "VERDICTS", "Figure", "System", "Verdict", "figures", "overview"]

Verdict = Literal["passed", "met", "not met", "contradicted", "not measurable here"]
VERDICTS: tuple[Verdict, ...] = ("passed", "met", "not met", "contradicted", "not measurable here")
_WITHIN = 0.1  # our figure meets the published one if it is worse by at most this share


@dataclass(frozen=True)
class Figure:
    """A published value, our value in the same unit, and the verdict. ``note``: the reason of the verdict, or the
    machine."""

    paper: str
    where: str
    text: str
    published: str
    ours: str
    verdict: Verdict
    note: str = ""


@dataclass(frozen=True)
class System:
    """A published system. paper: the key of the paper in BIBLIOGRAPHY.md. commands: maps the name of a file to the
    arguments of the command ``ringfort`` that writes it. The option that names the file is not among these arguments.
    """

    paper: str
    title: str
    commands: Mapping[str, tuple[str, ...]]
    figures: Callable[[Mapping[str, Any]], list[Figure]]


def figures(documents: Mapping[str, Any]) -> list[Figure]:
    """Returns the figures of all systems. documents: maps the name of a file to its JSON, for each command that has
    run."""
    return [figure for system in SYSTEMS for figure in system.figures(documents)]


def _rows(documents: Mapping[str, Any], name: str) -> dict[str, Row]:
    return {row["name"]: row_of(row) for row in documents.get(name, {}).get("rows", ())}


class _Statement(NamedTuple):
    """A published value. ``less``: true if smaller values are better."""

    paper: str
    where: str
    text: str
    value: float
    unit: str
    less: bool = True
    note: str = ""


def _compared(said: _Statement, ours: float | None) -> Figure:
    shown = f"{said.value:,g} {said.unit}"
    if ours is None:
        return Figure(said.paper, said.where, said.text, shown, "", "not measurable here", said.note)
    worse = ours / said.value if said.less else said.value / ours
    verdict: Verdict = "passed" if worse <= 1 else "met" if worse <= 1 + _WITHIN else "not met"
    note = "" if said.note == _ON_GPU else said.note
    return Figure(said.paper, said.where, said.text, shown, f"{units.number(ours)} {said.unit}", verdict, note)


# --- word search [MartinsSousa16] ---


def _search(documents: Mapping[str, Any]) -> list[Figure]:
    rows, paper = _rows(documents, "search"), "MartinsSousa16"
    found = []
    for total in published.TABLE_1:
        for kind, name, value in (
            ("sequential", "one core", total.sequential_s),
            ("literal", "the paper's algorithm, all cores", total.parallel_s),
        ):
            of = [row for key, row in rows.items() if key.startswith(f"search/{kind}/w{total.words}/")]
            best = min(of, key=lambda row: row.median, default=None)
            scaled = best is not None and any(key.startswith("scaled_from") for key in best.params)
            text, note = f"search of {total.words} words, {name}", "extrapolated from fewer words" if scaled else ""
            said = _Statement(paper, "Table 1", text, value, "s", note=note)
            found.append(_compared(said, best.median if best else None))
    for s, value in published.FIGURE_1.items():
        row = next((row for key, row in rows.items() if key.startswith(f"search/literal/s{s}/")), None)
        text = f"time per word, {s} words compared at once"
        found.append(_compared(_Statement(paper, "Figure 1", text, value, "ms"), row.median if row else None))
    for engine, text in (
        ("literal", "the paper's algorithm"),
        ("gsw128", "our preset gsw128, above 128 bits of security"),
    ):
        times = [row.median for key, row in rows.items() if re.fullmatch(rf"search/{engine}/t\d+", key)]
        text = f"time per word on a GTX 980, here {text} on this CPU"
        where, value = "quotes [KhedrGulakVaikuntanathan14]", published.GTX_980_MS_A_WORD
        found.append(_compared(_Statement(paper, where, text, value, "ms"), min(times, default=None)))
    return found


# --- processing in memory ---


def _pim(documents: Mapping[str, Any]) -> list[Figure]:
    found = []
    for claim in claims(list(_rows(documents, "pim").values())):
        ours = "" if claim.model is None else f"{claim.model:.3g} times"
        verdict: Verdict = claim.verdict or ("met" if claim.holds else "not met")
        note = claim.problem or f"simulated; {claim.basis}"
        said = claim.paper and f"{claim.paper} times"
        found.append(Figure("Mwaisela24", f"Figure {claim.figure}", claim.text, said, ours, verdict, note))
    return found


# --- the ring processor [Soni23] ---


_RPU_VERDICTS: dict[str, Verdict] = {"within": "met", "missed": "not met", "contradicted": "contradicted"}


def _rpu(documents: Mapping[str, Any]) -> list[Figure]:
    found = []
    for said in documents.get("rpu", {}).get("statements", ()):
        verdict = _RPU_VERDICTS[said["verdict"]]
        note = f"simulated; {said['origin']}, accepted within {said['tolerance']:.1%}"
        if verdict == "contradicted":
            note = said["contradiction"]
        found.append(
            Figure(
                *("Soni23", said["where"], said["text"], f"{said['paper']} {said['unit']}".strip()),
                *(f"{said['model']:.5g} {said['unit']}".strip(), verdict, note),
            )
        )
    return found


# --- GPUs [Lyashevsky23, Shivdikar22] ---

_ON_GPU = "needs a GPU, and a run without --quick"


def _us(rows: Mapping[str, Row], name: str) -> float | None:
    return rows[name].median if name in rows else None


def _over_naive(rows: Mapping[str, Row], of: str, us: float) -> float | None:
    naive = _us(rows, of.format("naive"))
    return None if naive is None else naive / us


def _ratio(rows: Mapping[str, Row], slow: str, quick: str) -> float | None:
    first, second = _us(rows, slow), _us(rows, quick)
    return None if first is None or second is None else first / second


_RATIOS = (  # place in the paper, statement, published ratio, the slower row, the faster row
    (
        *("Section V-A", "the proposed reduction over the built-in one, in a transform", 1.72),
        *("variant/forward/naive/builtin/n65536/q30/b1", "variant/forward/naive/proposed/n65536/q30/b1"),
    ),
    (
        *("Section II-B", "the proposed reduction over the classical one, 30 bits", 1.22),
        *("reduction/classical/q30", "reduction/proposed/q30"),
    ),
    (
        *("Section V-A.1", "shared memory over global memory", 1.25),
        *("variant/forward/naive/proposed/n65536/q62/b1", "variant/forward/los/proposed/n65536/q62/b1"),
    ),
    (
        *("Figure 9", "2D over radix 2", 2.91),
        *("variant/forward/naive/proposed/n65536/q62/b1", "variant/forward/2d/proposed/n65536/q62/b1"),
    ),
    (
        *("Section VI-B", "the fused Hadamard section (products of values) over separate steps", 1.3),
        *("product/separate/proposed/n65536/q62/b1/middle", "product/fused/proposed/n65536/q62/b1/middle"),
    ),
    *(
        (
            *("Section VI-B", f"a whole product with the fused section, n = 2^{log_n}", times),
            *(f"product/separate/proposed/n{1 << log_n}/q62/b1", f"product/fused/proposed/n{1 << log_n}/q62/b1"),
        )
        for log_n, times in ((11, 1.061), (16, 1.024))
    ),
)


def _shivdikar(documents: Mapping[str, Any]) -> list[Figure]:
    rows = _rows(documents, "gpu-ntt") | _rows(documents, "gpu-reduction")
    paper, found = "Shivdikar22", []
    for known in published.TRANSFORMS:
        for direction, value in (("forward", known.forward_us), ("inverse", known.inverse_us)):
            end = f"/n{1 << known.log_n}/q{known.bits}/b1"
            of = [row for name, row in rows.items() if name.startswith(f"variant/{direction}/") and name.endswith(end)]
            best = min((row.median for row in of if row.unit == "us"), default=None)
            text = f"one {direction} transform, n = 2^{known.log_n}, {known.bits} bits, {known.chip}; our best variant"
            found.append(_compared(_Statement(paper, "Table IV", text, value, "us", note=_ON_GPU), best))
    times = [
        row.median for name, row in rows.items() if name.startswith("variant/forward/") and "/n65536/q30/b1024" in name
    ]
    text, value = "one transform of 2^16 points, in a batch of a thousand or more", published.THROUGHPUT_US
    found.append(_compared(_Statement(paper, "Section V-C", text, value, "us", note=_ON_GPU), min(times, default=None)))
    for where, text, value, slow, quick in _RATIOS:
        said = _Statement(paper, where, text, value, "times", less=False, note=_ON_GPU)
        found.append(_compared(said, _ratio(rows, slow, quick)))
    fused, separate = (rows.get(f"product/{k}/proposed/n1024/q30/b1/middle/products") for k in ("fused", "separate"))
    saved = None if fused is None or separate is None else (separate.median - fused.median) / 5 / 512
    text = "modular products that the fused Hadamard product saves, for each pair of words"
    found.append(_compared(_Statement(paper, "Section III-B", text, 1, "product", less=False, note="counted"), saved))
    return found


_ROUTINES = ("mul_lin", "mul_lin_rs", "sqr_lin_rs", "mul_lin_rs_mod_sw_add", "rotate")
_ON_DEVICES = (  # place in the paper, GPU, our variant; times as fast as naive, percent of the limit; None: not stated
    ("Figure 16", "two tiles, one used", "naive", None, 10.08),
    ("Figures 15, 16", "two tiles, one used", "simd8", 1.28, 12.93),
    ("Figure 15", "two tiles, one used", "simd16", 1.19, None),
    ("Figures 17, 18", "two tiles, one used", "radix8", 4.23, 34.1),
    ("Figure 19", "two tiles, one used", "best", None, 47.1),
    ("Figure 20", "two tiles", "best", 9.93, 79.8),
    ("Figure 23", "one tile", "radix8", 5.47, 66.8),
    ("Figure 23", "one tile", "best", 7.02, 85.75),
)


def _lyashevsky(documents: Mapping[str, Any]) -> list[Figure]:
    paper, found = "Lyashevsky23", []
    rows = _rows(documents, "gpu-ntt") | _rows(documents, "gpu-ops") | _rows(documents, "gpu-matmul")

    def add(where: str, text: str, value: float, unit: str, ours: float | None) -> None:
        found.append(_compared(_Statement(paper, where, text, value, unit, less=False, note=_ON_GPU), ours))

    for radix, operations in published.OPERATIONS.items():
        text = f"integer operations of a work-item in a round of radix {radix}, 64-bit primes"
        note = "counted in our PTX, with the code of the last round"
        said = _Statement(paper, "Table 1", text, operations, "operations", note=note)
        found.append(_compared(said, compiled.OPERATIONS[radix]))
    of = "variant/forward/{}/harvey/n32768/q62/b1024"
    for where, gpu, name, times, percent in _ON_DEVICES:
        row = rows.get("ntt/forward/n32768/q60/b1024" if name == "best" else of.format(name))
        what = f"{name}, 1024 transforms of 32768 points, GPU of {gpu}: "
        share = None if row is None or row.limit_share is None else 100 * row.limit_share
        if percent is not None:
            add(where, what + "share of the limit", percent, "%", share)
        if times is not None:
            add(where, what + "over naive", times, "times", None if row is None else _over_naive(rows, of, row.median))
    steps = {
        step: [_us(rows, f"routine/{step}/{r}/n32768/speedup") for r in _ROUTINES] for step in ("radix8", "callers")
    }
    for routine, ours in zip(_ROUTINES, steps["callers"], strict=True):
        text = f"{routine}: all steps over the naive transform, n = 32768, 8 primes"
        add("Figure 24", text, published.ROUTINES["least"], "times", ours)
    of_all = {step: [ratio for ratio in ratios if ratio is not None] for step, ratios in steps.items()}
    most = max(of_all["callers"], default=None)
    add(
        "Figure 22",
        "the best of five routines: all steps over the naive transform",
        published.ROUTINES["most"],
        "times",
        most,
    )
    mean = sum(of_all["radix8"]) / len(_ROUTINES) if len(of_all["radix8"]) == len(_ROUTINES) else None
    add("Figure 24", "five routines, mean: radix 8 over naive", published.ROUTINES["radix8"], "times", mean)
    for where, shape, value in published.MATMUL:
        ours = _us(rows, f"matmul/cache/{shape}/n16384/speedup")
        add(where, f"matMul_{shape}: all steps over the first", value, "times", ours)
    return found


SYSTEMS = (
    System("MartinsSousa16", "Encrypted word search", {"search": ("bench", "search")}, _search),
    System(
        "Lyashevsky23",
        "XeHE: CKKS on GPUs",
        {"gpu-ntt": ("bench", "gpu-ntt"), "gpu-ops": ("bench", "gpu-ops"), "gpu-matmul": ("bench", "gpu-matmul")},
        _lyashevsky,
    ),
    System(
        "Shivdikar22", "Polynomial multiplication on GPUs", {"gpu-reduction": ("bench", "gpu-reduction")}, _shivdikar
    ),
    System("Mwaisela24", "Processing in memory", {"pim": ("bench", "pim")}, _pim),
    System("Soni23", "The ring processor", {"rpu": ("rpu", "report")}, _rpu),
)


def overview(found: Sequence[Figure], pages: Mapping[str, str], problems: Mapping[str, str]) -> Report:
    """Makes the page of all figures. pages: the file of each report. problems: for each failed command, the reason."""
    report = Report("Five published systems, and ours")
    report.paragraph(
        "This page compares the figures that the publications state in text and tables with ours. It leaves out values "
        "that they only plot, and comparisons with other people's programs. Passed: ours is better. Met: ours is at "
        "most a tenth worse, or within the tolerance that was chosen before. Contradicted: the publication's own "
        "numbers exclude the figure, for the reason in the last column. Times of this machine are measured; the ring "
        "processor and processing in memory are simulated."
    )
    for name, why in problems.items():
        report.paragraph(f"{name} could not be run: {why}")
    columns = ["system", "figures", *VERDICTS, "reports"]
    body = []
    for system in SYSTEMS:
        of_system = [figure for figure in found if figure.paper == system.paper]
        counts = [sum(figure.verdict == verdict for figure in of_system) for verdict in VERDICTS]
        links = tuple(Path(pages[name]) for name in system.commands if name in pages)
        body.append([f"{system.title} [{system.paper}]", len(of_system), *counts, links])
    report.table("Summary", columns, body)
    for system in SYSTEMS:
        of_system = [figure for figure in found if figure.paper == system.paper]
        if of_system:
            report.heading(f"{system.title} [{system.paper}]")
            rows = [[f.where, f.text, f.published, f.ours, f.verdict, f.note] for f in of_system]
            report.table("", ["where", "what", "published", "ours", "verdict", "note"], rows)
    return report
