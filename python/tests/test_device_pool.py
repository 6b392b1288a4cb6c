# SPDX-License-Identifier: Apache-2.0
"""Tests independent computations on several devices. The devices are emulated GPUs."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ringfort as rf
from ringfort.cli.options import devices_of
from ringfort.search.hash_check import plain_counts

FOUR = [f"emu:{number},checks=off" for number in range(4)]
GPUS = ["emu:0,checks=off", "emu:1,checks=off"]


@pytest.fixture(scope="module")
def party() -> tuple[rf.Context, rf.Keys]:
    context = rf.Context(depth=1, device="cpu")
    return context, context.keygen(rotations=[])


def test_each_device_computes_and_the_bits_are_those_of_the_cpu(party: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = party
    arrays = [context.encrypt(np.arange(4.0) + i, keys) for i in range(5)]
    weights = context.encrypt([0.5, 1, 2, 4], keys)
    both_are_busy = threading.Barrier(2, timeout=60)

    def weighted(x: rf.EncryptedArray) -> rf.EncryptedArray:
        if not both_are_busy.broken and len(seen) < 2:
            seen.append(x.device)
            both_are_busy.wait()
        return x * weights

    seen: list[str] = []
    pool = rf.DevicePool(GPUS)
    results = pool.map(weighted, arrays)
    assert sorted(seen) == GPUS == list(pool.devices)
    assert {x.device for x in results} <= set(GPUS)
    for x, result in zip(arrays, results):
        assert pickle.dumps(result.cpu()) == pickle.dumps(x * weights)


def test_items_may_be_several_arrays(party: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = party
    x, y = context.encrypt([1.0, 2.0], keys), context.encrypt([3.0, 5.0], keys)
    total, difference = rf.DevicePool(GPUS).map(lambda a, b: a + b, [(x, y), (x, -y)])
    np.testing.assert_allclose(total.decrypt(keys), [4, 7], atol=1e-5)
    np.testing.assert_allclose(difference.decrypt(keys), [-2, -3], atol=1e-5)
    assert rf.DevicePool(["cpu", "cpu"]).map(np.negative, []) == []


def test_the_first_error_ends_the_work(party: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = party
    x = context.encrypt([1.0], keys)
    begun = []

    def failing(array: rf.EncryptedArray) -> rf.EncryptedArray:
        begun.append(array)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        rf.DevicePool(["ref"]).map(failing, [x] * 9)
    assert len(begun) == 1


def test_pools_and_items_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(rf.InvalidArgument, match="devices is of type int"):
        rf.DevicePool(5)
    with pytest.raises(rf.InvalidArgument, match="devices is of type str; give a list of names"):
        rf.DevicePool("emu:0")
    with pytest.raises(rf.InvalidArgument, match="items is of type int"):
        rf.DevicePool(["cpu"]).map(len, 5)
    with pytest.raises(rf.InvalidArgument, match="no device"):
        rf.DevicePool([])
    with pytest.raises(rf.DeviceUnknown, match=r"DEVICE is a number in 0 \.\. 3"):
        rf.DevicePool(["cpu", "emu:7"])
    with pytest.raises(rf.InvalidArgument, match="an item is of type ndarray"):
        rf.DevicePool(["cpu"]).map(np.negative, [np.ones(3)])
    monkeypatch.setenv("RINGFORT_DEVICE", "emu:2")
    if not any(rf.is_gpu(device.name) for device in rf.devices()):
        assert rf.DevicePool().devices == ("emu:2",)
        monkeypatch.setenv("RINGFORT_DEVICE", "cpu")
        with pytest.raises(rf.DeviceUnknown, match="there is no GPU"):
            rf.DevicePool()


def test_searches_share_their_work(mailbox: Any, tmp_path: Path) -> None:
    asked = rf.search.query("the", mailbox.keys)
    server = rf.search.Server(mailbox.index, devices=FOUR)
    answers = [server.search(asked), rf.search.search(mailbox.index, asked, device="cpu")]
    for number, answer in enumerate(answers):
        answer.save(str(tmp_path / f"{number}.rfa"))
        assert rf.search.decrypt(answer, mailbox.keys).tolist() == plain_counts(mailbox.documents, "the")
    assert (tmp_path / "0.rfa").read_bytes() == (tmp_path / "1.rfa").read_bytes()
    assert server.report.lost_devices == []


def test_aggregations_share_their_work() -> None:
    study = rf.statistics.Study({"age": (0, 120)}, uploads=20)
    party = rf.statistics.keygen(study, n=64, insecure="a test")
    aggregator = rf.statistics.Aggregator(party.public, devices=FOUR)
    assert aggregator.devices == tuple(FOUR)
    uploads = [rf.statistics.encrypt({"age": [age]}, party.public) for age in range(10, 20)]
    told: list[int] = []
    aggregator.add_all(uploads, progress=told.append)
    aggregator.add(uploads[0])
    assert told == list(range(1, 11))
    assert (aggregator.uploads, aggregator.records) == (11, 11)
    summary = rf.statistics.decrypt(aggregator.result(), party)
    assert (summary.sums("age"), summary.products("age", "age")) == (
        [sum(range(10, 20)) + 10],
        [sum(age * age for age in range(10, 20)) + 100],
    )


def test_bad_uploads_are_told_by_their_number_and_incomplete_totals_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    party = rf.statistics.keygen(rf.statistics.Study({"age": (0, 120)}, uploads=4), n=64, insecure="a test")
    good = rf.statistics.encrypt({"age": [7]}, party.public)
    aggregator = rf.statistics.Aggregator(party.public, devices=["cpu", "ref"])
    refused: dict[int, rf.Error] = {}
    aggregator.add_all([good, b"no upload", good], refused=refused.__setitem__)
    assert list(refused) == [1]
    assert aggregator.uploads == 2
    with pytest.raises(rf.Error):
        aggregator.add_all([b"no upload"])

    for kind in (rf.DeviceLost, rf.Internal, rf.NoiseBoundExceeded, rf.OutOfMemory):

        def fails(*_: object, kind: type[rf.Error] = kind) -> None:
            raise kind("an upload is added in part", "begin again")

        monkeypatch.setattr(aggregator, "_add", fails)
        with pytest.raises(kind):
            aggregator.add_all([good], refused=refused.__setitem__)
    assert list(refused) == [1]


def test_one_device_or_several_are_named() -> None:
    party = rf.statistics.keygen(rf.statistics.Study({"age": (0, 120)}, uploads=4), n=64, insecure="a test")
    for wrong in ("cpu", 3, []):
        with pytest.raises(rf.InvalidArgument, match="devices"):
            rf.statistics.Aggregator(party.public, devices=wrong)
    with pytest.raises(rf.InvalidArgument, match="both given"):
        rf.statistics.Aggregator(party.public, "cpu", devices=["cpu"])
    assert devices_of("") is None
    for wrong in ("cpu,", ",cpu", "cpu,,ref"):
        with pytest.raises(rf.InvalidArgument, match="has an empty name"):
            devices_of(wrong)
    assert devices_of("emu:0,emu:1") == ["emu:0", "emu:1"]
    assert devices_of("emu:0,seed=2,checks=off,cpu,pim:ranks=8,mux=4,opencl:0.1") == [
        *("emu:0,seed=2,checks=off", "cpu", "pim:ranks=8,mux=4", "opencl:0.1")
    ]
