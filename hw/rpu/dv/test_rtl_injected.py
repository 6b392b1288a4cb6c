# SPDX-License-Identifier: Apache-2.0
"""Puts faults into the hardware, one at a time. A selection of the programs of test_rtl.py must find each fault: corner
values, modes, traps and 20 random programs. Another test checks that the signals around a difference are recorded. The
tests run only with RINGFORT_COUNTS=full.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from asm import assemble
from rig import rtl
from rig.corners import arithmetic, modes
from rig.injected import FAULTS
from test_rtl import BUILDS, FULL, hardware_faults, narrow, random_runs


@pytest.fixture(scope="module")
def runs(rpusim: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    design, base = rtl.design_of(32, MACHINE), tmp_path_factory.mktemp("runs")
    images = [arithmetic(97, 32, 0), modes(32, 0), *(narrow(image, 32) for image in hardware_faults().values())]
    folders = [rtl.expect(rpusim, image, design, base / str(k)) for k, image in enumerate(images)]
    return folders + random_runs(rpusim, design, range(20), base / "random")


MACHINE = {"hples": 4, "banks": 4, "queue_depth": 2}


@pytest.mark.skipif(not FULL, reason="a build for each injected fault; RINGFORT_COUNTS=full makes them")
@pytest.mark.parametrize("name", FAULTS)
def test_an_injected_fault_is_found(name: str, verilator: Path, runs: list[Path], tmp_path: Path):
    file, right, wrong = FAULTS[name]
    text = (rtl.RPU / "rtl" / file).read_text()
    assert text.count(right) == 1
    (tmp_path / file).write_text(text.replace(right, wrong))
    sources = tuple(tmp_path / file if path.name == file else path for path in rtl.SOURCES)
    lines = rtl.compare(rtl.build(rtl.design_of(32, MACHINE), verilator, tmp_path / "build", sources), runs)
    assert any(": equal, " not in line for line in lines)


def changes_of(wave: str, signal: str) -> dict[int, int]:
    """Returns the values of a signal, by their times, from the text of a VCD file, a record of signals."""
    key = next(line.split()[3] for line in wave.splitlines() if f" {signal} [" in line)
    found, time = {}, -1
    for line in wave.splitlines():
        if line.startswith("#"):
            time = int(line[1:])
        elif line.startswith("b") and line.endswith(f" {key}"):
            found[time] = int(line[1:].split()[0], 2)
    return found


@pytest.mark.skipif(not FULL, reason="a build that records signals; RINGFORT_COUNTS=full makes it")
@pytest.mark.parametrize(
    ("right", "wrong", "cycle"), [("\n4,265,266,", "\n4,265,267,", 266), ("\n0,0,0,2,", "\n0,0,0,3,", 0)]
)
def test_the_cycles_around_a_difference_are_recorded(
    right: str, wrong: str, cycle: int, verilator: Path, rpusim: Path, tmp_path: Path
):
    design = rtl.design_of(32, MACHINE)
    source = rtl.RPU / "dv" / "programs" / "add_two_vectors.s"
    folder = rtl.expect(rpusim, assemble(source.read_text()).image, design, tmp_path / "run")
    schedule = (folder / "schedule.csv").read_text()
    assert schedule.count(right) == 1
    (folder / "schedule.csv").write_text(schedule.replace(right, wrong))
    binary, begin = rtl.build(design, verilator, BUILDS, trace=True), max(cycle - 40, 0)
    lines = rtl.compare(binary, [folder], tmp_path / "wave.vcd")
    assert lines[1] == f"  {tmp_path / 'wave.vcd'} begins at cycle {begin}"
    wave = (tmp_path / "wave.vcd").read_text()
    times = [int(line[1:]) for line in wave.splitlines() if line.startswith("#")]
    assert times == list(range(begin, cycle + 41))
    if cycle == 266:  # the compute pipe starts in the cycle that the message names
        starts = changes_of(wave, "trace_start")
        assert starts[266] != 0
        assert starts[267] == 0
