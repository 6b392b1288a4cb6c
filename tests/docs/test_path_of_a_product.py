# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md follows one product from Python to the butterfly, the innermost step of a transform. The files
that the document names must define the functions that it names.

A definition is `def name(` in Python. In C++ it is `name(` with a body, and not a call or a declaration. The test does
not check that each function calls the next function.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECTION = "## One product, file by file"
ROW = re.compile(r"^\| (\d+) \| `([^`]+)` \| ([^|]+) \|", re.MULTILINE)


def steps() -> list[tuple[int, str, list[str]]]:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    section = text.split(SECTION)[1].split("\n## ")[0]
    return [(int(row[1]), row[2], re.findall(r"`([^`]+)`", row[3])) for row in ROW.finditer(section)]


def defines(file: str, text: str, function: str) -> bool:
    if file.endswith(".py"):
        return re.search(rf"^\s*def {function}\(", text, re.MULTILINE) is not None
    # Matches parameters without a semicolon, followed by a brace. A call or a declaration has no brace at this place.
    body = rf"^[^=;\n]*\b{function}\([^;{{}}]*(?:{{}}[^;{{}}]*)*\)(?: const)?(?: noexcept)? {{"
    return re.search(body, text, re.MULTILINE) is not None


def test_five_files_lead_to_the_evaluators_and_eight_from_there_to_the_butterfly() -> None:
    found = steps()
    assert [number for number, _, _ in found] == list(range(1, len(found) + 1))
    files = [file for _, file, _ in found]
    assert files.index("src/scheme/ckks/automatic.cpp") <= 5, "docs/decisions.md, 15"
    evaluator = files.index("src/scheme/ckks/multiply.cpp")
    assert files[evaluator - 1] == "src/scheme/ckks/automatic.cpp"
    assert len(files[evaluator:]) <= 8, "docs/decisions.md, 15"
    assert files[-1] == "src/backend/cpu/kernels/ifma/engine.h"


@pytest.mark.parametrize(("number", "file", "functions"), steps(), ids=lambda value: str(value))
def test_every_step_is_in_its_file(number: int, file: str, functions: list[str]) -> None:
    assert functions, f"step {number} names no function"
    text = (ROOT / file).read_text("utf-8")
    missing = [function for function in functions if not defines(file, text, function)]
    assert not missing, f"step {number}: {file} does not define {missing}"


@pytest.mark.parametrize(
    "text", ["  run(a, b);", "void run(int a);", "void other(int a) {\n  run(a);\n}", "void rerun(int a) {"]
)
def test_calls_declarations_and_longer_names_are_not_definitions(text: str) -> None:
    assert not defines("src/a.cpp", text, "run")
    assert defines("src/a.cpp", "Block A::run(int a,\n  int b = {}) const {\n}", "run")
