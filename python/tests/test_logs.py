# SPDX-License-Identifier: Apache-2.0
"""Tests the logger "ringfort". It must write one record for each call that computes. A record must have the size, the
time and the request id of the operation, and no value of its operands."""

from __future__ import annotations

import logging
import threading

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors

CTX = rf.Context(depth=2, n=2048, precision=6, magnitude=2, insecure="a test")
KEYS = CTX.keygen()
X = CTX.encrypt(np.ones(4), KEYS)


@pytest.fixture
def records(caplog):
    caplog.set_level(logging.DEBUG, "ringfort")
    return lambda: [(r.operation, r.error, r.request_id) for r in caplog.records if r.name == "ringfort"]


def test_each_operation_writes_one_record(records, caplog, tmp_path):
    x = CTX.encrypt([0.5, 0.25], KEYS)
    with rf.request_id("r-17"):
        y = x * x
        np.var(x)
        x.sum()
        x[0]
        x.assume(magnitude=1)
    y.decrypt(KEYS)
    rf.save(tmp_path / "x.rfc", x=x, keys=KEYS.public)
    rf.load(tmp_path / "x.rfc", CTX)
    data = rf.dumps(x=x)
    rf.loads(data, CTX, keys=KEYS)
    names = ["multiply", "var", "sum", "getitem", "assume"]
    assert records() == (
        [("encrypt", "", "")]
        + [(name, "", "r-17") for name in names]
        + [(name, "", "") for name in ("decrypt", "save", "load", "dumps", "loads")]
    )
    found = {r.operation: r for r in caplog.records}
    assert found["multiply"].bytes == y.nbytes
    assert found["decrypt"].bytes == 16
    assert found["save"].bytes == (tmp_path / "x.rfc").stat().st_size
    assert found["dumps"].bytes == len(data)
    assert all(r.milliseconds >= 0 for r in caplog.records)
    assert {r.levelno for r in caplog.records} == {logging.DEBUG, logging.INFO}
    assert found["multiply"].getMessage().endswith(", request r-17")


def test_keys_are_recorded_at_info(records, caplog):
    caplog.set_level(logging.INFO, "ringfort")
    keys = CTX.keygen(rotations=[1])
    keys.extend(rotations=[1, 2])
    keys.extend(rotations=[1])
    CTX.encrypt([1.0], keys)
    assert records() == [("keygen", "", ""), ("extend", "", "")]


def test_a_plan_writes_one_record_and_so_does_each_function(records):
    x = CTX.encrypt([0.5], KEYS).assume(low=0, high=1)
    rf.plan(lambda x: x * x + x, rf.like((4,), magnitude=1), n=2048, insecure="a test", precision=6)
    rf.sqrt(CTX.encrypt([0.75], KEYS).assume(low=0.5, high=1), domain=(0.5, 1), error=0.2)
    assert x.shape == (1,)
    assert [name for name, _, _ in records()] == ["encrypt", "assume", "plan", "encrypt", "assume", "sqrt"]


def test_searches_write_the_same_records(records, caplog, tmp_path):
    keys = rf.search.keygen(tmp_path / "keys", unsealed=True)
    document = rf.search.Document("1", "subject", ["invoice", "paid"])
    with rf.search.Index.create(tmp_path / "index", keys) as index:
        index.add([document], keys)
    with rf.request_id("s-1"):
        asked = rf.search.query("invoice", keys)
        answer = rf.search.search(tmp_path / "index", asked)
    counts = rf.search.decrypt(answer, keys)
    with pytest.raises(errors.InvalidArgument):
        rf.search.query("two words", keys)
    assert records() == [
        ("search.keygen", "", ""),
        ("search.add", "", ""),
        ("search.query", "", "s-1"),
        ("search.search", "", "s-1"),
        ("search.decrypt", "", ""),
        ("search.query", "invalid_argument", ""),
    ]
    assert caplog.records[-2].bytes == counts.nbytes
    assert caplog.records[0].levelno == logging.INFO
    for record in caplog.records:
        assert "invoice" not in f"{record.getMessage()} {vars(record)}"


def test_statistics_write_the_same_records(records):
    study = rf.statistics.Study({"a": (0, 50)}, "means", uploads=9, records=3)
    keys = rf.statistics.keygen(study, n=64, insecure="a test")
    upload = rf.statistics.encrypt({"a": [17, 18]}, keys.public)
    aggregator = rf.statistics.Aggregator(keys.public)
    aggregator.add(upload)
    aggregator.add_all([upload])
    assert rf.statistics.decrypt(aggregator.result(), keys).mean("a") == 17.5
    with pytest.raises(errors.InvalidArgument):
        rf.statistics.encrypt({"a": [51]}, keys.public)
    names = ("keygen", "encrypt", "add", "add_all", "result", "decrypt")
    expected = [(f"statistics.{name}", "", "") for name in names]
    assert records() == [*expected, ("statistics.encrypt", "invalid_argument", "")]


def test_a_failure_is_recorded_with_its_code(records):
    with pytest.raises(errors.DepthExhausted):
        X**8
    with pytest.raises(errors.SecretRefused):
        rf.dumps(keys=KEYS)
    assert records() == [("power", "depth_exhausted", ""), ("dumps", "secret_refused", "")]


def test_no_record_holds_a_value(caplog):
    caplog.set_level(logging.DEBUG, "ringfort")
    secret = 1.7319462891
    x = CTX.encrypt([secret], KEYS)
    (x * secret + secret).decrypt(KEYS)
    rf.loads(rf.dumps(keys=KEYS, passphrase="xyzzy words", strength=0), passphrase="xyzzy words", allow_insecure=True)
    assert len(caplog.records) == 6
    for record in caplog.records:
        shown = f"{record.getMessage()} {vars(record)}"
        assert "173194" not in shown.replace(".", "")
        assert "xyzzy" not in shown


def test_nothing_is_measured_while_the_level_is_off(monkeypatch):
    logging.getLogger("ringfort").setLevel(logging.WARNING)

    def refused():
        raise AssertionError("the clock was read")

    monkeypatch.setattr("ringfort.logs.time.perf_counter", refused)
    assert (X + X).shape == (4,)
    logging.getLogger("ringfort").setLevel(logging.NOTSET)


def test_a_request_belongs_to_its_thread_and_its_block(records):
    with rf.request_id("outer"):
        with rf.request_id("inner"):
            X + X
        other = threading.Thread(target=lambda: X - X)
        other.start()
        other.join()
        np.negative(X)
    assert records() == [("add", "", "inner"), ("subtract", "", ""), ("negative", "", "outer")]


@pytest.mark.parametrize("name", ["two\nlines", "x" * 201, 7, None, "\x1b[2J"])
def test_a_request_id_cannot_forge_lines(name):
    with pytest.raises(errors.InvalidArgument), rf.request_id(name):
        pass
