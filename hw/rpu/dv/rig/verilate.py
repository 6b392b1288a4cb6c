# SPDX-License-Identifier: Apache-2.0
"""Builds a bench of a hardware module with Verilator."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

RTL = Path(__file__).resolve().parents[2] / "rtl"
BENCHES = Path(__file__).resolve().parents[1] / "rtl"


class RefusedDesign(RuntimeError):
    """Verilator or the compiler refuses a design; the text has their complaints."""


def verilate(tool: Path, folder: Path, sources: list[str], bench: str, parameters: dict[str, int], level: int) -> Path:
    """Builds BENCH.sv with BENCH.cpp and modules of rtl/ in a folder, optimised by -O<level>; returns the program.

    The parameters of the top module are macros of the C++ file. Warnings are errors.
    """
    files = [*(RTL / name for name in sources), BENCHES / f"{bench}.sv", BENCHES / f"{bench}.cpp"]
    macros = " ".join(f"-D{name}={value}" for name, value in parameters.items())
    return compile_design(tool, folder, bench, files, parameters, ["-CFLAGS", macros, *optimised(level)])


def optimised(level: int) -> list[str]:
    """Returns the option for -O<level>."""
    # With g++, Verilator 5.48 cannot use the header that it precompiles; the first variable makes it an ordinary one.
    variables = ["CFG_CXXFLAGS_PCH_I=-include", *(f"OPT_{part}=-O{level}" for part in ("FAST", "SLOW", "GLOBAL"))]
    return ["-MAKEFLAGS", " ".join(variables)]


def compile_design(
    tool: Path, folder: Path, top: str, files: list[Path], parameters: dict[str, int], options: list[str]
) -> Path:
    """Builds Verilog and C++ files with the given top module; returns the program. Warnings are errors."""
    command: list[str | Path] = [tool, "--cc", "--exe", "--build", "-Wall", "-O3", "--top-module", top]
    command += ["--Mdir", folder, *options]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    environment = os.environ | ({"OBJCACHE": "ccache"} if shutil.which("ccache") else {})
    done = subprocess.run([*command, *files], capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        output = (done.stdout + done.stderr).splitlines()
        complaints = [line for line in output if re.search("error|warning", line, re.IGNORECASE)]
        raise RefusedDesign(f"Verilator refuses {top}:\n" + "\n".join(complaints)[:3000])
    return folder / f"V{top}"
