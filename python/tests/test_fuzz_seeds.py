# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzz targets of the Python layer once on their first inputs (fuzz/python/inputs.py) and on their stored
inputs (fuzz/seeds). `./dev fuzz` searches for new inputs."""

import base64
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).resolve().parents[2] / "fuzz"
sys.path.insert(0, str(FUZZ / "python"))

import inputs  # noqa: E402
import targets  # noqa: E402


def stored(name):
    path = FUZZ / f"seeds/python_{name}.txt"
    return [base64.b64decode(line) for line in path.read_text().split()]


@pytest.mark.parametrize("name", targets.TARGETS)
def test_stored_inputs_are_refused_or_harmless(name):
    for data in (*inputs.first(name), *stored(name)):
        targets.TARGETS[name](data)


def test_first_inputs_of_files_are_loaded(monkeypatch):
    """Some inputs must pass the first check. Otherwise the target tests only this check."""
    seen = []
    monkeypatch.setattr(targets, "_use", lambda objects: seen.extend(objects))
    for data in inputs.first("load"):
        targets.load(data)
    kinds = [type(found).__name__ for found in seen]
    assert kinds.count("EncryptedArray") == 15
    assert kinds.count("PublicKeys") == 15
