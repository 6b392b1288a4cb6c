# SPDX-License-Identifier: Apache-2.0
"""Tests the ring processor as a device: arrays on it, its simulated time, its options, and whole operations of
schemes."""

from __future__ import annotations

import numpy as np
import pytest

import ringfort as rf
from ringfort.rpu.operations import Wanted, operations

SMALL = {"n": 1024, "insecure": "a test"}


def test_an_array_is_moved_to_the_ring_processor_and_back() -> None:
    ctx = rf.Context("int", depth=1, range=(-9, 9), **SMALL)
    keys = ctx.keygen(rotations=[])
    values = np.array([3, -1, 4, -1, 5])
    there = ctx.encrypt(values, keys).to("rpu")
    assert (there * there + there).to("cpu").decrypt(keys).tolist() == (values * values + values).tolist()


def test_a_context_on_the_ring_processor_reports_simulated_time() -> None:
    ctx = rf.Context("real", depth=1, device="rpu:hples=64,banks=64", **SMALL)
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([0.5, 0.25], keys)
    with ctx.profile() as profile:
        product = x * x
    assert np.allclose(product.decrypt(keys), [0.25, 0.0625], atol=1e-3)
    assert profile.records
    # a copy may take no time
    assert all(record.simulated and record.end_us >= record.start_us for record in profile.records)
    assert sum(record.end_us - record.start_us for record in profile.records) > 0
    assert sum(record.energy_uj for record in profile.records) > 0


@pytest.mark.parametrize(
    ("device", "why"),
    [("rpu:hples=96", "64 or 128"), ("rpu:lanes=1", "'lanes=1' is no option"), ("rpu:banks", "outside 1 .. 512")],
)
def test_wrong_options_are_refused_with_what_to_write_instead(device: str, why: str) -> None:
    with pytest.raises(rf.errors.DeviceUnknown, match=why):
        rf.Context("real", depth=1, device=device, **SMALL)


@pytest.mark.parametrize("scheme", ["ckks", "bfv", "bgv"])
def test_operations_on_the_ring_processor_equal_operations_on_the_cpu(scheme: str) -> None:
    report = operations(Wanted(scheme, 8192))
    assert [row["operation"] for row in report["operations"]] == ["add", "multiply", "rotate"]
    for row in report["operations"]:
        assert row["verified"]
        assert 0 < row["compute_us"] <= row["us"]
        assert row["energy_uj"] > 0
    shares = {row["operation"]: row["transform_share"] for row in report["operations"]}
    assert shares["add"] == 0
    assert 0.2 < shares["multiply"] < 1


def test_equal_requests_take_equal_cycles() -> None:
    first, second = (operations(Wanted("ckks", 8192)) for _ in range(2))
    assert [row["us"] for row in first["operations"]] == pytest.approx([row["us"] for row in second["operations"]])


def test_an_unavailable_number_of_limbs_is_refused_with_the_available_numbers() -> None:
    with pytest.raises(rf.errors.InvalidArgument, match="choose one of"):
        operations(Wanted("ckks", 8192, 40))


def test_a_ring_too_small_for_a_secure_product_is_refused_with_one_that_suffices() -> None:
    for scheme, n in (("ckks", 1024), ("ckks", 4096), ("bgv", 4096)):
        with pytest.raises(rf.errors.Unsupported, match=f"at n = {n}: .* give --n 8192, the smallest ring"):
            operations(Wanted(scheme, n))


def test_the_command_reports_time_energy_and_share_of_transforms(command) -> None:
    ran = command("rpu", "op", "--scheme", "bfv", "--n", 8192, "--hples", 64, "--banks", 64, "--json")
    assert ran.code == 0, ran.err
    assert ran.json["device"] == "rpu:hples=64,banks=64"
    multiply = ran.json["operations"][1]
    assert multiply["verified"]
    assert multiply["cycles"] == round(multiply["us"] * 1530)
    assert multiply["verbs"]["key_switch"]["count"] == 1
    shown = command("rpu", "op", "--n", 8192).out
    assert "bit for bit" in shown
    assert "area of the processor: 20.5 mm²" in shown
