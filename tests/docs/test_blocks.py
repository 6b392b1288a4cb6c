# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of the documents: every fenced block that follows a line <!-- run -->.

The blocks of one document run in order, in one empty folder, as a reader would; python and sh are understood. A block
fails the test when it ends with an error.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^<!-- run -->\n+```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
DOCUMENTS = [
    p
    for p in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
    if "<!-- run -->" in p.read_text("utf-8")
]


def run_block(language: str, text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    shells = {"python": [sys.executable, "-c", text], "sh": ["bash", "-euo", "pipefail", "-c", text]}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        shells[language], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_blocks_marked_as_runnable_run(document: Path, tmp_path: Path) -> None:
    text = document.read_text("utf-8")
    blocks = BLOCK.findall(text)
    assert len(blocks) == text.count("<!-- run -->"), "every mark is followed by a fenced block"
    for language, block in blocks:
        done = run_block(language, block, tmp_path)
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
