# SPDX-License-Identifier: Apache-2.0
"""Tests profiles as text, as a table in a notebook, and as a DataFrame."""

from __future__ import annotations

import re
import sys

import pytest

import ringfort as rf
from ringfort import errors
from ringfort.encrypted.context.profiles import Profile


@pytest.fixture(scope="module")
def found():
    ctx = rf.Context(depth=1, n=4096, insecure="a small ring, for tests", device="rpu")
    keys = ctx.keygen(rotations=[])
    with ctx.profile() as profile:
        x = ctx.encrypt([1.0, 2.0], keys)
        _ = x + x
    return profile


def test_a_profile_prints_as_a_table_with_every_verb(found):
    title, headings, *rows = str(found).splitlines()
    assert re.fullmatch(r"Profile: \d+ verbs, [\d.]+ \S+, simulated", title)
    assert headings.split() == ["verb", "device", "count", "time", "share", "bytes"]
    assert [row.split()[0] for row in rows] == [row.name for row in found.table()]
    assert sum(int(row.split()[2]) for row in rows) == len(found.records) == int(title.split()[1])


def test_a_profile_is_a_table_in_a_notebook(found):
    html = found._repr_html_()
    assert html.count("<tr>") == 1 + len(found.table())
    for row in found.table():
        assert f"<td style='text-align:left'>{row.name}</td>" in html


def test_an_empty_profile_has_only_a_title():
    assert str(Profile()) == "Profile: 0 verbs, 0 ns"


def test_records_say_what_ran(found):
    record, row = found.records[0], found.table()[0]
    assert repr(record).startswith(f"VerbRecord('{record.verb}', device='rpu', us=")
    assert repr(record).endswith(f", bytes={record.bytes})")
    assert repr(row).startswith(f"ProfileRow('{row.name}', device='rpu', us=")


def test_a_profile_is_a_frame_of_pandas(found, monkeypatch):
    pandas = pytest.importorskip("pandas")
    records = found.to_pandas()
    assert isinstance(records, pandas.DataFrame)
    assert list(records["verb"]) == [record.verb for record in found.records]
    assert list(found.to_pandas("verb")["us"]) == [row.us for row in found.table("verb")]
    with pytest.raises(errors.InvalidArgument):
        found.to_pandas("word")


def test_a_frame_without_pandas_is_refused(found, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(errors.Unsupported, match=r"csv\(\)"):
        found.to_pandas()
