# SPDX-License-Identifier: Apache-2.0
"""Tests the arithmetic of a lane (rtl/law.sv) for words of W = 32, 64 and 128 bits. dv/rtl/law_bench.cpp computes the
expected results bit by bit. hw/rpu/README.md explains the terms.

The test of every push covers two machines: the default machine, and a machine with an interval of 2, which computes
products digit by digit. With RINGFORT_COUNTS=full it covers sixteen machines, with a million elements for each lane.
Moduli are from 2 to 2^W - 1. Operands are random, or at the ends of their ranges.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from rig.verilate import verilate

FULL = os.environ.get("RINGFORT_COUNTS") == "full"
VECTORS, LEVEL = (1_000_000, 2) if FULL else (10_000, 0)
SOURCES = [
    *("rpu_law_pkg.sv", "delay.sv", "multiply.sv", "modmul.sv", "modadd.sv"),
    *("modulus_pipe.sv", "law.sv"),
]
# For each machine: multiply latency, add latency and multiply interval.
PAIRS = [((5, 1, 1), (7, 2, 2))]
if FULL:
    PAIRS += [((8, 1, 1), (11, 1, 4)), ((1, 1, 1), (5, 1, 2)), ((12, 3, 1), (16, 2, 4)), ((9, 1, 3), (6, 2, 1))]
    PAIRS += [((2, 1, 1), (3, 1, 1)), ((4, 1, 4), (10, 1, 4)), ((7, 1, 1), (8, 4, 2))]
NAMES = ("MULTIPLY_LATENCY", "ADD_LATENCY", "MULTIPLY_INTERVAL")


def parameters_of(pair) -> dict[str, int]:
    return {f"{name}_{k}": value for k, machine in enumerate(pair) for name, value in zip(NAMES, machine, strict=True)}


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_every_result_of_a_lane_is_exact_and_in_its_cycle(pair, verilator: Path, tmp_path: Path):
    bench = verilate(verilator, tmp_path, SOURCES, "law_bench", parameters_of(pair), LEVEL)
    done = subprocess.run([bench, str(VECTORS), "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert f"{VECTORS} vectors a lane, all equal" in done.stdout
