# SPDX-License-Identifier: Apache-2.0
"""``ringfort inspect`` and ``ringfort search inspect`` show facts about files. These commands need no key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from .. import inspect
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
        files = [file for path in paths for file in (sorted(path.glob("*.rf?")) if path.is_dir() else [path])]
        found = {str(file): inspect(file) for file in files}

        def show(console: Console) -> None:
            for name, facts in found.items():
                rows = table(name, "what", "value")
                for fact, value in facts.rows():
                    rows.add_row(fact, value)
                console.print(rows)

        speaker.result({"files": {name: facts.as_dict() for name, facts in found.items()}}, show)
