# SPDX-License-Identifier: Apache-2.0
"""Tests the arguments of ./dev, in a folder that contains only this script."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

DEV = Path(__file__).parents[2] / "dev"
WITH_OWN_HELP = {"demo", "bench", "gpu-bench", "release"}
COMMANDS = set(re.findall(r"^  ([a-z-]+)\) ", DEV.read_text(), re.M)) - WITH_OWN_HELP


def test_commands_are_known():
    assert {"setup", "build", "test", "format", "check", "lock"} <= COMMANDS


@pytest.mark.parametrize("name", sorted(COMMANDS))
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_of_a_command_prints_the_usage_and_runs_nothing(tmp_path, name, option):
    shutil.copy(DEV, tmp_path)
    command = [tmp_path / "dev", name, option]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: ./dev COMMAND")
    assert [path.name for path in tmp_path.iterdir()] == ["dev"]
