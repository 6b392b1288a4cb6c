# SPDX-License-Identifier: Apache-2.0
"""Runs the installed programs rpusim (simulator of programs), rpujob (simulator of jobs) and rpugen (generator).
Converts their errors to errors of this package."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import Internal, InvalidArgument, IoOpen, IoWrite, Unsupported

__all__ = ["MACHINES", "call", "tool", "tools_digest"]

_FOLDER = Path(__file__).resolve().parent.parent / "_rpu"
MACHINES = _FOLDER / "machines"
_NOT_YET = ("unknown option", "there is no program")
_FILES = (("cannot read", IoOpen), ("cannot write", IoWrite))


def tool(name: str) -> Path:
    """Returns the path of an installed program. Errors: Unsupported (the package was built without this program)."""
    path = _FOLDER / name
    if not path.is_file():
        raise Unsupported(
            f"{name} is not in {_FOLDER}", "install the package with its simulators: pip install . in a clone"
        )
    return path


@cache
def tools_digest() -> str:
    """Returns a digest of the simulators and the generator. Errors: Unsupported."""
    return sha256(b"".join(tool(name).read_bytes() for name in ("rpusim", "rpujob", "rpugen"))).hexdigest()[:16]


def call(name: str, arguments: Iterable[object]) -> dict[str, Any]:
    """Runs a program, and returns its JSON report. Errors: InvalidArgument, Unsupported, IoOpen or IoWrite, as the
    program's message says; Internal (the program crashed)."""
    command = [str(tool(name)), *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode in (0, 1):
        found: dict[str, Any] = json.loads(done.stdout)
        return found
    said = done.stderr.strip().removeprefix(f"{name}: ")
    problem, _, fix = said.rpartition("; ")
    problem, fix = (problem, fix) if problem else (fix, "")
    if done.returncode != 2:
        raise Internal(f"{name} ended with status {done.returncode}: {said}", "report it with the command")
    if said.startswith(_NOT_YET):
        raise Unsupported(f"{name}: {problem}", "leave it out: this version cannot generate such a program")
    for words, kind in _FILES:
        if words in problem:
            raise kind(problem, fix)
    raise InvalidArgument(problem, fix)
