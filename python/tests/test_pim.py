# SPDX-License-Identifier: Apache-2.0
"""Tests arrays on simulated processing in memory: their values, the simulated time, and errors with advice."""

import json

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors, ring
from ringfort.bench.pim_operations import Wanted, pim_operations

SHORT = {"bits": 30, "form": "c*2^16+1"}


def moved(dtype, values, **options):
    ctx = rf.Context(dtype, depth=1, primes=SHORT, **options)
    keys = ctx.keygen(rotations=[1])
    return ctx, keys, ctx.encrypt(values, keys)


def test_real_numbers_move_compute_and_return():
    values = np.random.default_rng(1).uniform(-1, 1, 64)
    _, keys, x = moved("real", values, magnitude=2)
    there = x.to("pim")
    assert there.device == "pim"
    result = (there + there) * there
    assert np.array_equal(result.cpu().decrypt(keys), ((x + x) * x).decrypt(keys))  # bit for bit
    assert np.allclose(result.decrypt(keys), 2 * values**2, atol=2.0 ** -(result.precision_bits + 1))


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_integers_are_the_same_on_both_devices(scheme):
    values = np.arange(-20, 20)
    _, keys, x = moved("int", values, range=(-50, 50), scheme=scheme)
    there = x.to("pim:ranks=2,profile=prim-2021")
    assert np.array_equal((there * there - 7).decrypt(keys), values**2 - 7)


def test_time_is_simulated_and_the_same_every_time(tmp_path):
    ctx, _, x = moved("real", np.ones(8), magnitude=2)
    there = x.to("pim")
    found = []
    for _ in range(4):  # the first run uploads the words, and the second waits for these uploads
        with ctx.profile(tmp_path / "trace.json", device="pim") as profile:
            _ = there + there
        assert all(record.simulated for record in profile.records)
        assert not found or not {"upload", "download"} & {record.verb for record in profile.records}
        found.append(sum(record.end_us - record.start_us for record in profile.records))
    assert found[2] == pytest.approx(found[3], rel=1e-9)
    assert found[3] > 100
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"]


@pytest.mark.parametrize(
    "options",
    [
        {"dtype": "real", "magnitude": 2},
        {"dtype": "int", "range": (-50, 50)},
        {"dtype": "real", "magnitude": 0.01, "precision": 5},  # 32-bit words; the primes have no special form
    ],
)
def test_the_default_primes_are_the_same_on_both_devices(options):
    ctx = rf.Context(depth=1, **options)
    keys = ctx.keygen()
    values = np.arange(-1, 2) if options["dtype"] == "int" else np.array([-0.01, 0, 0.01])
    x = ctx.encrypt(values, keys)
    results = [array.sum() + array * array for array in (x.to("pim"), x)]
    assert np.array_equal(results[0].cpu().decrypt(keys), results[1].decrypt(keys))  # bit for bit


def test_primes_that_it_cannot_compute_with_are_refused_with_the_choice_that_helps():
    with pytest.raises(rf.Unsupported) as raised:
        ring.Ntt(32, ring.primes(50, 32, 1)[0], device="pim")
    assert 'primes={"bits": 30, "form": "c*2^16+1"}' in raised.value.fix


@pytest.mark.parametrize(
    ("name", "known"), [("pim:speed=9", "profile="), ("pim:ranks=0", "1 .. 4096"), ("pim:profile=none", "prim-2021")]
)
def test_unknown_options_are_named(name, known):
    x = moved("int", [1], range=(-5, 5))[2]
    with pytest.raises(rf.DeviceUnknown) as raised:
        x.to(name)
    assert name.removeprefix("pim:") in raised.value.fix
    assert known in raised.value.fix


def test_products_of_an_array_go_to_the_device_at_once():
    ctx, keys, _ = moved("int", [1], range=(-50, 50), scheme="bgv")
    x = ctx.encrypt(np.arange(8 * ctx.slots) % 7, keys)
    spent = {}
    for count, array in ((1, x[: ctx.slots]), (8, x)):
        there = array.to("pim")
        assert len(there._packed.ciphertexts) == count
        results = [there * there, there**2]
        with ctx.profile(device="pim") as profile:
            results += [there * there]
        spent[count] = sum(record.end_us - record.start_us for record in profile.records) / count
        for result in results:
            assert np.array_equal(result.decrypt(keys), (array * array).decrypt(keys))
    assert 2 * spent[8] < spent[1]


def test_rotations_in_sums_go_to_the_device_at_once():
    ctx = rf.Context("int", depth=1, primes=SHORT, range=(-500, 500))
    keys = ctx.keygen()
    values = np.arange(3 * ctx.slots).reshape(-1, 4) % 5
    x = ctx.encrypt(values, keys)
    with ctx.profile(device="pim") as profile:
        total = x.to("pim").sum(axis=1)
    assert np.array_equal(total.decrypt(keys), values.sum(axis=1))
    rotations = [record.verb for record in profile.records].count("key_switch")
    assert rotations == 2, "each ciphertext was rotated by itself"


@pytest.mark.parametrize("scheme", ["ckks", "bfv", "bgv"])
def test_the_command_reports_times_for_several_ciphertexts(command, scheme):
    report = command("pim", "op", "--scheme", scheme, "--n", 64, "--limbs", 6, "-c", 1, "-c", 3, "--json").json
    assert [row["ciphertexts"] for row in report["operations"]] == [1, 3] * 4
    assert all(row["verified"] for row in report["operations"])
    (pim,) = [device for device in rf.devices() if device.name == "pim"]
    assert report["cycles"] == ("estimated" if "estimated" in pim.instruction_set else "simulated")
    spent = {(row["operation"], row["ciphertexts"]): row["ms_each"] for row in report["operations"]}
    assert spent["multiply", 3] < spent["multiply", 1] / 2


def test_the_command_measures_long_primes(command):
    options = ("--n", 64, "--limbs", 3, "--prime-bits", 60, "-c", 2)
    report = command("pim", "op", "--scheme", "ckks", *options, "--json").json
    assert all(row["verified"] for row in report["operations"])


@pytest.mark.parametrize(
    "options",
    [
        ("--limbs", 3),
        ("--prime-bits", 61),
        ("--prime-bits", 50, "--limbs", 1),
        ("-c", 0),
        ("--n", 48),
        ("--device", "pim:speed=9"),
    ],
)
def test_the_command_refuses_parameters_that_it_cannot_measure(command, options):
    assert command("pim", "op", *options, "--json").code == 2


def test_the_benchmark_takes_64_ciphertexts_in_a_call_and_refuses_none_or_more():
    rows = pim_operations(Wanted("bgv", 64, ciphertexts=(64,)))["operations"]
    assert rows
    assert all(row["ciphertexts"] == 64 and row["verified"] for row in rows)
    for count in (0, 65):
        with pytest.raises(errors.InvalidArgument, match="ciphertexts"):
            pim_operations(Wanted("bgv", 64, ciphertexts=(count,)))
