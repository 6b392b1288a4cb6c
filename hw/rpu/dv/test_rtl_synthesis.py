# SPDX-License-Identifier: Apache-2.0
"""Tests that yosys turns the modules into gates (rtl/synth/run.py), and that its command `check` finds no problem.

The test of every push synthesizes the multipliers of 16 bits. With RINGFORT_COUNTS=full another test synthesizes all
designs, and compares the growth of the number of cells (gates and flip-flops) with the growth of the area in the model
(model/area.py).
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest
from model.area import law_share

RTL = Path(__file__).resolve().parents[1] / "rtl"
FULL = os.environ.get("RINGFORT_COUNTS") == "full"


def load_run():
    spec = importlib.util.spec_from_file_location("rtl_synthesis", RTL / "synth" / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


RUN = load_run()


def test_digits_make_a_multiplier_smaller(yosys: Path):
    designs = [d for d in RUN.DESIGNS if d.top == "modmul" and d.parameters["W"] == 16]
    rows = [RUN.synthesize(str(yosys), design, RTL, None) for design in designs]
    cells = {row["params"].get("INTERVAL", 1): row["cells"] for row in rows if row["params"].get("LATENCY") != 8}
    assert cells[4] < 0.7 * cells[2] < 0.7 * cells[1]
    assert all(row["flip_flops"] > 0 and row["path"] > 0 for row in rows)


@pytest.mark.skipif(not FULL, reason="a quarter of an hour; RINGFORT_COUNTS=full runs it")
def test_cells_grow_as_the_model_says(yosys: Path):
    rows = [
        RUN.synthesize(str(yosys), design, RTL, RUN.LIBERTY if RUN.LIBERTY.exists() else None)
        for design in RUN.DESIGNS
        if (RTL / f"{design.top}.sv").exists()
    ]
    law = {row["params"]["W"]: row["cells"] for row in rows if row["name"] == "law over W"}
    assert 0.9 < law[64] / law[32] / 4 < 1.1, "the area of a lane is no longer quadratic in the word's bits"
    multiplier = {
        (row["params"].get("INTERVAL", 1), row["params"].get("LATENCY", 5)): row["cells"]
        for row in rows
        if row["name"].startswith("modmul") and row["params"]["W"] == 64
    }
    for interval, latency in ((2, 7), (4, 11)):
        saved = multiplier[1, 5] - multiplier[interval, latency]
        assert law_share(interval, latency) == pytest.approx(1 - saved / law[64], rel=0.02)
    last = {power["name"]: power["last"] for power in RUN.exponents(rows)}
    assert 1.8 < last["modmul over W"] < 2
    assert 0.9 < last["modadd over W"] < 1.1
