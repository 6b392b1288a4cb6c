# SPDX-License-Identifier: Apache-2.0
"""Every check must report a bad sample and accept a good one. A check that cannot fail proves nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
PYTHON = "python/src/ringfort/"
HEAD = "// SPDX-License-Identifier: Apache-2.0\n"


def run_check(tool: str, root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOLS / tool), "--root", str(root), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


BAD = [
    ("check_layers", "src/math/word.cpp", '#include "ring/poly.h"', "may not know src/ring"),
    ("check_layers", "src/runtime/buffer.cpp", '#include "backend/cpu/plan.h"', "may not know src/backend/cpu"),
    ("check_layers", "src/ring/ntt.cpp", '#include "ringfort/rgsw.h"', "may not know src/scheme/rgsw"),
    ("check_layers", "src/scheme/rgsw/add.cpp", '#include "scheme/ckks/add.h"', "may not know src/scheme/ckks"),
    ("check_layers", "src/math/word.cpp", "#include <immintrin.h>", "is for src/backend/cpu/kernels"),
    ("check_layers", "src/io/reader.cpp", "auto* p = reinterpret_cast<int*>(q);", "do not reinterpret"),
    ("check_layers", "src/ring/ntt.cpp", "void f() { std::abort(); }", "never ends the program"),
    ("check_layers", "src/ring/ntt.cpp", "#include <iostream>", "does not print"),
    ("check_layers", "src/ring/ntt.cpp", 'void f() { std::fprintf(stderr, "x"); }', "does not print"),
    ("check_layers", "src/math/CMakeLists.txt", "ringfort_room(math DEPENDS base ring)", "may not link ring"),
    ("check_layers", "hw/rpu/sim/a.cpp", '#include "ringfort/ring.h"', "is not for this room"),
    ("check_layers", "apps/search/a.cpp", '#include "../src/math/word.h"', "is not for this room"),
    (
        "check_layers",
        "src/scheme/rgsw/add.cpp",
        'auto d = Device::open("ref");',
        '"ref": no room above the runtime',
    ),
    ("check_layers", "apps/search/a.cpp", 'Context c(p, "rpu:hples=64");', '"rpu:hples=64": no room above the runtime'),
    ("check_layers", PYTHON + "ml/a.py", 'x = a.to("pim:ranks=8")', "'pim:ranks=8': take the device from the caller"),
    ("check_layers", "include/ringfort/a.h", 'void f(std::string d = "cpu");', '"cpu": no room above the runtime'),
    (
        "check_layers",
        PYTHON + "encrypted/packing/a.py",
        "from ..array import session",
        "not know ringfort.encrypted.array",
    ),
    ("check_layers", PYTHON + "encrypted/a.py", "import ringfort.search.index", "may not know ringfort.search"),
    ("check_layers", PYTHON + "search/a.py", "from ..statistics.keys import b", "may not know ringfort.statistics"),
    ("check_layers", PYTHON + "values.py", "from . import devices", "values may not know ringfort"),
    (
        "check_layers",
        PYTHON + "encrypted/array/a.py",
        "if TYPE_CHECKING:\n    from ..context.context import Context",
        "may not know ringfort.encrypted.context",
    ),
    ("check_layers", PYTHON + "search/a.py", "def f():\n    import json", "an import inside a function"),
    ("check_layers", PYTHON + "report.py", "import json", "take it off the list"),
    ("check_layers", PYTHON + "cellar.py", "", "cellar is in no room"),
    ("check_magic", "src/math/a.cpp", "int a = 7;  // check-magic: 7 == 2 ** 3", "is not"),
    ("check_magic", "src/math/a.cpp", "int a = 9;  // check-magic: 8 == 2 ** 3", "is not in the code"),
    ("check_magic", "src/math/a.cpp", "int a = 8;  // check-magic: 8 == open('x')", "cannot evaluate"),
    ("check_magic", "src/math/a.cpp", "constexpr u64 kQ = 994705409;", "where does it come from"),
    ("check_names", "src/math/fast_ntt.h", HEAD, "'fast' in a name"),
    ("check_names", "src/math/a.h", HEAD + "int oldValue = 0;", "'old' in oldValue"),
    ("check_names", "src/math/a.h", HEAD + "int tower = 0;", "tower left the vocabulary: say limb"),
    ("check_names", "src/rlwe/a.h", HEAD + "struct Block { int a; };", "say RlweCiphertext"),
    ("check_names", "src/math/a.h", HEAD + "struct bad_type { int a; };", "PascalCase"),
    ("check_names", "src/math/a.h", HEAD + "void DoIt() { return; }", "snake_case"),
    ("check_names", "src/math/a.h", HEAD + "constexpr int limit = 3;", "kName"),
    ("check_names", "hw/pim/kernels/a.c", HEAD + "void DoIt(void) { return; }", "snake_case"),
    ("check_names", "src/backend/device/a.cu", HEAD + "int oldValue = 0;", "'old' in oldValue"),
    ("check_sizes", "hw/pim/kernels/a.c", "\n" * 801, "lines 801, at most 800"),
    ("check_layers", "src/math/a.cuh", '#include "ring/poly.h"', "may not know src/ring"),
    ("check_names", "src/math/a.h", "// no licence\n", "the first line"),
    ("check_names", "src/math/a.h", HEAD + "// caf\u00e9\n", "plain ASCII"),
    ("check_names", "src/math/a.h", HEAD + "// see issue " + "12\n", "speaks of the project alone"),
    ("check_names", "src/math/a.h", HEAD + "// after [Nobody" + "99]\n", "not in BIBLIOGRAPHY.md"),
    ("check_names", "BIBLIOGRAPHY.md", "* **[" + "Nobody99]** a paper", "is cited nowhere"),
    ("check_names", "python/a.py", "# SPDX-License-Identifier: Apache-2.0\ndef DoIt(): ...\n", "snake_case"),
    ("check_names", "python/a.py", "# SPDX-License-Identifier: Apache-2.0\ntmp = 1\n", "'tmp' in tmp"),
    ("check_names", "python/a.py", "# SPDX-License-Identifier: Apache-2.0\nroom = 1\n", "room left the vocabulary"),
    ("check_names", "bench/a.cpp", HEAD + "int room = 0;", "room left the vocabulary"),
    ("check_names", "tests/unit/math/a.cpp", HEAD + "int turned = 0;", "turned left the vocabulary"),
    ("check_names", "tests/unit/ring/a.cpp", HEAD + "int hat = 0;", "hat left the vocabulary"),
    ("check_comments", "src/math/a.h", "// What the call returns.", "'What ...': begin with a noun or a verb"),
    ("check_comments", "src/math/a.h", "int a;  // of each limb", "'of ...': begin with a noun or a verb"),
    ("check_comments", "hw/rpu/rtl/a.sv", "// Why the front end waits.", "'Why ...'"),
    ("check_comments", "python/a.py", 'def f():\n    """Whether it is so."""', "a.py:2: 'Whether ...'"),
    ("check_comments", "python/a.py", "a = 1  # how it is", "'how ...'"),
    ("check_comments", "dev", "#!/bin/sh\n# Where it is.", "dev:2: 'Where ...'"),
    (
        "check_comments",
        "docs/a.md",
        "A word.\nThis stands for that.",
        "docs/a.md:2: 'stands for': say is, has or means",
    ),
    ("check_comments", "src/math/a.h", "// A value\n// lies in 0 .. 1.", "a.h:2: 'lies in'"),
    ("check_docs", "README.md", "see [there](docs/none.md)", "leads nowhere"),
    ("check_docs", "README.md", "see `src/none.cpp`", "there is no src/none.cpp"),
    ("check_docs", "docs/a.md", "| old | new | |---|---| | a | b |", "rows of a table are joined"),
    ("check_docs", "docs/a.md", "word " * 25, "125 columns, at most 120"),
    ("check_docs", "dev", "word " * 25, "125 columns, at most 120"),
    ("check_docs", "src/math/a.h", "// docs/none.md", "there is no docs/none.md"),
    ("check_docs", "SOUNDNESS.md", "| a claim | trials | `Suite.Name` | none |", "no check called Suite.Name"),
    ("check_docs", "SOUNDNESS.md", "| a claim | trials | `a_file.py::test_it` | none |", "no check called a_file.py"),
    ("check_docs", "SOUNDNESS.md", "| a claim | trials | believe me | none |", "no check shows: a claim"),
    ("check_sizes", "src/math/a.cpp", "\n" * 601, "lines 601, at most 600"),
    ("check_sizes", "src/backend/verbs.h", "\n" * 451, "lines with src/backend/verbs.h 451, at most 450"),
    ("check_sizes", "tests/support/counting.h", "\n" * 61, "lines of a wrapping device 61, at most 60"),
    ("check_sizes", "src/math/a.cpp", "void f() {\n" + "  g();\n" * 80 + "}\n", "f: lines 82, at most 80"),
    (
        "check_sizes",
        "src/math/a.cpp",
        "void f(int a, int b, int c, int d, int e, int g, std::map<int, int> h) {}",
        "f: parameters 7",
    ),
    (
        "check_sizes",
        "src/math/a.cpp",
        "void f() { if (a) { for (;;) { while (b) { if (c) { g(); } } } } }",
        "f: nesting 4",
    ),
    (
        "check_sizes",
        "include/ringfort/a.h",
        "".join(f"struct T{i} {{ int a; }};\n" for i in range(26)),
        "types 26, at most 25",
    ),
    ("check_sizes", "python/a.py", "def f(a, b, c, d, e, g, h): ...\n", "f: parameters 7"),
    (
        "check_sizes",
        "python/a.py",
        "def f():\n for a in b:\n  if a:\n   with a:\n    if c:\n     pass\n",
        "f: nesting 4",
    ),
]


@pytest.mark.parametrize(("tool", "path", "text", "finding"), BAD, ids=[f"{b[0]}-{b[3][:24]}" for b in BAD])
def test_bad_sample_is_flagged(tmp_path: Path, tool: str, path: str, text: str, finding: str) -> None:
    write(tmp_path, path, text)
    done = run_check(tool, tmp_path)
    assert done.returncode == 1, done.stdout
    assert finding in done.stdout


GOOD = [
    (
        "check_layers",
        "src/ring/ntt.cpp",
        '#include <vector>\n#include "math/types.h"\n// abort() and printf( in a comment\n',
    ),
    ("check_layers", "src/backend/registry.cpp", '#include "backend/cpu/cpu.h"\n#include "backend/ref/ref.h"\n'),
    ("check_layers", "src/backend/cpu/kernels/ifma/ntt.cpp", "#include <immintrin.h>\n"),
    ("check_layers", "src/io/a.cpp", '// An empty name is "cpu".\nauto text = "a reference, not ref";\n'),
    ("check_layers", "src/backend/registry.cpp", 'constexpr auto kDefault = "cpu";\n'),
    (
        "check_layers",
        PYTHON + "encrypted/array/array.py",
        "import numpy\nfrom ... import _core\nfrom ...errors import A\nfrom ..packing import B\nfrom . import b\n",
    ),
    ("check_layers", PYTHON + "report.py", "def f():\n    import matplotlib\n"),
    ("check_layers", PYTHON + "cli/app.py", "from .. import devices\nfrom ..search import index\n"),
    ("check_magic", "src/math/a.cpp", "int a = 994705409;  // check-magic: 994705409 == 994705408 + is_prime(7)\n"),
    ("check_magic", "src/math/a.cpp", "// A special prime [Shivdikar22, Alg. 4].\nconstexpr u64 kQ = 994705409;\n"),
    ("check_magic", "src/math/a.cpp", "// check-magic: 3.24037 ~= sqrt(10.5)\nconstexpr double kSigma = 3.24037;\n"),
    ("check_magic", "src/math/a.cpp", "constexpr u64 kMask = 0xFFFFFFFF0000, kBound = 1'000'000;\n"),
    (
        "check_names",
        "src/math/a.h",
        HEAD + 'class [[nodiscard]] Good {\n  Good* make_one() { return new Good; }\n};  // "new"\n',
    ),
    ("check_names", "src/math/a.h", HEAD + "constexpr int kLimit = 3;\nconstexpr int N = 4;\n"),
    ("check_comments", "src/math/a.h", '// The limbs\n// of a value.\nauto a = "// What it is";  // bytes of a limb\n'),
    ("check_comments", "python/a.py", '"""Returns it."""\n# The limbs\n# of a value.\na = "# What it is"\n'),
    ("check_docs", "docs/a.md", "word " * 24 + "\n| " + "cell " * 40 + "|\n"),
    ("check_comments", "docs/a.md", "What is it? A user can lie; an operand stands alone.\n"),
    ("check_sizes", "src/math/a.cpp", "void f() {\n" + "  g();\n" * 70 + "}\n"),
    (
        "check_sizes",
        "src/math/a.cpp",
        "A::A(int a, int b) : a_{a}, b_(b) { for (;;) { if (a) { auto l = [&] { if (b) { } }; } } }\n",
    ),
    ("check_sizes", "python/a.py", "def f(a):\n if a:\n  pass\n elif a:\n  pass\n elif b:\n  pass\n elif c:\n  pass\n"),
]


@pytest.mark.parametrize(("tool", "path", "text"), GOOD, ids=[f"{g[0]}-{i}" for i, g in enumerate(GOOD)])
def test_good_sample_passes(tmp_path: Path, tool: str, path: str, text: str) -> None:
    write(tmp_path, path, text)
    done = run_check(tool, tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_cycle_of_python_modules_is_reported_once(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")):
        write(tmp_path, f"{PYTHON}search/{name}.py", f"from .{other} import x\n")
    done = run_check("check_layers", tmp_path)
    assert "3 modules import each other: search.a, search.b, search.c" in done.stdout
    assert "check_layers: 1 findings" in done.stdout


def test_claim_with_an_existing_test_passes(tmp_path: Path) -> None:
    write(tmp_path, "tests/unit/math/a_test.cpp", "TEST(Suite, Name) {}\n")
    write(tmp_path, "SOUNDNESS.md", "| a claim | trials | `Suite.Name` and `Suite.*` | none | push |\n")
    done = run_check("check_docs", tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("last", ["", " | once", " | soon | push"])
def test_a_claim_without_the_date_of_its_last_run_is_flagged(tmp_path: Path, last: str) -> None:
    write(tmp_path, "tests/unit/math/a_test.cpp", "TEST(Suite, Name) {}\n")
    write(tmp_path, "SOUNDNESS.md", f"| a claim | trials | `Suite.Name` | none{last} |\n")
    assert "when the check last ran" in run_check("check_docs", tmp_path).stdout


def commit(root: Path, message: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(root), *identity, "commit", "-q", "--allow-empty", "-m", message]
    subprocess.run(command, check=True)


def test_messages_of_commits_are_warned_about_and_do_not_fail(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    commit(tmp_path, "ring: transforms of one limb\n\nThey are the common case.")
    assert "no warnings" in run_check("check_commits", tmp_path).stdout
    commit(tmp_path, "ring: " + "a" * 67)
    commit(tmp_path, "Faster transforms; slower ones\n\nWhy.")
    done = run_check("check_commits", tmp_path)
    assert done.returncode == 0
    for fault in ("73 characters", "no body", "begin with a room", "joins two topics", "check_commits: 4 warnings"):
        assert fault in done.stdout


def test_two_notes_of_one_number_are_flagged(tmp_path: Path) -> None:
    write(tmp_path, "docs/notes/0001-a.md", "")
    write(tmp_path, "docs/notes/0001-b.md", "")
    assert "number 0001" in run_check("check_docs", tmp_path).stdout


def test_six_exempt_files_are_too_many(tmp_path: Path) -> None:
    for i in range(6):
        write(tmp_path, f"src/math/a{i}.cpp", "// size-exempt: a table\n")
    assert "size-exempt: 6, at most 5" in run_check("check_sizes", tmp_path).stdout


def test_soft_limits_are_reported_and_do_not_fail(tmp_path: Path) -> None:
    write(tmp_path, "src/math/a.cpp", "\n" * 300)
    done = run_check("check_sizes", tmp_path, "--soft")
    assert done.returncode == 0
    assert "lines 300, better 250" in done.stdout


JUNIT = """<testsuites><testsuite name="s">
<testcase name="a" classname="S" status="run"/><testcase name="b" classname="S" status="run"><skipped/></testcase>
<testcase name="c" classname="S" status="run">{}</testcase></testsuite></testsuites>"""


@pytest.mark.parametrize(
    ("inside", "phases", "last", "status"),
    [
        ("", [], "2 passed, 0 failed", 0),
        ("<failure/>", [], "1 passed, 1 failed", 1),
        ("<failure/>", ["cpp"], "1 passed, 1 failed", 1),
        ("", ["cpp", "build"], "2 passed, 2 failed", 1),
    ],
)
def test_summary_line_counts_cases_and_silent_phases(
    tmp_path: Path, inside: str, phases: list[str], last: str, status: int
) -> None:
    write(tmp_path, "cpp/test_a.xml", JUNIT.format(inside))
    done = subprocess.run(
        [sys.executable, str(TOOLS / "count_tests"), str(tmp_path), *phases],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == last
    assert done.returncode == status


def test_summary_gives_the_number_of_skipped_tests_for_each_reason(tmp_path: Path) -> None:
    skipped = '<testcase name="{}" classname="S"><skipped message="{}"/></testcase>'
    gtest = skipped.format("a", "tests/ntt_test.cpp:79&#x0A;no words of 128 bits&#x0A;")
    pytest_cases = skipped.format("b", "no words of 128 bits") + skipped.format("c", "not here")
    write(tmp_path, "cpp/test_a.xml", f"<testsuite>{gtest}</testsuite>")
    write(tmp_path, "python/pytest.xml", f"<testsuite>{pytest_cases}<testcase name='d' classname='S'/></testsuite>")
    done = subprocess.run(
        [sys.executable, str(TOOLS / "count_tests"), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == [
        "2 skipped: no words of 128 bits",
        "1 skipped: not here",
        "3 skipped",
        "1 passed, 0 failed",
    ]
