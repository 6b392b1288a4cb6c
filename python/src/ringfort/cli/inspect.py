# SPDX-License-Identifier: Apache-2.0
"""``ringfort inspect`` and ``ringfort search inspect`` show facts about files. These commands need no key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from .. import Inspection, inspect
from ..errors import Error, IoOpen, IoType
from .groups import app, search_app
from .options import AsJson
from .output import Speaker, table


@search_app.command("inspect")
@app.command("inspect")
def inspect_command(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Files that ringfort wrote, or folders of an index or of keys."),
    ],
    as_json: AsJson = False,
) -> None:
    """Show what files contain, and whether a secret is inside. Needs no key, and shows no secret."""
    with Speaker(as_json).guarded() as speaker:
        found, refused = _inspected([file for path in paths for file in _files_of(path)])
        if len(refused) == 1 and not found:
            raise next(iter(refused.values()))

        def show(console: Console) -> None:
            for name, facts in found.items():
                rows = table(name, "what", "value")
                for fact, value in facts.rows():
                    rows.add_row(fact, value)
                console.print(rows)

        document: dict[str, Any] = {"files": {name: facts.as_dict() for name, facts in found.items()}}
        if refused:
            told = {name: {"code": e.code, "problem": e.problem, "fix": e.fix} for name, e in refused.items()}
            document["refused"] = told
        speaker.result(document, show)
        for error in refused.values():
            speaker.warn(str(error))
        if refused:
            raise typer.Exit(1)


def _files_of(path: Path) -> list[Path]:
    """Returns a file, or the files of a folder. Without such files returns the folder, which ``inspect`` refuses."""
    return (sorted(path.glob("*.rf?")) if path.is_dir() else []) or [path]


def _inspected(files: list[Path]) -> tuple[dict[str, Inspection], dict[str, Error]]:
    """Returns the facts of files, and the errors of the files that cannot be read. The errors have the paths."""
    found: dict[str, Inspection] = {}
    refused: dict[str, Error] = {}
    for file in files:
        try:
            if file.is_dir():
                raise IoType("the folder has no file NAME.rf?", "give files, or a folder of an index or of keys")
            found[str(file)] = inspect(file)
        except IoOpen as error:  # it names the path
            refused[str(file)] = error
        except Error as error:
            refused[str(file)] = type(error)(f"{file}: {error.problem}", error.fix)
    return found, refused
