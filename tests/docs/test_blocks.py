# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of the documents: every fenced block that follows a line <!-- run -->.

The blocks of one document run in order, in one empty folder beside the clone, as a reader would run them. They run in
python or sh. A block that ends with an error fails the test. Blocks that take minutes are marked <!-- run long -->.
They run only with RINGFORT_COUNTS=full. Blocks of C++ and CMake are parts of the examples, which other tests build.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^<!-- (run|run long) -->\n+```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PART = re.compile(r"^```(?:cpp|cmake)\n(.*?)^```", re.DOTALL | re.MULTILINE)
ALL = [path for pattern in ("*.md", "docs/**/*.md", "apps/*/README.md") for path in sorted(ROOT.glob(pattern))]
DOCUMENTS = [p for p in ALL if "<!-- run" in p.read_text("utf-8")]
SHOWING = [p for p in ALL if PART.search(p.read_text("utf-8"))]
EXAMPLES = [p for pattern in ("*.cpp", "outside/*") for p in sorted((ROOT / "examples").glob(pattern))]


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
    assert len(blocks) == text.count("<!-- run"), "every mark is followed by a fenced block"
    (tmp_path / "ringfort").symlink_to(ROOT)
    for mark, language, block in blocks:
        if mark == "run long" and os.environ.get("RINGFORT_COUNTS") != "full":
            continue
        done = run_block(language, block, tmp_path)
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"


def flat(text: str) -> str:
    """Returns the lines without their indentation."""
    return "\n".join(line.strip() for line in text.strip().splitlines())


@pytest.mark.parametrize("document", SHOWING, ids=lambda p: str(p.relative_to(ROOT)))
def test_blocks_of_cpp_and_cmake_are_parts_of_examples(document: Path) -> None:
    built = [flat(p.read_text("utf-8")) for p in EXAMPLES]
    for block in PART.findall(document.read_text("utf-8")):
        assert any(flat(block) in example for example in built), f"no file of examples/ has these lines:\n{block}"
