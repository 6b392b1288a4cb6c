# SPDX-License-Identifier: Apache-2.0
"""``ringfort reproduce`` repeats the measurements of five publications. It writes a page for each measurement, and a
page that compares the figures of the publications with ours."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ..bench.reproduce import SYSTEMS, VERDICTS, Figure, figures, overview
from ..errors import InvalidArgument
from ..report import Report
from ..whole_files import write_whole
from .groups import app
from .options import AsJson
from .output import Speaker, table

COMMANDS = {name: words for system in SYSTEMS for name, words in system.commands.items()}


@app.command("reproduce")
def reproduce_command(
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Folder for the pages and the measured rows.")
    ] = Path("ringfort-report"),
    device: Annotated[str, typer.Option(help="The GPU for the reports gpu-... Default: as in ringfort bench.")] = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer repetitions: a few minutes in all without a GPU.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", metavar="NAME", help=f"Only this report: {', '.join(COMMANDS)}. Repeat the option for more."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Repeat the measurements of five publications, and compare the published figures with ours."""
    with Speaker(as_json).guarded() as speaker:
        if unknown := [name for name in only or () if name not in COMMANDS]:
            raise InvalidArgument(f"there is no report {unknown[0]}", f"the names are {', '.join(COMMANDS)}")
        Report.require_writable(out / "index.html")  # checked before minutes of measurements
        names = [name for name in COMMANDS if not only or name in only]
        documents, problems = _measured(speaker, names, lambda name: _run(name, out, device, quick))
        found = figures(documents)
        pages = {name: f"{name}.html" for name in documents}
        page = overview(found, pages, problems).write(out / "index.html")
        document = {"figures": [asdict(figure) for figure in found], "problems": problems, "page": str(page)}
        write_whole(out / "figures.json", json.dumps(document, ensure_ascii=False, indent=1) + "\n")
        speaker.result(document, lambda console: _show(console, found, page))
        if problems:
            raise typer.Exit(1)


def _measured(speaker: Speaker, names: list[str], run: Callable[[str], Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Returns the documents of the commands that succeeded, and the problems of the commands that failed."""
    documents: dict[str, Any] = {}
    problems: dict[str, str] = {}
    with speaker.progress("measuring", len(names), "report") as done:
        for number, name in enumerate(names, 1):
            speaker.say(f"{name}: ringfort {' '.join(COMMANDS[name])}")
            try:
                documents[name] = run(name)
            except _FailedError as failed:
                problems[name] = str(failed)
                speaker.warn(f"{name}: {failed}")
            done(number)
    return documents, problems


# With -m, Python would import modules from the current folder first, and its option -P needs Python 3.11.
_PROGRAM = "import sys; sys.path[:] = filter(None, sys.path); from ringfort.cli import main; sys.exit(main())"


class _FailedError(Exception):
    """A command has failed. The text is the last two lines that the command wrote to standard error."""


def _run(name: str, out: Path, device: str, quick: bool) -> Any:
    """Runs a command, which writes its page. Returns the JSON document of the command."""
    words, rows = list(COMMANDS[name]), out / f"{name}.json"
    words += ["--html", str(out / f"{name}.html")]
    if name == "rpu":
        words += ["--json", "--results", str(out / "rpu-points.json"), *(("--tries", "1") if quick else ())]
    else:
        words += ["--json", str(rows), *(("--quick",) if quick else ())]
    if device and name.startswith("gpu-"):
        words += ["--device", device]
    done = subprocess.run([sys.executable, "-c", _PROGRAM, *words], capture_output=True, text=True, check=False)
    if done.returncode == 130:
        raise KeyboardInterrupt
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise _FailedError(" ".join(lines[-2:]) or f"it ended with status {done.returncode}")
    if name == "rpu":
        write_whole(rows, done.stdout)
    return json.loads(rows.read_text(encoding="utf-8"))


def _show(console: Console, found: list[Figure], page: Path) -> None:
    shown = table("Published figures", "system", *VERDICTS, numbers=len(VERDICTS))
    for system in SYSTEMS:
        of_system = [figure for figure in found if figure.paper == system.paper]
        counts = [str(sum(figure.verdict == verdict for figure in of_system)) for verdict in VERDICTS]
        shown.add_row(f"{system.title} [{system.paper}]", *counts)
    console.print(shown)
    console.print(f"all figures: {page}")
