# SPDX-License-Identifier: Apache-2.0
"""Builds a bench of a hardware module with Verilator."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

RTL = Path(__file__).resolve().parents[2] / "rtl"
BENCHES = Path(__file__).resolve().parents[1] / "rtl"


def verilate(tool: Path, folder: Path, sources: list[str], bench: str, parameters: dict[str, int], level: int) -> Path:
    """Builds BENCH.sv with BENCH.cpp and modules of rtl/ in a folder, optimised by -O<level>; returns the program.

    The parameters of the top module are macros of the C++ file. Warnings are errors.
    """
    # With g++, Verilator 5.48 cannot use the header that it precompiles; the first variable makes it an ordinary one.
    variables = ["CFG_CXXFLAGS_PCH_I=-include", *(f"OPT_{part}=-O{level}" for part in ("FAST", "SLOW", "GLOBAL"))]
    command: list[str | Path] = [tool, "--cc", "--exe", "--build", "-Wall", "-O3", "--top-module", bench]
    command += ["--Mdir", folder, "-MAKEFLAGS", " ".join(variables)]
    command += ["-CFLAGS", " ".join(f"-D{name}={value}" for name, value in parameters.items())]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    command += [*(RTL / name for name in sources), BENCHES / f"{bench}.sv", BENCHES / f"{bench}.cpp"]
    environment = os.environ | ({"OBJCACHE": "ccache"} if shutil.which("ccache") else {})
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"Verilator refuses {bench}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return folder / f"V{bench}"
