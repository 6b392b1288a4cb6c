# SPDX-License-Identifier: Apache-2.0
"""Independent computations on several devices, here emulated GPUs."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest

import ringfort as rf

GPUS = ["emu:0,checks=off", "emu:1,checks=off"]


@pytest.fixture(scope="module")
def made() -> tuple[rf.Context, rf.Keys]:
    context = rf.Context(depth=1, device="cpu")
    return context, context.keygen(rotations=[])


def test_each_device_computes_and_the_bits_are_those_of_the_cpu(made: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = made
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


def test_items_may_be_several_arrays(made: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = made
    x, y = context.encrypt([1.0, 2.0], keys), context.encrypt([3.0, 5.0], keys)
    total, difference = rf.DevicePool(GPUS).map(lambda a, b: a + b, [(x, y), (x, -y)])
    np.testing.assert_allclose(total.decrypt(keys), [4, 7], atol=1e-5)
    np.testing.assert_allclose(difference.decrypt(keys), [-2, -3], atol=1e-5)
    assert rf.DevicePool(["cpu", "cpu"]).map(np.negative, []) == []


def test_the_first_error_ends_the_work(made: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = made
    x = context.encrypt([1.0], keys)
    begun = []

    def failing(array: rf.EncryptedArray) -> rf.EncryptedArray:
        begun.append(array)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        rf.DevicePool(["ref"]).map(failing, [x] * 9)
    assert len(begun) == 1


def test_pools_and_items_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(rf.InvalidArgument, match="no devices"):
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
