# SPDX-License-Identifier: Apache-2.0
"""Tests arrays and keys on an emulated GPU: on which device they are, where operations run, and what is copied."""

from __future__ import annotations

import os
import pickle
import signal
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ringfort as rf
from ringfort.cli.doctor import gpu_software

GPU = "emu:1,checks=off"


@pytest.fixture(scope="module", params=["real", "int"])
def party(request: pytest.FixtureRequest) -> tuple[rf.Context, rf.Keys]:
    options = {"int": {"modular": True}}.get(request.param, {})
    context = rf.Context(request.param, depth=1, device="cpu", **options)
    return context, context.keygen()


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("RINGFORT_DEVICE", GPU)
    return GPU


def test_arrays_and_keys_move_to_the_first_gpu_and_back(gpu: str, party: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = party
    x = context.encrypt([1, 2, 3], keys)
    for there in (x.gpu(), keys.gpu(), keys.public.gpu()):
        assert there.device == gpu
        assert there.on_gpu()
        assert there.cpu().device == "cpu"
        assert not there.cpu().on_gpu()
    on_gpu = context.encrypt([4, 5, 6], keys.gpu())
    assert on_gpu.on_gpu()
    np.testing.assert_allclose((on_gpu * on_gpu).decrypt(keys), [16, 25, 36], atol=1e-3)


def test_an_operation_with_one_array_on_a_gpu_runs_there_with_the_same_bits(
    gpu: str, party: tuple[rf.Context, rf.Keys]
) -> None:
    context, keys = party
    x, y = context.encrypt([1, 2, 3], keys), context.encrypt([4, 5, 6], keys)
    for left, right in ((x.gpu(), y), (x, y.gpu())):
        for verb in (np.add, np.subtract, np.multiply):
            result = verb(left, right)
            assert result.device == gpu
            assert pickle.dumps(result.cpu()) == pickle.dumps(verb(x, y))


def test_names_of_one_device_mean_the_same_device(party: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = party
    x = context.encrypt([1, 2, 3], keys)
    one = x.to("emu")
    assert one.device == keys.to("emu:00").device == rf.Context(depth=1, device="emu").device == "emu:0"
    assert x.to("emu:seed=3").device == x.to("emu:00,seed=3").device == "emu:0,seed=3"
    with context.profile(device="emu") as found:
        total = one + x.to("emu:0")
    assert [record.verb for record in found.records].count("add") > 0
    np.testing.assert_allclose((total - x.to("emu:00")).decrypt(keys), [1, 2, 3], atol=1e-3)


def test_a_gpu_keeps_its_copies_of_arrays_on_the_cpu(gpu: str, party: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = party
    x, weights = context.encrypt([1, 2, 3], keys.gpu()), context.encrypt([4, 5, 6], keys)

    def uploads() -> int:
        with context.profile(device=gpu) as found:
            x + weights
        return sum(record.verb == "upload" for record in found.records)

    assert uploads() > 0
    assert uploads() == 0


def test_arrays_on_two_devices_that_are_not_a_cpu_and_a_gpu_are_refused(party: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = party
    x = context.encrypt([1, 2, 3], keys)
    for one, other in (("emu:0", "emu:1"), ("cpu", "ref")):
        with pytest.raises(rf.ParametersMismatch, match=f"on the devices {one} and {other}; bring them to one"):
            x.to(one) + x.to(other)


def test_arrays_of_two_devices_are_put_together_on_the_gpu(gpu: str, party: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = party
    x, y = context.encrypt([1, 2, 3], keys), context.encrypt([4, 5, 6], keys)
    expected = pickle.dumps(np.stack([x, y, x], axis=1))
    for arrays in ([x.gpu(), y, x], [x, y.gpu(), x], [x, y, x.gpu()]):
        result = np.stack(arrays, axis=1)
        assert result.device == gpu
        assert pickle.dumps(result.cpu()) == expected


def test_a_forked_child_cannot_use_the_gpu_of_its_parent(gpu: str, party: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = party
    x = context.encrypt([1, 2, 3], keys).gpu()
    _ = x + x
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            _ = x + x
        except rf.DeviceLost as error:
            os._exit(0 if "this process was forked" in str(error) else 2)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_without_a_gpu_the_error_says_why(monkeypatch: pytest.MonkeyPatch, party: tuple[rf.Context, rf.Keys]) -> None:
    monkeypatch.delenv("RINGFORT_DEVICE", raising=False)
    if any(rf.is_gpu(device.name) for device in rf.devices()):
        pytest.skip("this machine has a GPU")
    context, keys = party
    for each in (context.encrypt([1], keys), keys, keys.public):
        with pytest.raises(rf.DeviceUnknown, match=r"there is no GPU; .*NVIDIA"):
            each.gpu()
    assert rf.is_gpu("cuda:0")
    assert not rf.is_gpu("cpu")
    assert not rf.is_gpu("coda")
    assert "NVIDIA" in rf.device_refusal("cuda:0")
    assert rf.device_refusal("emu:3") == ""


def test_doctor_computes_known_answers_and_says_why_a_device_is_missing(command: Any) -> None:
    done = command("doctor", "--json", "--device", "emu:2")
    assert (done.code, done.json["devices"]) == (
        0,
        [{"device": "emu:2", "refusal": "", "transform": "right", "key_switch": "right"}],
    )
    done = command("doctor", "--json", "--device", "emu:9")
    assert done.code == 1
    assert "DEVICE is a number in 0 .. 3" in done.json["devices"][0]["refusal"]


def test_doctor_refuses_a_name_that_is_no_text(command: Any) -> None:
    done = command("doctor", "--json", "--device", "\udcff")
    assert (done.code, done.json["error"]["code"]) == (2, "invalid_argument")


def test_doctor_finds_a_device_whose_answers_are_wrong(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ringfort.cli.doctor.transform_is_right", lambda device: False)
    done = command("doctor", "--json", "--device", "cpu")
    (finding,) = done.json["devices"]
    assert done.code == 1
    assert (finding["transform"], finding["key_switch"]) == ("wrong", "right")


def test_doctor_shows_a_table_of_all_devices(command: Any) -> None:
    done = command("doctor")
    assert done.code == 0, done.err
    assert {line.split()[1] for line in done.out.splitlines() if " right " in line} >= {"ref", "cpu", "pim", "rpu"}


def test_doctor_names_driver_and_compiler(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ringfort.cli.doctor.shutil.which", {"clang++-20": "/usr/bin/clang++-20"}.get)
    found = command("doctor", "--json", "--device", "ref").json["gpu_software"]
    assert found.keys() == {"NVIDIA's driver", "OpenCL", "compiler of kernels"}
    assert found["compiler of kernels"] == "/usr/bin/clang++-20"
    assert found["NVIDIA's driver"].startswith(("none: there is no libcuda.so.1", "for CUDA "))
    monkeypatch.setattr("ringfort.cli.doctor.shutil.which", {"nvcc": "/usr/bin/nvcc"}.get)
    assert gpu_software()["compiler of kernels"] == "/usr/bin/nvcc"
    monkeypatch.setattr("ringfort.cli.doctor.shutil.which", lambda name: None)
    assert "apt-get install clang-19" in gpu_software()["compiler of kernels"]


def test_doctor_reads_the_version_of_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def tell(version: Any) -> int:
        version._obj.value = 12040
        return 0

    driver = SimpleNamespace(cuDriverGetVersion=tell)
    monkeypatch.setattr("ringfort.cli.doctor.ctypes.CDLL", lambda name: driver)
    assert gpu_software()["NVIDIA's driver"] == "for CUDA 12.4"
