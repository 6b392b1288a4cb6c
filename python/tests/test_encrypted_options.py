# SPDX-License-Identifier: Apache-2.0
"""Tests the options of a context: the size and form of primes, presets, standards, and invalid options."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors


def chain(ctx):
    return ctx._parameters.chain


@pytest.mark.parametrize("bits", [24, 30, 50, 60])
@pytest.mark.parametrize("form", ["any", "c*2^16+1"])
@pytest.mark.parametrize("dtype", ["real", "int"])
def test_primes_have_the_requested_length_and_form(bits, form, dtype):
    options = {"precision": 10} if dtype == "real" else {"modular": True}
    ctx = rf.Context(dtype, depth=1, primes={"bits": bits, "form": form}, **options)
    primes = chain(ctx).data + chain(ctx).special
    assert all(prime < 2**bits and prime % (2 * chain(ctx).n) == 1 for prime in primes)
    assert max(prime.bit_length() for prime in primes) == bits
    if form == "c*2^16+1":
        assert all(prime % 2**16 == 1 for prime in primes)
        assert "c*2^16+1" in repr(ctx)
    assert f"primes<2^{bits}" in repr(ctx)
    assert f"{bits} bits" in str(ctx.explain())


def test_arrays_over_short_primes_have_the_requested_precision():
    ctx = rf.Context(depth=1, precision=16, primes={"bits": 30, "form": "c*2^16+1"})
    assert chain(ctx).limbs_per_level == 2
    keys = ctx.keygen(rotations=[1])
    values = np.random.default_rng(1).random(40)
    x = ctx.encrypt(values, keys)
    y = x * x
    assert y.precision_bits >= 16
    np.testing.assert_allclose(y.decrypt(keys), values**2, rtol=0, atol=2.0 ** -(y.precision_bits + 1))


@pytest.mark.parametrize("name", rf.Context.presets())
def test_a_preset_has_the_parameters_of_its_name(name):
    ctx = rf.Context.preset(name)
    scheme, degree, *count = name.split("-")
    assert chain(ctx).n == int(degree)
    assert (ctx.dtype == np.int64) == (scheme != "ckks")
    if count:
        assert (len(chain(ctx).data), len(chain(ctx).special)) == (int(count[0]), 1)
        assert {prime.bit_length() for prime in chain(ctx).data} == {50}
    log2_qp = sum(np.log2(float(prime)) for prime in chain(ctx).data + chain(ctx).special)
    assert log2_qp <= ctx.explain().facts.log2_qp_limit


def test_a_preset_computes():
    ctx = rf.Context.preset("bfv-8192")
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([5, -7], keys)
    assert list((x * x).decrypt(keys)) == [25, 49]
    assert rf.Context.preset("ckks-8192-3", dtype="complex").dtype == np.complex128
    with pytest.raises(errors.InvalidArgument, match="presets: ckks-8192-3"):
        rf.Context.preset("ckks-1")
    with pytest.raises(errors.InvalidArgument):
        rf.Context.preset("bfv-8192", dtype="real")


def test_each_standard_has_its_own_limits():
    """The limits are bits of the modulus, for n = 8192, ternary secrets and 128 bits of security. With
    ``standard=2024``, a limit is the smaller of the limits of both tables: for quantum computers, the table of 2024 has
    203 bits, and the table of 2018 has 202.
    """
    limits = {}
    for standard in (2018, 2024):
        for quantum in (False, True):
            ctx = rf.Context(depth=1, n=8192, standard=standard, quantum=quantum)
            facts = ctx.explain().facts
            limits[standard, quantum] = facts.log2_qp_limit
            assert facts.log2_qp <= facts.log2_qp_limit
            assert f"{standard}, {'quantum' if quantum else 'classical'}" in facts.security
    assert limits == {(2018, False): 218, (2018, True): 202, (2024, False): 214, (2024, True): 202}
    with pytest.raises(errors.Error):
        rf.Context(depth=30, standard=2018)  # the table of 2018 has no row for n = 65536


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
@pytest.mark.parametrize("options", [{"plain_modulus": 17}, {"slots": 65536}])
def test_a_modulus_without_batches_is_refused_with_a_modulus_that_has_batches(scheme, options):
    with pytest.raises(errors.InvalidArgument) as caught:
        rf.Context("int", depth=1, scheme=scheme, modular=True, **options)
    prime = int(re.search(r"for instance (\d+)", caught.value.fix).group(1))
    assert prime % (2 * 131072) == 1
    ctx = rf.Context("int", depth=1, scheme=scheme, modular=True, **options | {"plain_modulus": prime})
    assert (ctx.plain_modulus, ctx.slots >= options.get("slots", 1024)) == (prime, True)


def test_more_slots_than_a_ring_has_are_refused_as_slots():
    with pytest.raises(errors.InvalidArgument, match="slots is 100000, but the largest ring has 65536"):
        rf.Context(slots=100000)


def test_values_above_the_magnitude_of_a_preset_are_refused_with_the_advice_to_scale():
    ctx = rf.Context.preset("ckks-8192-3")
    keys = ctx.keygen(rotations=[])
    with pytest.raises(errors.InvalidArgument, match="magnitude of 1;") as caught:
        ctx.encrypt([1.5], keys)
    assert caught.value.fix.endswith("scale the values down")
    np.testing.assert_allclose(ctx.encrypt([1.5], keys, magnitude=2).decrypt(keys), [1.5], atol=1e-6)


@pytest.mark.parametrize(("depth", "precision", "magnitude"), [(1, 20, 16), (3, 30, 1), (4, 20, 16), (4, 12, 100)])
def test_powers_of_values_declared_as_one_keep_the_requested_precision(depth, precision, magnitude):
    ctx = rf.Context(depth=depth, precision=precision, magnitude=magnitude)
    keys = ctx.keygen(rotations=[])
    values = np.array([1, -1, 0.99, 0.5, 0])
    x = ctx.encrypt(values, keys, magnitude=1)
    power, exponent = x, 1
    for _ in range(depth):
        power, exponent = power * power, 2 * exponent
        assert power.precision_bits >= precision
        assert abs(power.decrypt(keys) - values**exponent).max() <= 2.0**-precision
    assert (x**exponent).precision_bits >= precision


def test_complex_numbers_of_modulus_one_can_be_declared_with_magnitude_one():
    ctx = rf.Context("complex", depth=1)
    keys = ctx.keygen(rotations=[])
    values = np.exp(1j * np.arange(1000))
    assert abs(ctx.encrypt(values, keys, magnitude=1).decrypt(keys) - values).max() < 1e-6


def test_an_exceeded_magnitude_error_says_what_helps():
    ctx = rf.Context()
    keys = ctx.keygen(rotations=[])
    with pytest.raises(errors.NoiseBoundExceeded, match="values up to 16, by their declared magnitudes") as caught:
        _ = ctx.encrypt([0.5], keys) ** 16
    assert "ctx.encrypt(values, keys, magnitude=1.0)" in caught.value.fix
    assert abs((ctx.encrypt([0.5], keys, magnitude=1.0) ** 16).decrypt(keys) - 0.5**16) < 2.0**-20


@pytest.mark.parametrize(
    ("dtype", "magnitude"), [("real", 0), ("real", -1), ("real", np.inf), ("real", np.nan), ("real", "1"), ("int", 4)]
)
def test_invalid_magnitudes_are_refused(dtype, magnitude):
    ctx = rf.Context(dtype, depth=1, **{"int": {"modular": True}}.get(dtype, {}))
    with pytest.raises(errors.InvalidArgument, match="magnitude is"):
        ctx.encrypt([0], ctx.keygen(rotations=[]), magnitude=magnitude)


@pytest.mark.parametrize(
    "options",
    [
        {"primes": 24},
        {"primes": {"size": 24}},
        {"primes": {"bits": 24.0}},
        {"primes": {"bits": 19}},
        {"primes": {"bits": 61}},
        {"primes": {"bits": 300}},
        {"primes": {"form": "2^64-2^32+1"}},
        {"primes": {"form": 1}},
        {"security": 100},
        {"standard": 2020},
        {"quantum": "yes"},
        {"insecure": " "},
        {"depth": True},
        {"plain_modulus": 17},
        {"range": (0, 1)},
        {"scheme": "bfv"},
        {"scheme": ""},
        {"dtype": "int", "modular": True, "precision": 30},
        {"dtype": "int", "modular": True, "magnitude": 4},
        {"dtype": "int", "range": (0.0, 1.5)},
        {"dtype": "int", "range": (0, 1, 2)},
        {"dtype": "int", "range": 5},
        {"dtype": "int", "range": (True, 5)},
        {"dtype": "int", "range": (5, 1)},
        {"dtype": "int", "range": (0, 2**400)},
        {"dtype": "int", "range": (0, float("nan"))},
        {"dtype": "int"},
        {"dtype": "int", "plain_modulus": 65537},
        {"dtype": "int", "modular": False},
        {"dtype": "int", "modular": 1},
        {"dtype": "int", "modular": True, "range": (0, 1)},
        {"modular": True},
        {"dtype": ["real"]},
        {"release": 5},
        {"colour": "blue"},
        {"slots": 65537},
        {"dtype": "int", "modular": True, "slots": 131073},
        {"dtype": "int", "modular": True, "plain_modulus": 16},
    ],
    ids=str,
)
def test_invalid_options_are_refused_with_valid_values(options):
    with pytest.raises(errors.InvalidArgument) as caught:
        rf.Context(**options)
    assert caught.value.fix


def test_options_refuse_values_of_another_type(tmp_path):
    ctx = rf.Context(depth=1)
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([1.0], keys)
    rf.save(tmp_path / "x.rfc", x=x)
    for refused in (
        lambda: rf.load(tmp_path / "x.rfc", ctx, keys=keys, trust_bound="no"),
        lambda: rf.load(tmp_path / "x.rfc", keys=keys, allow_insecure=1),
        lambda: x.decrypt(keys, release=30),
        lambda: x.decrypt(keys, ledger=tmp_path / "keys.ledger"),  # without a release, no noise hides the error
        lambda: ctx.keygen(progress="yes"),
        lambda: ctx.keygen(max_bytes="1 GB"),
        lambda: rf.search.Index.verify(tmp_path, repair="no"),
    ):
        with pytest.raises(errors.InvalidArgument) as caught:
            refused()
        assert caught.value.fix
    with pytest.raises(errors.KeyMissing), rf.debug(keys.public):
        pass
