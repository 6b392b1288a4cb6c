# SPDX-License-Identifier: Apache-2.0
"""``ringfort bench NAME`` measures, and prints a table. Options write the rows as JSON, and a page with plots."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ..bench.gpu import SECTIONS, gpu_name, gpu_rows
from ..bench.machine import describe
from ..bench.pim import experiments, pim_rows
from ..bench.rows import LIMITS, Row, document
from ..bench.run import MEASURES, WITHOUT_DEVICE, refuse_device, refuse_threads, run_benchmark
from ..bench.show import is_extrapolated, machine_line, terminal_table, write_report
from ..bench.show_gpu import gpu_report, times_of
from ..bench.show_pim import claim_lines, pim_report, table1_lines
from ..bench.show_search import search_report
from ..bench.transform_times import transform_times
from ..cores import usable_cores
from ..errors import InvalidArgument, IoWrite
from ..report import Report
from ..whole_files import require_replaceable, write_whole
from .files import require_separate
from .groups import app
from .output import Speaker

_Device = Annotated[
    str,
    typer.Option(
        help="A device that ringfort devices lists. Default: RINGFORT_DEVICE, or else cpu; "
        f"for gpu-...: the first GPU of CUDA, or emu:0. Not for {', '.join(WITHOUT_DEVICE)}."
    ),
]
_Threads = Annotated[
    int,
    typer.Option(
        "--threads",
        "-t",
        min=0,
        max=1024,
        help="Only search, ops and threads: number of threads; 0: one for each usable core.",
    ),
]
_PAGES = {"search": search_report, "pim": pim_report, **dict.fromkeys(SECTIONS, gpu_report)}


@app.command("bench", epilog="\n\n".join(f"{name}: {what}." for name, what in MEASURES.items()))
def bench_command(
    name: Annotated[
        str, typer.Argument(help="What to measure: one of the names below.", autocompletion=lambda: list(MEASURES))
    ],
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Fewer repetitions: search takes at most three minutes, pim two, each gpu-... one."
        ),
    ] = False,
    json_path: Annotated[
        str, typer.Option("--json", metavar="FILE", help="Write the rows to FILE as JSON; -: to standard output.")
    ] = "",
    html_path: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with plots to FILE.")
    ] = None,
    times_path: Annotated[
        str,
        typer.Option(
            "--times",
            metavar="FILE",
            help="Only gpu-ntt: write all measured times to FILE. The device cuda:0,times=FILE uses them.",
        ),
    ] = "",
    device: _Device = "",
    threads: _Threads = 0,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="ROW", help="Only rows whose name begins with ROW. Repeat the option for more."),
    ] = None,
) -> None:
    """Measure this machine, and compare the results with other libraries and published numbers."""
    with Speaker(json_path == "-").guarded() as speaker:
        refuse_device(name, device)
        refuse_threads(name, threads)
        rows_file = "" if json_path == "-" else json_path
        require_separate([], [("--json", rows_file), ("--html", html_path), ("--times", times_path)])
        # checks the paths before minutes of measurements
        if rows_file:
            _write(require_replaceable, Path(rows_file))
        if html_path is not None:
            Report.require_writable(html_path)
        if times_path:
            if name != "gpu-ntt":
                raise InvalidArgument("--times is an option of gpu-ntt", "leave it out")
            if only:
                raise InvalidArgument("--times needs all rows", "leave --only out")
            if gpu_name(device).startswith("emu"):
                raise _no_times(gpu_name(device))
            _write(require_replaceable, Path(times_path))
        machine = describe()
        if name == "pim":
            rows = _model(speaker, quick, tuple(only or ()))
        elif name in SECTIONS:
            machine["gpu"], rows = gpu_rows(name, device, speaker.say, quick=quick, only=tuple(only or ()))
        else:
            rows = run_benchmark(
                name, speaker.say, quick=quick, device=device, threads=threads or usable_cores(), only=tuple(only or ())
            )
        if times_path:
            _write(write_whole, Path(times_path), _times(machine["gpu"], rows))
        title = f"ringfort bench {name}"
        found = document(machine, rows)
        if rows_file:
            _write(write_whole, Path(rows_file), json.dumps(found, ensure_ascii=False, indent=1) + "\n")
        if html_path is not None:
            page = _PAGES[name](title, rows) if name in _PAGES else None
            speaker.say(f"report: {write_report(html_path, title, machine, rows, page)}")

        def show(console: Console) -> None:
            console.print(terminal_table(title, times_of(rows) if name in SECTIONS else rows, console.width))
            console.print(machine_line(machine))
            if notes := _notes(name, rows):
                console.print(notes)

        speaker.result(found, show)


def _times(gpu: dict[str, Any], rows: list[Row]) -> str:
    if not gpu["has_times"]:
        raise _no_times(gpu["device"])
    return transform_times(gpu["chip"], rows)


def _no_times(device: str) -> InvalidArgument:
    return InvalidArgument(f"the device {device} measures no times", "--times needs a GPU")


def _model(speaker: Speaker, quick: bool, only: tuple[str, ...]) -> list[Row]:
    with speaker.progress("modelling", len(experiments(only)), "experiment") as tell:
        return pim_rows(tell, quick=quick, only=only)


def _notes(name: str, rows: list[Row]) -> str:
    notes = [*table1_lines(rows), *claim_lines(rows)] if name == "pim" else []
    if any(map(is_extrapolated, rows)):
        notes.append("extrapolated: measured for fewer items, then scaled")
    if any(row.limit_share is not None for row in rows):
        notes.append(f"of the limit: {LIMITS[name]}")
    return "\n".join(notes)


def _write(how: Callable[..., None], path: Path, *text: str) -> None:
    try:
        how(path, *text)
    except OSError as error:
        raise IoWrite(f"{path} cannot be written: {error.strerror}", "choose another path") from None
