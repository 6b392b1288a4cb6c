# SPDX-License-Identifier: Apache-2.0
"""Tests that every numbered example runs to its end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("[0-9][0-9]_*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_to_its_end(example, tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, example], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("argument", "code"), [("--help", 0), ("--wrong", 2), ("nowhere", 2)])
def test_the_example_with_an_argument_has_a_help_and_refuses_others(tmp_path, argument, code):
    (example,) = (path for path in EXAMPLES if path.stem == "08_client_and_server")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    called = [sys.executable, example, argument]
    done = subprocess.run(called, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
