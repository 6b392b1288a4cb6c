# SPDX-License-Identifier: Apache-2.0
"""Checks the structure of the hardware with three tools that read SystemVerilog. Verilator must have no warning, and
slang no error. yosys must find no latch (a bit that is stored without a clock), and no net (wire) with two drivers. All
memories must be instances of ram_sp.sv, which have one port for reads and writes.
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

# The only memory that the hardware may have. It has one port, and a read takes place at a clock edge.
SINGLE_PORT = """
ram block $__SINGLE_PORT_ {
  abits 14;
  width 128;
  cost 1;
  port srsw "A" {
    clock posedge;
    clken;
    rden;
    rdwr no_change;
  }
}
"""


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: ",".join(design.settings))
def test_verilator_has_no_warning(design: Design, verilator: Path):
    command = [verilator, "--lint-only", "-Wall", "--top-module", "rpu"]
    command += [*(f"-G{name}={value}" for name, value in design.values().items()), *SOURCES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "%Warning" not in done.stdout + done.stderr


def memories(yosys: Path, folder: Path, top: str, parameters: dict) -> subprocess.CompletedProcess[str]:
    """Runs yosys on the sources in a folder. yosys maps every memory to SINGLE_PORT and writes mapped.json. It fails if
    it finds another memory, a latch, or a net with two drivers. A table of constants is logic and not a memory.

    If the top is a small module, yosys only parses vbar.sv: it takes half a minute to elaborate this module.
    """
    deferred = () if top == "rpu" else ("vbar.sv",)
    (folder / "single.txt").write_text(SINGLE_PORT)
    script = [
        "read_verilog -sv " + " ".join(path.name for path in SOURCES if path.name not in deferred),
        *(f"read_verilog -sv -defer {name}" for name in deferred),
        f"chparam {' '.join(f'-set {name} {value}' for name, value in parameters.items())} {top}",
        f"hierarchy -check -top {top}",
        "proc -norom",
        "check -assert",
        "select -assert-none t:$dlatch t:$adlatch t:$dlatchsr",
        "opt_dff",  # turns the multiplexers in front of a register into an enable signal, which memory_dff needs
        "opt_clean",
        "memory_dff",
        "memory_collect",
        "memory_libmap -lib single.txt",
        "select -assert-none t:$mem*",
        "write_json mapped.json",
    ]
    command = [yosys, "-q", "-p", "; ".join(script)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def copied(folder: Path) -> Path:
    for path in SOURCES:  # yosys runs in a sandbox that has a /tmp of its own; it reads the current folder
        shutil.copy(path, folder)
    return folder


@pytest.mark.skipif(os.environ.get("RINGFORT_COUNTS") != "full", reason="yosys reads the design for half a minute")
def test_yosys_finds_no_latch_and_only_single_port_memories(yosys: Path, tmp_path: Path):
    design = design_of(32, {"hples": 4, "banks": 4, "vdm_words": 4096})
    done = memories(yosys, copied(tmp_path), "rpu", design.values())
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    modules = json.loads((tmp_path / "mapped.json").read_text())["modules"]
    owners = {
        name
        for name, module in modules.items()
        for cell in module["cells"].values()
        if cell["type"] == "$__SINGLE_PORT_"
    }
    assert len(owners) > 1
    assert all(name.endswith("ram_sp") for name in owners), owners


@pytest.mark.parametrize(
    "change",
    [
        ("", ""),
        ("else q <= mem[address];\n    end", "end\n\n  assign q = mem[address];"),
        ("else q <= mem[address]", "q <= mem[~address]"),
    ],
    ids=["as it is", "reads without a clock", "reads elsewhere"],
)
def test_yosys_refuses_other_memories(change: tuple[str, str], yosys: Path, tmp_path: Path):
    source = copied(tmp_path) / "ram_sp.sv"
    assert change[0] in source.read_text()
    if change[0]:
        source.write_text(source.read_text().replace(*change))
    done = memories(yosys, tmp_path, "ram_sp", {"WIDTH": 32, "DEPTH": 512})
    if change[0]:
        assert done.returncode != 0
        assert "ram_sp/mem" in done.stderr
    else:
        assert done.returncode == 0, done.stderr


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
