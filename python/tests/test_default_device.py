# SPDX-License-Identifier: Apache-2.0
"""Tests RINGFORT_DEVICE, which names the default device in Python and in commands."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import ringfort as rf


@pytest.fixture
def device(monkeypatch):
    """Returns a function that sets the variable, or removes it for None."""

    def set_to(name):
        monkeypatch.delenv("RINGFORT_DEVICE", raising=False)
        if name is not None:
            monkeypatch.setenv("RINGFORT_DEVICE", name)

    return set_to


@pytest.mark.parametrize(("name", "found"), [(None, "cpu"), ("", "cpu"), ("ref", "ref"), ("deferred:3", "deferred:3")])
def test_contexts_keys_arrays_and_rings_use_the_default_device(device, name, found):
    device(name)
    assert rf.default_device() == found
    ctx = rf.Context("int", depth=1, modular=True)
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([1, 2], keys)
    assert (ctx.device, keys.device, x.device, rf.ring.Ntt(64, 12289).device) == (found,) * 4
    np.testing.assert_array_equal((x * x).decrypt(keys), [1, 4])


@pytest.mark.parametrize("name", ["a\nb", "emu:0\x1b[2J", "rpu:hples=8\n", "ref:\x00x"])
def test_control_characters_of_a_name_are_not_printed(name):
    for refused in (lambda: rf.Context(depth=1, device=name), lambda: rf.DevicePool([name])):
        with pytest.raises(rf.DeviceUnknown) as error:
            refused()
        assert str(error.value).isprintable()
        assert repr(name)[1:-1] in str(error.value)


def test_a_given_device_overrides_the_default_device(device):
    device("ref")
    assert rf.Context("int", depth=1, modular=True, device="cpu").device == "cpu"
    assert rf.ring.Ntt(64, 12289, "cpu").device == "cpu"


def test_loaded_objects_are_on_the_default_device(device, tmp_path):
    device("cpu")
    ctx = rf.Context("int", depth=1, modular=True)
    keys = ctx.keygen(rotations=[])
    rf.save(tmp_path / "x.rf", keys=keys.public, x=ctx.encrypt([3], keys))
    pickled = pickle.dumps(ctx)
    device("ref")
    loaded = rf.load(tmp_path / "x.rf")
    assert loaded["x"].device == loaded["keys"].device == pickle.loads(pickled).device == "ref"
    assert loaded["x"].cpu().device == "cpu"


def test_statistics_use_the_default_device(device):
    device("ref")
    study = rf.statistics.Study({"age": (18, 99)}, "means", 4, 4)
    keys = rf.statistics.keygen(study, n=4096, insecure="a test")
    aggregator = rf.statistics.Aggregator(keys)
    aggregator.add(rf.statistics.encrypt({"age": [20, 40]}, keys))
    assert (keys.public.context.device, aggregator.device) == ("ref", "ref")
    assert rf.statistics.decrypt(aggregator.result(), keys).mean("age") == 30


@pytest.mark.parametrize("name", ["abacus", "pim:ranks=0", "cpu:avx3"])
@pytest.mark.parametrize(
    "open_one",
    [lambda: rf.Context("int", depth=1, modular=True), lambda: rf.ring.Ntt(64, 12289)],
    ids=["context", "ring"],
)
def test_an_unknown_device_in_the_variable_is_refused_with_its_name(device, name, open_one):
    device(name)
    with pytest.raises(rf.DeviceUnknown, match=f"'{name}', which RINGFORT_DEVICE names,"):
        open_one()


def test_a_gpu_without_a_number_in_the_variable_is_refused_with_the_variable(device):
    if not rf.device_refusal("cuda:0"):
        pytest.skip("cuda:0 can be opened here")
    device("cuda")
    with pytest.raises(rf.DeviceUnknown, match="'cuda:0', which RINGFORT_DEVICE names,"):
        rf.Context(depth=1)


def test_a_name_in_the_variable_that_is_no_text_is_refused(command, device):
    device("a\udcff")
    with pytest.raises(rf.DeviceUnknown, match="there is no device 'a\ufffd'"):
        rf.Context(depth=0)
    assert command("devices", "--json", RINGFORT_DEVICE="a\udcff").json["default"] == "a\ufffd"


def test_a_search_server_opens_the_default_device(device, mailbox):
    device("abacus")
    with pytest.raises(rf.DeviceUnknown, match="RINGFORT_DEVICE"):
        rf.search.Server(mailbox.index)


def test_commands_use_the_default_device(command):
    assert command("devices", "--json", RINGFORT_DEVICE="ref").json["default"] == "ref"
    ran = command("statistics", "demo", "--users", 4, "--records", 1, "--json", RINGFORT_DEVICE="ref")
    assert (ran.code, ran.json["device"]) == (0, "ref")
    refused = command("bench", "ntt", "--quick", "--json", "-", RINGFORT_DEVICE="abacus")
    assert "abacus" in refused.json["error"]["problem"]


def test_the_empty_name_is_the_default_device(device):
    device("ref")
    context = rf.Context(depth=1, device="cpu")
    keys = context.keygen(rotations=[])
    x = context.encrypt([1.0], keys)
    assert x.to("").device == keys.to("").device == keys.public.to("").device == "ref"


def test_doctor_and_devices_say_why_the_default_device_cannot_be_opened(command):
    why = 'device "bogus" is the default (RINGFORT_DEVICE changes it), but it cannot be opened: there is no device'
    for name, code in (("doctor", 1), ("devices", 0)):
        found = command(name, RINGFORT_DEVICE="bogus")
        assert (found.code, why in " ".join(found.out.split())) == (code, True)
        refusal = command(name, "--json", RINGFORT_DEVICE="bogus").json["default_refusal"]
        assert refusal.startswith("there is no device 'bogus'")
    assert command("doctor", "--device", "ref", RINGFORT_DEVICE="bogus").code == 0
    assert command("devices", "--json", RINGFORT_DEVICE="ref").json["default_refusal"] == ""
