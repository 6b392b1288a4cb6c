# SPDX-License-Identifier: Apache-2.0
"""Tests the generator of the API reference. It must report names that have no page or no description.

It must assign each comment of a header to the right names.
"""

from __future__ import annotations

import shutil
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import reference_cpp  # noqa: E402
import reference_python  # noqa: E402

HEADER = """// SPDX-License-Identifier: Apache-2.0
// What the header is for: a < b.
#pragma once

namespace sample {

// Computes both.
int first(int a);
int second(int a);

int bare(int a);

struct Options {  // of first
  int limit = 0;  // bytes
};

// Has a value.
class Box {
 public:
  // Returns it.
  [[nodiscard]] int value() const;
  [[nodiscard]] long value(long scale) const;
  void other();
};

struct Silent {
  int a = 0;
};
using Alias = Box;

}  // namespace sample
"""


def test_comments_become_those_of_doxygen():
    found = reference_cpp.marked(HEADER).splitlines()
    assert found[:2] == ["/// @file", r"/// What the header is for: a \< b."]
    at = found.index("/// Computes both.")
    assert found[at - 1] == "///@{"
    assert found[at + 1 : at + 5] == ["int first(int a);", "int second(int a);", "///@}", ""]
    assert found[found.index("struct Options {  ") - 1] == "/// of first"
    assert "  int limit = 0;  ///< bytes" in found
    inside = found.index("  /// Returns it.")
    assert found[inside + 3 : inside + 5] == ["///@}", "  void other();"]


@pytest.mark.skipif(shutil.which("doxygen") is None, reason="needs Doxygen: apt-get install doxygen")
def test_names_of_headers_without_a_comment_are_found(tmp_path):
    headers = tmp_path / "headers"
    headers.mkdir()
    (headers / "sample.h").write_text(HEADER)
    (tmp_path / "out").mkdir()
    found = reference_cpp.write(headers, tmp_path / "out", tmp_path / "scratch")
    assert found == ["sample::Silent has no comment", "sample::bare has no comment"]
    page = next((tmp_path / "out/cpp").glob("namespacesample.html")).read_text()
    assert page.count("Computes both.") >= 2


@pytest.mark.skipif(shutil.which("doxygen") is None, reason="needs Doxygen: apt-get install doxygen")
def test_every_public_name_of_the_headers_has_a_page_and_a_comment(tmp_path):
    (tmp_path / "out").mkdir()
    assert reference_cpp.write(ROOT / "include/ringfort", tmp_path / "out", tmp_path / "scratch") == []
    assert (tmp_path / "out/cpp/classringfort_1_1ckks_1_1Evaluator.html").exists()


def test_names_of_modules_without_a_docstring_or_a_page_are_found(tmp_path):
    module = types.ModuleType("sample", "What it is.")
    names: dict[str, object] = {}
    exec(
        'def good():\n    """Does."""\ndef silent(): pass\n'
        'class Box:\n    """A box."""\n    def silent(self): pass\n    def _own(self): pass\n',
        {"__name__": "sample"},
        names,
    )
    vars(module).update(names, limit=3, __all__=["good", "silent", "Box", "limit"])
    assert reference_python.undescribed(module) == ["sample.silent", "sample.Box.silent"]
    (tmp_path / "sample.html").write_text('<a id="good"></a><a id="silent"></a><a id="Box"></a><a id="limit"></a>')
    assert reference_python.without_page(module, tmp_path) == ["sample.Box.silent"]


def test_every_public_name_of_the_package_has_a_docstring():
    modules = [__import__(name, fromlist=["_"]) for name in reference_python.MODULES]
    assert [name for module in modules for name in reference_python.undescribed(module)] == []
    names = [name for module in modules for name, _ in reference_python.public(module)]
    assert {"ringfort.Context.encrypt", "ringfort.EncryptedArray.decrypt", "ringfort.ring.primes"} <= set(names)


def test_parameters_errors_and_rows_become_items_of_lists():
    assert reference_python.markdown("""Runs it. See: nothing.

        likes: arguments, ``like(shape=...)``; or more. named, others: its keywords (at most
        two). Errors: InvalidArgument; Unsupported.
        """) == (
        "Runs it. See: nothing.\n\n* **likes**: arguments, ``like(shape=...)``; or more.\n"
        "* **named, others**: its keywords (at most two).\n* **Errors**: InvalidArgument; Unsupported."
    )
    assert reference_python.markdown(
        "Does.\n\nOptions:\n  bits (default: 20): many\n    bits.\n  n (default: 0): ring."
    ) == ("Does.\n\nOptions:\n\n* bits (default: 20): many\nbits.\n* n (default: 0): ring.")
    assert reference_python.markdown("``a.b``    one\n``a.see`` two") == "* ``a.b`` one\n* ``a.see`` two"
    assert reference_python.markdown("One line: as it is.\nAnother.") == "One line: as it is.\nAnother."
