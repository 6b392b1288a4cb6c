# SPDX-License-Identifier: Apache-2.0
"""Tests the hardware of the paper's machine (128 lanes, 128 banks, words of 128 bits) with transforms of 1K to 64K in
both directions and with all optimizers. The build takes minutes. `./dev rtl --paper` builds the hardware and runs the
tests.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rig import rtl
from test_rtl import BUILDS, all_equal, generated

pytestmark = pytest.mark.skipif(
    os.environ.get("RINGFORT_COUNTS") != "paper", reason="the build takes minutes; ./dev rtl --paper runs the tests"
)


@pytest.fixture(scope="module")
def paper(verilator: Path) -> tuple[rtl.Design, Path]:
    design = rtl.design_of(128, {"hples": 128, "banks": 128})
    return design, rtl.build(design, verilator, BUILDS)


@pytest.mark.parametrize("optimizer", ["paper", "none", "best"])
@pytest.mark.parametrize("n", [65536, 32768, 16384, 8192, 4096, 2048, 1024])
def test_transforms_agree_on_the_machine_of_the_paper(n: int, optimizer: str, paper, rpusim: Path, tmp_path: Path):
    options = ["--optimizer", optimizer, "--tries", "1"]
    folders = [generated(rpusim, paper[0], n, options, tmp_path / "forward")]
    folders.append(generated(rpusim, paper[0], n, [*options, "--inverse"], tmp_path / "inverse"))
    all_equal(paper, folders)
    if (n, optimizer) == (65536, "paper"):
        assert "cycles 11030\n" in (folders[0] / "outcome").read_text()
