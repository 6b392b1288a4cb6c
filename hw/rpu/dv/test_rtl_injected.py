# SPDX-License-Identifier: Apache-2.0
"""Faults in the hardware, one at a time, are found by a short form of the programs that a push compares."""

from __future__ import annotations

from pathlib import Path

import pytest
from rig import rtl
from rig.corners import arithmetic, modes
from rig.injected import FAULTS
from test_rtl import FULL, hardware_faults, narrow, random_runs


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
