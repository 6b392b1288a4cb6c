# SPDX-License-Identifier: Apache-2.0
"""Tests keys.measure: compares true errors and noise budgets with their bounds."""

import math

import numpy as np
import pytest

import ringfort as rf

FREE = "a test"


def party(dtype="real", **options):
    ctx = rf.Context(dtype, n=2048, insecure=FREE, **options)
    return ctx, ctx.keygen(rotations=[1])


@pytest.mark.parametrize("dtype", ["real", "complex"])
def test_the_error_is_the_distance_of_raw_values_and_below_the_bound(dtype):
    ctx, keys = party(dtype, depth=2)
    rng = np.random.default_rng(1)
    values = rng.uniform(-1, 1, (3, 50)) + (1j * rng.uniform(-1, 1, (3, 50)) if dtype == "complex" else 0)
    x = ctx.encrypt(values, keys.public)
    for y, true in ((x, values), (x * x, values**2), (2 * x - 1, 2 * values - 1)):
        found = keys.measure(y, expected=true)
        assert found.error == np.max(np.abs(y.decrypt_raw(keys) - true))
        assert 0 < found.error <= found.error_bound
        assert found.bits >= found.bits_bound >= y.precision_bits
        assert found.budget_bits is None
    # With wrong expected values, the error is large. Therefore it is measured, and not taken from the bound.
    assert keys.measure(x, expected=values + 0.5).error == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
def test_budgets_of_integers_fall_with_products_and_stay_above_their_bound(scheme):
    ctx, keys = party("int", range=(-20, 20), depth=2, scheme=scheme)
    x = ctx.encrypt(np.arange(-20, 20), keys.public)
    found = [keys.measure(y) for y in (x, x * x, (x * x) ** 2)]
    for one in found:
        assert one.budget_bits >= one.budget_bound > 0
        assert one.error is None
    assert found[0].budget_bits > found[1].budget_bits + 10 > found[2].budget_bits + 20
    exact = keys.measure(x * x, expected=np.arange(-20, 20) ** 2)
    assert exact.error == 0
    assert exact.bits == math.inf
    assert keys.measure(x, expected=np.arange(-20, 20) + 3).error == 3


def test_an_array_of_several_ciphertexts_has_the_smallest_budget_of_all():
    ctx, keys = party("int", range=(0, 9), depth=1)
    arrays = [ctx.encrypt(np.full(2048, 9), keys.public) for _ in range(3)]
    arrays[1] = arrays[1] * 3
    assert keys.measure(np.concatenate(arrays)).budget_bits == min(keys.measure(array).budget_bits for array in arrays)


def test_measuring_needs_the_secret_and_the_values():
    ctx, keys = party(depth=1)
    x = ctx.encrypt([1.0, 2.0], keys.public)
    with pytest.raises(rf.KeyMissing, match=r"only the secret key sees.*x.precision_bits"):
        keys.public.measure(x, expected=[1.0, 2.0])
    with pytest.raises(rf.InvalidArgument, match=r"keys.measure\(x, expected=values\)"):
        keys.measure(x)
    with pytest.raises(rf.InvalidArgument, match=r"shape \(3,\)"):
        keys.measure(x, expected=[1.0, 2.0, 3.0])
    with pytest.raises(rf.InvalidArgument, match="list"):
        keys.measure([1.0])
    other = ctx.keygen(rotations=[])
    with pytest.raises(rf.ParametersMismatch):
        other.measure(x, expected=[1.0, 2.0])


def test_a_result_says_that_it_is_secret():
    ctx, keys = party(depth=1)
    real = keys.measure(ctx.encrypt([1.0, 2.0], keys.public), expected=[1.0, 2.0])
    ctx, keys = party("int", range=(0, 9), depth=1)
    whole = keys.measure(ctx.encrypt([1, 2], keys.public), expected=[1, 2])
    for found in (real, whole):
        for shown in (repr(found), found._repr_html_()):
            assert "derived from the secret key" in shown
            assert "measured" in shown
            assert "guaranteed" in shown
    assert "noise budget" in repr(whole)
    assert "correct bits" in repr(real)
