# SPDX-License-Identifier: Apache-2.0
"""Runs the code cells of every notebook, in order, as a reader would."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "examples" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_of_a_notebook_runs(path):
    cells = json.loads(path.read_text("utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 3
    assert not any(cell.get("outputs") for cell in cells), "outputs are not stored"
    names: dict[str, object] = {"__name__": "__main__"}
    for number, text in enumerate(code):
        exec(compile(text, f"{path.name}, cell {number}", "exec"), names)
