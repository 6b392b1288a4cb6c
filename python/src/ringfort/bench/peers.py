# SPDX-License-Identifier: Apache-2.0
"""Measures other libraries in the same run and on the same machine as this library. Uses the programs of bench/against,
and wheels."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from .rows import Row

__all__ = ["against_hexl", "against_lattigo", "against_leveled", "against_seal", "against_tfhe_ntt"]

_BUILD_LIMIT_S = 600
_RUN_LIMIT_S = 300
_LEVELED_LIMIT_S = 900


def against_tfhe_ntt(rows: Iterable[Row], say: Callable[[str], None]) -> list[Row]:
    """Compares the rows with rows of the crate tfhe-ntt. Returns the rows unchanged if its program cannot be built or
    run.

    Needs cargo, and a clone of the repository that contains the working folder or is the working folder.
    """
    ours = list(rows)
    if (folder := _program("tfhe_ntt", "Cargo.toml", "cargo", "tfhe-ntt", say)) is None:
        return ours
    try:
        _output_of(["cargo", "build", "--release", "--locked", "--quiet"], folder, _BUILD_LIMIT_S)
        found = json.loads(_output_of([str(folder / "target/release/against-tfhe-ntt")], folder, _RUN_LIMIT_S))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        say(f"no comparison with tfhe-ntt: {error}")
        return ours
    found["rows"] = {row["name"]: row["median"] for row in found["rows"]}
    return _compared(ours, found)


def against_lattigo(rows: Iterable[Row], say: Callable[[str], None], *, quick: bool) -> list[Row]:
    """Compares transforms, or operations on one thread, with Lattigo. Returns the rows unchanged if Lattigo's program
    cannot be built or run.

    Needs go, and a clone of the repository that contains the working folder or is the working folder.
    """
    ours = list(rows)
    if (folder := _program("lattigo", "go.mod", "go", "Lattigo", say)) is None:
        return ours
    sections = dict.fromkeys("ntt" if row.name.startswith("ntt/") else _set_of(row) for row in ours)
    command = ["go", "run", ".", *(["--quick"] if quick else []), *sections]
    try:
        return _compared(ours, json.loads(_output_of(command, folder, _BUILD_LIMIT_S)))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        say(f"no comparison with Lattigo: {error}")
        return ours


def against_hexl(rows: Iterable[Row], say: Callable[[str], None], *, quick: bool) -> list[Row]:
    """Compares transforms and products with an installed HEXL. Returns the rows unchanged if HEXL's program cannot be
    built or run.

    Needs cmake, and a clone of the repository that contains the working folder or is the working folder.
    CMAKE_PREFIX_PATH can name the folder of HEXL.
    """
    return _against_installed("HEXL", list(rows), say, ["--quick"] if quick else [])


def against_seal(rows: Iterable[Row], say: Callable[[str], None], *, quick: bool) -> list[Row]:
    """Compares operations on one thread with an installed SEAL. Needs the tools of against_hexl."""
    ours = list(rows)
    sets = dict.fromkeys(_set_of(row) for row in ours)
    return _against_installed("SEAL", ours, say, [*(["--quick"] if quick else []), *sets])


def against_leveled(rows: Iterable[Row], say: Callable[[str], None], *, quick: bool, threads: int) -> list[Row]:
    """Compares the rows of CKKS, BFV and BGV with OpenFHE and SEAL, if their wheels `openfhe` and `tenseal` are
    installed.

    The wheels exist for few versions of Python. RINGFORT_PEERS can name an interpreter that has them; the default is
    this interpreter.
    """
    ours = list(rows)
    sets = dict.fromkeys(_set_of(row) for row in ours)
    interpreter = os.environ.get("RINGFORT_PEERS", sys.executable)
    here = Path(__file__).parent
    runs = [("OpenFHE", "peer_openfhe.py", count) for count in dict.fromkeys((1, threads))]
    for peer, program, count in [("SEAL", "peer_seal.py", 1), *runs]:
        say(f"running {peer} for comparison, threads: {count}")
        command = [interpreter, str(here / program), *(["--quick"] if quick else []), *sets]
        try:
            found = json.loads(_output_of(command, here, _LEVELED_LIMIT_S, {"OMP_NUM_THREADS": str(count)}))
        except (OSError, subprocess.SubprocessError, ValueError):
            say(
                f"no comparison with {peer}: its program failed in {interpreter}; run pip install openfhe tenseal "
                "there, or set RINGFORT_PEERS to a Python that has them"
            )
            continue
        ours = _compared(ours, found)
    return ours


def _against_installed(peer: str, ours: list[Row], say: Callable[[str], None], arguments: list[str]) -> list[Row]:
    name = peer.lower()
    if (folder := _program(name, "CMakeLists.txt", "cmake", peer, say)) is None:
        return ours
    with tempfile.TemporaryDirectory(prefix="ringfort-bench-") as build:
        try:
            _output_of(["cmake", "-S", str(folder), "-B", build, "-DCMAKE_BUILD_TYPE=Release"], folder, _BUILD_LIMIT_S)
        except (OSError, subprocess.SubprocessError):
            say(f"no comparison with an installed {peer}: CMake does not find it (CMAKE_PREFIX_PATH)")
            return ours
        try:
            _output_of(["cmake", "--build", build], folder, _BUILD_LIMIT_S)
            found = json.loads(_output_of([f"{build}/against-{name}", *arguments], folder, _LEVELED_LIMIT_S))
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            say(f"no comparison with an installed {peer}: {error}")
            return ours
    return _compared(ours, found)


def _set_of(row: Row) -> str:
    """Returns the parameter set of a row of operations, for example ckks/n8192/3+1."""
    return "/".join(row.name.split("/")[:3])


def _compared(ours: list[Row], found: dict[str, Any]) -> list[Row]:
    theirs = found["rows"]
    return [
        row.against(found["peer"], found["version"], theirs[row.name]) if row.name in theirs else row for row in ours
    ]


def _program(name: str, build_file: str, tool: str, peer: str, say: Callable[[str], None]) -> Path | None:
    """Returns the folder of a program of bench/against; None if there is no clone, or no build tool for the program."""
    here = Path.cwd()
    folders = (folder / "bench/against" / name for folder in (here, *here.parents))
    found = next((folder for folder in folders if (folder / build_file).is_file()), None)
    if found is None or shutil.which(tool) is None:
        say(f"no comparison with {peer}: it needs {tool} and a clone of the repository as working folder")
        return None
    say(f"building and running {peer} for comparison")
    return found


def _output_of(command: list[str], folder: Path, limit_s: int, environment: dict[str, str] | None = None) -> str:
    settings = {**os.environ, **(environment or {})}
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=limit_s, check=True, env=settings
    )
    return done.stdout
