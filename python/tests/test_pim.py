# SPDX-License-Identifier: Apache-2.0
"""Arrays on simulated processing in memory: the same values, simulated time, refusals that teach."""

import json

import numpy as np
import pytest

import ringfort as rf

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
    for _ in range(4):  # the first brings the words; what it leaves in the queue, the second waits for
        with ctx.profile(tmp_path / "trace.json", device="pim") as profile:
            _ = there + there
        assert all(record.simulated for record in profile.records)
        assert not found or not {"upload", "download"} & {record.verb for record in profile.records}
        found.append(sum(record.end_us - record.start_us for record in profile.records))
    assert found[2] == pytest.approx(found[3], rel=1e-9)
    assert found[3] > 100
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"]


def test_long_primes_are_refused_with_the_choice_that_helps():
    ctx = rf.Context(depth=1)
    keys = ctx.keygen(rotations=[])
    with pytest.raises(rf.Unsupported) as raised:
        ctx.encrypt([1.0], keys).to("pim")
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
