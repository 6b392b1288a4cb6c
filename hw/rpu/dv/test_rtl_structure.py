# SPDX-License-Identifier: Apache-2.0
"""Checks the structure of the hardware with three tools. Verilator and slang find no fault in it. yosys finds no latch,
no net with two drivers, and no memories except those of ram_sp.sv, each with one port for reads and writes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from rig.rtl import SOURCES, Design, design_of

DESIGNS = (
    design_of(32, {"hples": 8, "banks": 8, "vdm_words": 4096}),
    design_of(64, {"hples": 4, "banks": 16, "bank_hash": "xor", "busyboard": "hazards", "multiply_interval": 2}),
)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: ",".join(design.settings))
def test_verilator_has_no_warning(design: Design, verilator: Path):
    command = [verilator, "--lint-only", "-Wall", "--top-module", "rpu"]
    command += [*(f"-G{name}={value}" for name, value in design.values().items()), *SOURCES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "%Warning" not in done.stdout + done.stderr


@pytest.mark.skipif(os.environ.get("RINGFORT_COUNTS") != "full", reason="yosys reads the design for half a minute")
def test_yosys_finds_no_latch_and_only_single_port_memories(yosys: Path, tmp_path: Path):
    for path in SOURCES:  # yosys sees only the current folder
        shutil.copy(path, tmp_path)
    design = design_of(32, {"hples": 4, "banks": 4, "vdm_words": 4096})
    parameters = " ".join(f"-set {name} {value}" for name, value in design.values().items())
    script = [
        "read_verilog -sv " + " ".join(path.name for path in SOURCES),
        f"chparam {parameters} rpu",
        "hierarchy -check -top rpu",
        "proc",
        "check -assert",
        "select -assert-none t:$dlatch t:$adlatch t:$dlatchsr",
        "memory_dff",
        "memory_collect",
        "write_json rpu.json",
    ]
    done = subprocess.run(
        [yosys, "-q", "-p", "; ".join(script)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    modules = json.loads((tmp_path / "rpu.json").read_text())["modules"]
    memories = [
        (name, cell["parameters"])
        for name, module in modules.items()
        for cell in module["cells"].values()
        if cell["type"].startswith("$mem")
    ]
    assert memories
    for name, facts in memories:
        assert "ram_sp" in name, f"{name} has a memory of its own"
        ports = [int(facts[fact], 2) for fact in ("RD_PORTS", "WR_PORTS", "RD_CLK_ENABLE", "WR_CLK_ENABLE")]
        assert ports == [1, 1, 1, 1], f"{name}: {facts}"


def test_slang_elaborates_the_design(verilator: Path):
    python = verilator.with_name("python")
    if subprocess.run([python, "-c", "import pyslang"], capture_output=True, check=False).returncode != 0:
        pytest.skip("pyslang is not here; it needs Python 3.11")
    program = "import sys; from pyslang.driver import Driver; d = Driver(); d.addStandardArgs(); "
    program += "ok = d.parseCommandLine(' '.join(['slang', *sys.argv[1:]])) and d.processOptions(); "
    program += "ok = ok and d.parseAllSources(); c = d.createCompilation(); "
    program += "d.reportCompilation(c, True); sys.exit(not (d.reportDiagnostics(True) and ok))"
    done = subprocess.run(
        [python, "-c", program, "--top", "rpu", "-G", "H=8", "-G", "B=8", *map(str, SOURCES)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
