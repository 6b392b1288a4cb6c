# SPDX-License-Identifier: Apache-2.0
"""Builds the test bench of a single hardware module with Verilator, which translates SystemVerilog to C++."""

from __future__ import annotations

from pathlib import Path

from cosim.verilate import compile_design, optimised

RTL = Path(__file__).resolve().parents[2] / "rtl"
BENCHES = Path(__file__).resolve().parents[1] / "rtl"


def verilate(tool: Path, folder: Path, sources: list[str], bench: str, parameters: dict[str, int], level: int) -> Path:
    """Builds BENCH.sv, BENCH.cpp and modules of rtl/ in a folder, and returns the program. g++ compiles with -O<level>,
    and with -O0 where the code runs only at the start.

    `parameters` are parameters of the module BENCH, and macros of BENCH.cpp. Warnings are errors.
    """
    files = [*(RTL / name for name in sources), BENCHES / f"{bench}.sv", BENCHES / f"{bench}.cpp"]
    macros = " ".join(f"-D{name}={value}" for name, value in parameters.items())
    return compile_design(tool, folder, bench, files, parameters, ["-CFLAGS", macros, *optimised(level)])
