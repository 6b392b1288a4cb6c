# SPDX-License-Identifier: Apache-2.0
"""Tests that the instruction counts of the CPU's core kernels are the stored ones, up to 2 %.

Benchmarks measure speed, which depends on the machine and its load. For one compiler and instruction set, the number of
instructions does not depend on them. The test also fails if a count falls, so that the smaller count is stored and
cannot rise unnoticed.
"""

import importlib.machinery
import importlib.util
import json
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOLERANCE = 0.02


def tool():
    loader = importlib.machinery.SourceFileLoader("count_instructions", str(ROOT / "tools/count_instructions"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("count_instructions", loader))
    loader.exec_module(module)
    return module


def changes(stored, counted):
    """Returns a line for each kernel whose counts differ by more than TOLERANCE, or that has only one of the counts."""
    lines = []
    for cap in sorted(stored.keys() | counted.keys()):
        before, now = stored.get(cap, {}), counted.get(cap, {})
        for kernel in sorted(before.keys() | now.keys()):
            stored_count, count = before.get(kernel, 0), now.get(kernel, 0)
            if abs(count - stored_count) > TOLERANCE * stored_count:
                lines.append(f"{cap} {kernel}: {stored_count:,} instructions before, {count:,} now")
    return lines


def test_counts_are_those_of_the_file():
    counting = tool()
    if shutil.which("valgrind") is None:
        pytest.skip("no valgrind here: apt-get install valgrind")
    if not counting.PROGRAM.exists():
        pytest.skip("the program is not built: ./dev build, with valgrind installed")
    stored = json.loads(counting.FILE.read_text())
    compiler, counts = counting.count_all()
    if compiler != stored["compiler"]:
        pytest.skip(f"the file has counts of {stored['compiler']}, and this build is of {compiler}")
    found = changes(stored["instructions"], counts)
    assert not found, "\n".join([*found, "if this is wanted: tools/count_instructions --write"])


def test_a_change_of_three_percent_is_reported_in_both_directions():
    stored = {"avx2": {"ntt": 1000, "intt": 1000, "gone": 10, "same": 1000}}
    counted = {"avx2": {"ntt": 1030, "intt": 970, "new": 10, "same": 1019}}
    assert [line.split(":")[0] for line in changes(stored, counted)] == [
        "avx2 gone",
        "avx2 intt",
        "avx2 new",
        "avx2 ntt",
    ]
