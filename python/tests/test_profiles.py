# SPDX-License-Identifier: Apache-2.0
"""Tests profiles as text, as a table in a notebook, and as a DataFrame."""

from __future__ import annotations

import re
import sys
import threading

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


def test_a_device_records_one_profile_of_a_context_at_a_time():
    """The second profile must not end the first one, which would lose all further operations."""
    ctx = rf.Context(depth=1, n=4096, insecure="a small ring, for tests", device="ref")
    x = ctx.encrypt([1.0, 2.0], ctx.keygen(rotations=[]))
    refusals = []

    def refuse():
        with pytest.raises(errors.Unsupported, match="device ref already records a profile") as refused, ctx.profile():
            pass
        refusals.append(refused.value)

    with ctx.profile() as outer:
        _ = x * x
        refuse()
        thread = threading.Thread(target=refuse)
        thread.start()
        thread.join()
        with ctx.profile(device="cpu") as other:
            _ = x + x
        before = len(outer.records)
        _ = x - x
    assert len(refusals) == 2
    assert not other.records
    assert [record.verb for record in outer.records[before:]].count("subtract") > 0
    with pytest.raises(ValueError, match="a block that fails"), ctx.profile():
        raise ValueError("a block that fails")
    with ctx.profile() as again:
        _ = x + x
    assert again.records


def test_the_path_of_a_trace_is_checked_before_the_block(tmp_path):
    ctx = rf.Context(depth=1, n=4096, insecure="a small ring, for tests")
    with pytest.raises(errors.IoWrite, match="cannot be written"), ctx.profile(tmp_path / "none" / "trace.json"):
        pytest.fail("the block runs")
    with ctx.profile(tmp_path / "trace.json"):  # the refusal left no profile open
        assert not list(tmp_path.iterdir())
    assert (tmp_path / "trace.json").exists()
