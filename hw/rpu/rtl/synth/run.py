#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesizes modules of the ring processor at several sizes with yosys, which turns SystemVerilog into gates.

Fits a power of the size to the number of cells.

usage: run.py --yosys PATH [--rtl FOLDER] [--json FILE] [--liberty FILE] [--only NAME ...]

A cell is a gate of two inputs, a multiplexer or a flip-flop. A path is a chain of gates and multiplexers from an input
or a flip-flop to an output or a flip-flop; its length is the number of cells. Memories are boxes without content: their
cells do not count. A Liberty file (Debian: qflow-tech-osu018) describes the cells of a chip maker's process. With such
a file, small designs are also mapped to these cells, which gives their area in this process. The numbers compare
structures. They do not give areas or clocks in the paper's process. hw/rpu/README.md explains the terms.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

RTL = Path(__file__).resolve().parents[1]
LIBERTY = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
MEMORIES = "*ram_sp*"


class Design(NamedTuple):
    name: str
    top: str
    parameters: dict[str, int]
    maps: bool = False  # also to the cells of the Liberty file


def _sweep(top: str, axis: str, sizes: tuple[int, ...], others: dict[str, int], maps: tuple[int, ...] = ()):
    fixed = f" ({' '.join(f'{name.lower()} {value}' for name, value in others.items())})" if others else ""
    return [Design(f"{top} over {axis}{fixed}", top, others | {axis: size}, size in maps) for size in sizes]


WIDTHS, LANES = (16, 32, 64), (8, 16, 32)
DESIGNS = [
    *_sweep("modmul", "W", (*WIDTHS, 128), {}, (16,)),
    *_sweep("modmul", "W", WIDTHS, {"LATENCY": 8}),
    *_sweep("modmul", "W", WIDTHS, {"LATENCY": 7, "INTERVAL": 2}),
    *_sweep("modmul", "W", WIDTHS, {"LATENCY": 11, "INTERVAL": 4}),
    *_sweep("modadd", "W", (*WIDTHS, 128), {}, (16,)),
    *_sweep("law", "W", WIDTHS, {}),
    *_sweep("hple", "W", WIDTHS, {}),
    *_sweep("sbar", "H", LANES, {"W": 8}),
    *(Design("vbar over H = B (w 8)", "vbar", {"W": 8, "H": size, "B": size}) for size in LANES),
    Design("front end", "rpu_control", {}),
]


def axis_of(name: str) -> str | None:
    found = re.search(r" over (\w+)", name)
    return found[1] if found else None


def script(design: Design, sources: list[str], liberty: bool) -> str:
    parameters = " ".join(f"-set {name} {value}" for name, value in design.parameters.items())
    lines = [
        f"read_verilog -sv {' '.join(name for name in sources if name.endswith('_pkg.sv'))}",
        f"read_verilog -sv -defer {' '.join(name for name in sources if not name.endswith('_pkg.sv'))}",
        *([f"chparam {parameters} {design.top}"] if parameters else []),
        f"hierarchy -check -top {design.top}",
        f"blackbox {MEMORIES}",
        f"synth -flatten -noabc -top {design.top}",
        "check -assert",
        "tee -q -o cells.json stat -json",
        f"delete t:{MEMORIES}",  # a memory ends a path and begins another one
        "tee -q -o path.txt ltp -noff",
    ]
    if liberty:
        lines += ["dfflibmap -liberty cells.lib", "abc -liberty cells.lib", "opt_clean"]
        lines += ["tee -q -o area.json stat -json -liberty cells.lib"]
    return "\n".join([*lines, ""])


def sources_of(rtl: Path, top: str) -> list[Path]:
    """Returns the packages, and the files that a module needs. The name of a file is the name of its module."""
    files = {path.stem: path for path in rtl.glob("*.sv")}
    needed, found = {top}, set()
    while needed - found:
        name = (needed - found).pop()
        found.add(name)
        code = re.sub(r"//.*", "", files[name].read_text(encoding="utf-8"))
        needed |= files.keys() & set(re.findall(r"\w+", code))
    return sorted(path for name, path in files.items() if name in found or name.endswith("_pkg"))


def synthesize(yosys: str, design: Design, rtl: Path, liberty: Path | None) -> dict:
    """Returns the row of results for a design. yosys may run in a sandbox that has a /tmp of its own. Therefore the
    sources are copied into a new folder, and yosys reads this folder as the current one."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        sources = [Path(shutil.copy(source, folder)).name for source in sources_of(rtl, design.top)]
        mapped = design.maps and liberty is not None
        if mapped:
            shutil.copy(liberty, folder / "cells.lib")
        (folder / "run.ys").write_text(script(design, sources, mapped))
        done = subprocess.run([yosys, "-q", "-s", "run.ys"], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"run.py: {design.name}: {done.stdout[-500:]}{done.stderr[-1500:]}")
        return {
            "name": design.name,
            "params": design.parameters,
            **_cells(json.loads((folder / "cells.json").read_text())["design"]),
            "path": int(re.search(r"length=(\d+)", (folder / "path.txt").read_text())[1]),
            "osu018_um2": json.loads((folder / "area.json").read_text())["design"]["area"] if mapped else None,
            "seconds": round(time.monotonic() - begin, 1),
        }


def _cells(found: dict) -> dict:
    counts = {kind: number for kind, number in found["num_cells_by_type"].items() if kind.startswith("$_")}
    flops = sum(number for kind, number in counts.items() if "DFF" in kind)
    return {"cells": sum(counts.values()), "flip_flops": flops}


def exponents(rows: list[dict]) -> list[dict]:
    """Fits a power of the varied parameter to the numbers of cells of each sweep. `last` is the exponent between the
    two largest sizes of a sweep."""
    found = []
    for name in dict.fromkeys(row["name"] for row in rows):
        sweep = [row for row in rows if row["name"] == name]
        axis = axis_of(name)
        if axis is None or len(sweep) < 2:
            continue
        points = [(math.log2(row["params"][axis]), math.log2(row["cells"])) for row in sweep]
        x, y = (sum(values) / len(points) for values in zip(*points, strict=True))
        slope = sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)
        last = (points[-1][1] - points[-2][1]) / (points[-1][0] - points[-2][0])
        found.append({"name": name, "axis": axis, "exponent": round(slope, 2), "last": round(last, 2)})
    return found


def _text(rows: list[dict], powers: list[dict]) -> str:
    lines = [f"{'design':44} {'size':>6} {'cells':>8} {'flops':>7} {'path':>5} {'um2':>9} {'s':>6}"]
    for row in rows:
        axis = axis_of(row["name"])
        size, area = row["params"].get(axis, "") if axis else "", row["osu018_um2"]
        lines.append(
            f"{row['name']:44} {size:>6} {row['cells']:>8} {row['flip_flops']:>7} {row['path']:>5} "
            f"{'' if area is None else round(area):>9} {row['seconds']:>6}"
        )
    lines += [
        f"{p['name']}: cells grow as {p['axis']}^{p['exponent']}, and between the largest two sizes as ^{p['last']}"
        for p in powers
    ]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--yosys", required=True)
    parser.add_argument("--rtl", type=Path, default=RTL)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--liberty", type=Path, default=LIBERTY if LIBERTY.exists() else None)
    parser.add_argument("--only", nargs="*", help="names of modules")
    options = parser.parse_args(arguments)
    yosys = shutil.which(options.yosys)
    if yosys is None:
        parser.error(f"there is no {options.yosys}")
    rows = []
    for design in DESIGNS:
        if (options.only and design.top not in options.only) or not (options.rtl / f"{design.top}.sv").exists():
            continue
        rows.append(synthesize(str(Path(yosys).absolute()), design, options.rtl, options.liberty))
        print(f"{design.name} {design.parameters}: {rows[-1]['seconds']} s", file=sys.stderr)
    powers = exponents(rows)
    print(_text(rows, powers))
    if options.json:
        options.json.write_text(json.dumps({"rows": rows, "exponents": powers}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
