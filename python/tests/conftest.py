# SPDX-License-Identifier: Apache-2.0
"""Hooks that skip tests that cannot run on the device that RINGFORT_DEVICE names. Fixtures for several files: the
command line as a user calls it, and the index of a small mailbox."""

import io
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import ringfort as rf


def pytest_collection_modifyitems(items):
    """If RINGFORT_DEVICE names another device than cpu, skips the tests with the mark names_device. The mark states the
    reason."""
    if os.environ.get("RINGFORT_DEVICE", "") in ("", "cpu"):
        return
    for item in items:
        if (mark := item.get_closest_marker("names_device")) is not None:
            item.add_marker(pytest.mark.skip(reason=mark.args[0]))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    """Counts a failed test as skipped in two cases: RINGFORT_DEVICE names a GPU, but the test needs words of 128 bits;
    or RINGFORT_DEVICE names pim, but pim refuses the ring of the test.
    """
    outcome = yield
    error = outcome.excinfo and outcome.excinfo[1]
    if not isinstance(error, rf.Unsupported):
        return
    device = os.environ.get("RINGFORT_DEVICE", "")
    wide = rf.is_gpu(device) and "words of 128 bits need the device cpu" in str(error)
    if wide or (device.startswith("pim") and "pim takes n = 64 .. 65536" in str(error)):
        outcome.force_exception(pytest.skip.Exception(str(error)))


@dataclass(frozen=True)
class Mailbox:
    folder: Path
    keys: "rf.search.Keys"
    documents: list

    @property
    def index(self) -> Path:
        return self.folder / "index"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Returns a function that runs ``ringfort`` in the folder of the test. The function returns the exit code, standard
    output and standard error. stdin: the bytes of standard input. None means that the caller has closed it."""
    from ringfort.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments, stdin=b"", **environment):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "stdin", None if stdin is None else io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = main(list(map(str, arguments)))
        shown = capsys.readouterr()
        return Ran(code, shown.out, shown.err)

    return run


@pytest.fixture(scope="session")
def mailbox(tmp_path_factory):
    """Makes an index of six short messages, with the preset gsw128 and the constant-weight code, in which every word
    hash has eight ones.
    """
    folder = tmp_path_factory.mktemp("mailbox")
    keys = rf.search.keygen(folder / "keys", constant_weight=True, unsealed=True)
    texts = ["the quick fox and the lazy dog", "a fox", "the the the", "café naïve", "dog dog", "nothing here"]
    documents = [
        rf.search.Document(f"<{n}@example.org>", f"letter {n}", tuple(rf.search.split_words(text)), body=text.encode())
        for n, text in enumerate(texts)
    ]
    with rf.search.Index.create(folder / "index", keys) as index:
        index.add(documents, keys, threads=2)
    return Mailbox(folder, keys, documents)
