# SPDX-License-Identifier: Apache-2.0
"""Other libraries measured in the same run on the same machine: programs of bench/against, built by their own tools."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from .rows import Row

__all__ = ["against_tfhe_ntt"]

_BUILD_LIMIT_S = 600
_RUN_LIMIT_S = 300


def against_tfhe_ntt(rows: Iterable[Row], say: Callable[[str], None]) -> list[Row]:
    """The rows, compared with the crate tfhe-ntt where they have the same name; as they are where it cannot be built.

    Needs cargo, and a clone of the repository at or above the working folder.
    """
    ours = list(rows)
    folder = _program("tfhe_ntt")
    if folder is None or shutil.which("cargo") is None:
        say("no comparison with tfhe-ntt: it needs cargo and a clone of the repository as working folder")
        return ours
    say("building and running tfhe-ntt for comparison")
    try:
        _run(["cargo", "build", "--release", "--locked", "--quiet"], folder, _BUILD_LIMIT_S)
        found = json.loads(_run([str(folder / "target/release/against-tfhe-ntt")], folder, _RUN_LIMIT_S))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        say(f"no comparison with tfhe-ntt: {error}")
        return ours
    theirs = {row["name"]: row["median"] for row in found["rows"]}
    return [
        row.against(found["peer"], found["version"], theirs[row.name]) if row.name in theirs else row for row in ours
    ]


def _program(name: str) -> Path | None:
    here = Path.cwd()
    folders = (folder / "bench/against" / name for folder in (here, *here.parents))
    return next((folder for folder in folders if (folder / "Cargo.toml").is_file()), None)


def _run(command: list[str], folder: Path, limit_s: int) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=limit_s, check=True)
    return done.stdout
