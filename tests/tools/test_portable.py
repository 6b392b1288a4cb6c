# SPDX-License-Identifier: Apache-2.0
"""Tests that the metadata of a portable wheel name the licences of the libraries in the wheel (tools/make_portable)."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path

import pytest
from packaging.metadata import ExceptionGroup

TOOLS = Path(__file__).resolve().parents[2] / "tools"
HEAD = "Metadata-Version: 2.4\nName: ringfort\nVersion: 0.1.0\nLicense-Expression: Apache-2.0\nLicense-File: LICENSE\n"


@pytest.fixture
def make_portable(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    loader = importlib.machinery.SourceFileLoader("make_portable", str(TOOLS / "make_portable"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_portable", loader))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader.exec_module(module)
    return module


@pytest.fixture
def information(tmp_path):
    """Returns a dist-info folder with the licences of Ringfort and of two libraries."""
    (tmp_path / "licenses").mkdir()
    for name in ("LICENSE", "libsodium.txt", "llvm.txt"):
        (tmp_path / "licenses" / name).write_text("permission is granted\n")
    (tmp_path / "METADATA").write_text(f"{HEAD}\n# Ringfort\n\nLicense-Expression: of the text\n")
    return tmp_path


def test_metadata_names_the_licences_of_the_libraries_inside(make_portable, information):
    make_portable.name_licences(information)
    head, _, body = (information / "METADATA").read_text().partition("\n\n")
    assert "License-Expression: Apache-2.0 AND ISC AND (Apache-2.0 WITH LLVM-exception)" in head.splitlines()
    named = [line.split(": ")[1] for line in head.splitlines() if line.startswith("License-File: ")]
    assert named == ["LICENSE", "libsodium.txt", "llvm.txt"]
    assert body == "# Ringfort\n\nLicense-Expression: of the text\n"


def test_a_wheel_without_a_licence_that_it_names_is_refused(make_portable, information):
    (information / "licenses/LICENSE").unlink()
    with pytest.raises(AssertionError, match="LICENSE"):
        make_portable.name_licences(information)


def test_invalid_metadata_are_refused(make_portable, information):
    text = (information / "METADATA").read_text()
    (information / "METADATA").write_text(text.replace("Version: 0.1.0", "Version: newest"))
    with pytest.raises(ExceptionGroup, match="invalid or unparsed metadata"):
        make_portable.name_licences(information)
