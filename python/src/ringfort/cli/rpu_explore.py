# SPDX-License-Identifier: Apache-2.0
"""``ringfort rpu dse`` explores many machines. ``ringfort rpu report`` compares the figures of [Soni23] with ours. A
machine is a ring processor with certain sizes and latencies. A point is a machine with the measured time of a
program."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from .. import rpu, units
from ..bench.machine import describe
from ..bench.rows import Row
from ..cores import usable_cores
from ..errors import Error, InvalidArgument
from ..report import Report
from ..rpu import page, processors
from ..rpu.explore import Point, Request, Results, explore, grid, pareto
from ..rpu.paper import BANKS, HPLES, SIZES, Study
from .files import require_separate
from .groups import rpu_app
from .options import AsJson
from .output import Speaker, table
from .rpu import MachineFile, Settings, files_of_program, machine_of, require_writable, write_file

_RESULTS = "rpu-dse.jsonl"
_RTL_RESULTS = "rpu-rtl.jsonl"
_ALL_HPLES, _ALL_BANKS = (",".join(map(str, sizes)) for sizes in (HPLES, BANKS))
_STREAMED = 8
_VDM_WORDS = 1 << 18

Jobs = Annotated[
    int, typer.Option("--jobs", "-j", min=0, help="Number of points to compute at a time; 0: one for each usable core.")
]
ResultsFile = Annotated[
    Path,
    typer.Option(
        "--results", metavar="FILE", help="File of results. Its points are not computed again; new points are appended."
    ),
]
Html = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page with plots.")]
_Hples = Annotated[
    str | None,
    typer.Option(help=f"Numbers of compute lanes (HPLEs) to try. Default: that of --machine, or else {_ALL_HPLES}."),
]
_Banks = Annotated[
    str | None, typer.Option(help=f"Numbers of memory banks to try. Default: that of --machine, or else {_ALL_BANKS}.")
]
Csv = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write a table with a row for each point.")]


@rpu_app.command("dse")
def dse_command(
    n: Annotated[int, typer.Option("--n", help="Length of the transform.")] = 65536,
    hples: _Hples = None,
    banks: _Banks = None,
    interval: Annotated[
        str | None, typer.Option(help="Cycles between two products (initiation intervals) to try.")
    ] = None,
    latency: Annotated[str | None, typer.Option(help="Latencies of the multiplier to try, in cycles.")] = None,
    more: Annotated[
        list[str] | None,
        typer.Option("--axis", metavar="NAME=V,V", help="Values to try of any other parameter of the machine."),
    ] = None,
    program: Annotated[
        Path | None,
        typer.Option("--program", metavar="FILE", help="Run NAME.b512, NAME.s or NAME.job, not a transform."),
    ] = None,
    optimizer: Annotated[
        Literal["none", "paper", "best"],
        typer.Option(help="Optimizer of the transform: see rpu ntt. A transform is generated for each machine."),
    ] = "paper",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random schedules that are tried.")] = 0,
    tries: Annotated[
        int | None, typer.Option(min=1, help="Number of schedules to try. Default: 16 (rpu ntt: 64).")
    ] = None,
    machine: MachineFile = "",
    settings: Settings = "",
    figures: Annotated[
        bool,
        typer.Option(
            "--figures/--no-figures",
            help="For the length 65536: also compute all points of Figures 4 to 10 of the paper.",
        ),
    ] = True,
    results: ResultsFile = Path(_RESULTS),
    jobs: Jobs = 0,
    html: Html = None,
    csv_path: Csv = None,
    as_json: AsJson = False,
) -> None:
    """Explore the design space: time, area and energy of many machines, and their Pareto front.

    After an interruption, the same command continues.
    """
    with Speaker(as_json).guarded(f"the same command resumes from {results}") as speaker:
        inputs = [("--machine", machine), *(files_of_program("--program", program) if program else [])]
        require_separate(inputs, [("--results", results), ("--html", html), ("--csv", csv_path)])
        if html is not None:
            Report.require_writable(html)
        if csv_path is not None:
            require_writable(csv_path)
        fixed = rpu.settings_of(machine_of(machine, settings, None, None))
        named = {"hples": hples, "banks": banks, "multiply_interval": interval, "multiply_latency": latency}
        axes = _axes([*_given(named, bool(machine)), *(more or ())])
        _require_free(settings, axes)
        base = Request(tuple(sorted(fixed.items())), n, optimizer, seed, tries)
        base = base if program is None else Request.of_program(program, fixed)
        requests = grid(base, axes)
        for request in requests:
            rpu.machine(None, dict(request.settings))  # an error comes before any measurement
        study = Study(Request(seed=seed, tries=tries)) if figures and not program and n == 65536 else None
        known, refused = _measured(speaker, requests, study, results, jobs)
        points = [point for request in requests if (point := known.get(request)) is not None]
        if not points:
            raise next(iter(refused.values()))
        document = _document(points, study, known) | {"refused": _told(refused)}
        if csv_path is not None:
            write_file(csv_path, _csv(points))
        if html is not None:
            report = Report(f"The ring processor: {program.name if program else f'a transform of {n:,}'}")
            page.add_exploration(report, points)
            if study is not None:
                page.add_paper(report, study, known)
            speaker.say(f"report: {report.write(html)}")
        speaker.result(document, lambda console: _show(console, points, document))


@rpu_app.command("report")
def report_command(
    results: ResultsFile = Path(_RESULTS),
    cpu: Annotated[bool, typer.Option("--cpu/--no-cpu", help="Also measure transforms on this machine's CPU.")] = True,
    rtl_results: Annotated[
        Path, typer.Option("--rtl-results", metavar="FILE", help="File to which `rpu run --rtl --record` appended.")
    ] = Path(_RTL_RESULTS),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random schedules that are tried.")] = 0,
    tries: Annotated[
        int | None, typer.Option(min=1, help="Number of schedules to try. Default: 16 (rpu ntt: 64).")
    ] = None,
    jobs: Jobs = 0,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Compare the numbers of the paper [Soni23] with ours, and the model with this machine's CPU."""
    with Speaker(as_json).guarded(f"the same command resumes from {results}") as speaker:
        require_separate([("--rtl-results", rtl_results)], [("--results", results), ("--html", html)])
        if html is not None:
            Report.require_writable(html)
        study, rtl = Study(Request(seed=seed, tries=tries)), rpu.hardware_agreement(rtl_results)
        rtl_percent = rtl.percent if rtl else None
        known, _ = _measured(speaker, [], study, results, jobs)
        points, rows = study.points("sizes", known), _beside(speaker, study, known) if cpu else []
        document = _document(points, study, known, rtl_percent)
        document["rtl"] = _rtl(rtl, rtl_results)
        document["streams"] = streams = _streams(speaker, seed, tries)
        document |= {"machine": describe(), "rows": [row.as_dict() for row in rows], "quoted": dict(processors.QUOTED)}
        if html is not None:
            report = Report("The ring processor compared with its paper")
            page.add_paper(report, study, known, rtl_percent)
            report.paragraph(document["rtl"]["text"])
            page.add_streams(report, streams)
            page.add_exploration(report, points)
            if rows:
                page.add_processors(report, rows)
            speaker.say(f"report: {report.write(html)}")
        speaker.result(document, lambda console: _show_report(console, document, rows))


def _rtl(found: rpu.Agreement | None, path: Path) -> dict[str, Any]:
    """Returns the totals of the recorded comparisons of RTL and simulator, and a sentence about them. Without records,
    the totals are None."""
    if found is None:
        advice = f"`ringfort rpu run X.s --rtl --record {path}` records one, `./dev rtl` thousands"
        return {"recorded": None, "text": f"Agreement of RTL and simulator: no run is recorded in {path}; {advice}"}
    runs = f"{found.programs:,} programs on {found.machines} machines, {found.cycles:,} cycles"
    return {
        "recorded": asdict(found) | {"percent": found.percent},
        "text": f"Agreement of RTL and simulator: {found.percent:.5g} % of the cycles belong to programs for which "
        f"both are equal in every value and cycle ({runs}, in {path}); the paper says over 97 %",
    }


def _given(named: Mapping[str, str | None], with_file: bool) -> list[str]:
    """Returns the axes of the options that have values. Without a machine file, adds the paper's sizes."""
    usual = {} if with_file else {"hples": _ALL_HPLES, "banks": _ALL_BANKS}
    found = usual | {name: values for name, values in named.items() if values is not None}
    return [f"{name}={values}" for name, values in found.items()]


def _axes(given: Sequence[str]) -> dict[str, list[str]]:
    """Parses `name=1,2`. The machine itself rejects unknown parameters. Errors: InvalidArgument (no axis, or two axes
    with one name)."""
    axes: dict[str, list[str]] = {}
    for text in given:
        name, _, values = (part.strip() for part in text.partition("="))
        if name in axes:
            option = f"--{_OPTIONS[name]} {values}" if name in _OPTIONS else f"all values in one --axis {name}=..."
            raise InvalidArgument(f"{name} is the name of two axes", f"give {option}")
        axes[name] = list(dict.fromkeys(value.strip() for value in values.split(",") if value.strip()))
        if not axes[name]:
            raise InvalidArgument(f"{text!r} is not an axis", "write for example dispatch=1,2")
    return axes


_OPTIONS = {"hples": "hples", "banks": "banks", "multiply_interval": "interval", "multiply_latency": "latency"}


def _require_free(settings: str, axes: Mapping[str, Sequence[str]]) -> None:
    """Refuses a parameter that --set fixes and that is also to be explored. Errors: InvalidArgument."""
    for name, _, value in (setting.partition("=") for setting in settings.split(",")):
        if name.strip() in axes:
            option = f"--{_OPTIONS[name.strip()]} {value}" if name.strip() in _OPTIONS else f"no --axis {name}"
            raise InvalidArgument(f"--set fixes {name.strip()}, which is also explored", f"give {option}")


def _measured(
    speaker: Speaker, requests: Sequence[Request], study: Study | None, path: Path, jobs: int
) -> tuple[Results, dict[Request, Error]]:
    known = Results(path)
    wanted = [*requests, *(study.requests if study else ())]
    wanted = list({request.key: request for request in wanted}.values())
    missing = [request for request in wanted if known.get(request) is None]
    if len(missing) < len(wanted):
        speaker.say(f"{len(wanted) - len(missing)} of {len(wanted)} points are in {path} already")
    with speaker.progress("exploring", len(missing), "point") as done:
        refused = explore(missing, known, jobs or usable_cores(), done)
    for request, error in refused.items():
        what = "run" if request.program else f"program for n = {request.n}"
        speaker.warn(f"no {what} on {dict(request.settings) or 'this machine'}: {error}")
    return known, refused


def _told(refused: dict[Request, Error]) -> list[dict[str, Any]]:
    return [{"settings": dict(r.settings), "n": r.n, "problem": e.problem, "fix": e.fix} for r, e in refused.items()]


def _streams(speaker: Speaker, seed: int, tries: int | None) -> dict[int, dict[str, Any]]:
    """Measures, for every length, the time of eight transforms in a row with the best program.

    For the longest transform the machine gets a larger memory, in which the data of two transforms fit.
    """
    found: dict[int, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder, speaker.progress("streaming", len(SIZES), "length") as done:
        for number, n in enumerate(SIZES, 1):
            on = rpu.machine(settings={"vdm_words": _VDM_WORDS if n < SIZES[-1] else 2 * _VDM_WORDS})
            program = Path(folder) / f"{n}.b512"
            generated = rpu.generate(rpu.Transform(n, seed=seed, tries=tries, on=on), program)
            streamed = rpu.stream(program, generated["result"], on, _STREAMED)
            found[n] = {"alone": generated["cycles"], "vdm_words": on.vdm_words, **streamed}
            done(number)
    return found


def _beside(speaker: Speaker, study: Study, known: Results) -> list[Row]:
    speaker.say("measuring this machine's CPU")
    modelled = {
        name: {p.request.n: p.us for p in study.points(series, known)}
        for name, series in (("the paper's", "lengths"), ("best", "best_lengths"))
    }
    return processors.rows_beside(SIZES, modelled)


def _document(
    points: Sequence[Point], study: Study | None, known: Results, rtl_percent: float | None = None
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "points": [point.document() for point in points],
        "pareto": [point.document() for point in pareto(points)],
    }
    if study is not None:
        document["statements"] = [residual.document() for residual in study.residuals(known, rtl_percent)]
    return document


def _csv(points: Sequence[Point]) -> bytes:
    text = io.StringIO()
    rows = [_flat(point.document()) for point in points]
    writer = csv.DictWriter(text, list(dict.fromkeys(name for row in rows for name in row)), restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in row.items():
        found |= {f"{name}.{inner}": v for inner, v in value.items()} if isinstance(value, dict) else {name: value}
    return found


_NUMBERS = ("us", "area_mm2", "energy_uj", "power_w", "runs_per_second_mm2")


def _show(console: Console, points: Sequence[Point], document: dict[str, Any]) -> None:
    shown = table(
        f"Pareto front of {units.quantity(len(points), 'point')}",
        "(HPLEs, banks)", "other settings", "cycles", "µs", "mm²", "µJ", "W",
        "runs / s mm²", numbers=6,
    )  # fmt: skip
    for row in document["pareto"]:
        others = " ".join(f"{name}={value}" for name, value in row["settings"].items())
        size = f"({row['hples']}, {row['banks']})"
        shown.add_row(size, others, f"{row['cycles']:,}", *(units.number(row[name]) for name in _NUMBERS))
    console.print(shown)
    best = max(points, key=lambda point: point.per_area)
    console.print(f"most runs per second and mm²: {best.size}, {best.us:.4g} µs on {best.area.total:.4g} mm²")
    if "statements" in document:
        _show_statements(console, document["statements"])


def _show_statements(console: Console, statements: Sequence[dict[str, Any]]) -> None:
    shown = table(
        "Numbers that the paper states, and ours",
        "where",
        "what",
        "origin",
        "verdict",
        "paper",
        "ours",
        "residual",
        "accepted",
        numbers=4,
    )
    for said in statements:
        shown.add_row(
            said["where"],
            said["text"],
            said["origin"],
            said["verdict"],
            f"{said['paper']} {said['unit']}",
            f"{said['model']:.5g}",
            f"{said['residual']:+.1%}",
            f"{said['tolerance']:.1%}",
        )
    console.print(shown)
    for said in statements:
        if said["contradiction"]:
            console.print(f"{said['text']}: {said['contradiction']}")
    for origin in ("fitted", "predicted"):
        verdicts = [said["verdict"] for said in statements if said["origin"] == origin]
        console.print(f"{verdicts.count('within')} of {len(verdicts)} {origin} statements within tolerance")


def _show_report(console: Console, document: dict[str, Any], rows: Sequence[Row]) -> None:
    _show_statements(console, document["statements"])
    console.print(document["rtl"]["text"], markup=False)
    if rows:
        shown = table(
            "This machine's CPU, one thread, processor time",
            "n",
            "word bits",
            "us",
            "over the paper's program",
            "over best",
            numbers=5,
        )
        for row in rows:
            ratios = [f"{versus.ratio:,.0f}" for versus in row.versus[:2]]
            shown.add_row(f"{row.params['n']:,}", str(row.params["word_bits"]), f"{row.median:.4g}", *ratios)
        console.print(shown)
    for what, times in document["quoted"].items():
        console.print(f"the paper quotes: {what}: {times}")
