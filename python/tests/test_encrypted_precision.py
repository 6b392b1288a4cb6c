# SPDX-License-Identifier: Apache-2.0
"""Compares scales with exact computations in integers of thousands of bits. CKKS multiplies numbers by a scale, and
rounds them to integers. Also tests the promise of precision at the limits of doubles.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors
from ringfort._core import parameters as core

POINT = 4000  # bits after the binary point


def chosen(depth, precision, n):
    wanted = core.CkksRequirements()
    wanted.depth, wanted.precision, wanted.n, wanted.slots = depth, precision, n, 8
    wanted.magnitude, wanted.insecure_reason = 1, "a test"
    return core.choose(wanted)


@pytest.mark.parametrize(("depth", "precision", "n"), [(10, 47, 1024), (16, 47, 1024), (24, 24, 2048), (4, 20, 1024)])
def test_the_scale_of_every_level_is_the_double_next_to_the_exact_one(depth, precision, n):
    p = chosen(depth, precision, n)
    on = rf.Context.of_parameters(p, "f")._on("cpu")
    limbs, data = p.chain.limbs_per_level, p.chain.data
    scale = int(p.scale) << POINT
    for level in range(len(data) // limbs - 1, 0, -1):
        scale = (scale * scale >> POINT) // math.prod(data[level * limbs : (level + 1) * limbs])
        assert on.scale(level - 1) == float(Fraction(scale, 1 << POINT)), level


@pytest.mark.parametrize(("depth", "precision"), [(10, 47), (16, 47)])
def test_repeated_squares_of_ones_keep_the_stated_and_the_requested_precision(depth, precision):
    ctx = rf.Context.of_parameters(chosen(depth, precision, 1024), "f")
    keys = ctx.keygen(rotations=[])
    x = np.array([1, 1, -1, 1, 1, 1, -1, 1.0])
    power = ctx.encrypt(x, keys)
    for _ in range(depth):
        power = power * power
        assert np.max(np.abs(power.decrypt(keys) - 1)) <= 2.0 ** -(power.precision_bits + 1)
    assert power.precision_bits >= precision


@pytest.mark.parametrize("dtype", ["real", "complex"])
def test_decrypted_zeros_do_not_show_the_signs_of_their_errors(dtype):
    ctx = rf.Context(depth=1, n=2048, insecure="a test", dtype=dtype)
    keys = ctx.keygen()
    x = ctx.encrypt(np.zeros(100), keys)
    assert np.any(np.real(x.decrypt_raw(keys)) < 0)
    for zeros in (x.decrypt(keys), (x + x).decrypt(keys), (x * 3).decrypt(keys)):
        assert not np.any(zeros)
        assert not np.any(np.signbit(zeros.real) | np.signbit(zeros.imag))


def test_a_precision_beyond_doubles_is_refused():
    with pytest.raises(errors.Unsupported):
        rf.Context(depth=1, precision=53)


def test_an_assumed_magnitude_bounds_later_results():
    ctx = rf.Context(depth=2, n=2048, insecure="a test")
    keys = ctx.keygen()
    x = ctx.encrypt([0.25, -0.125], keys)
    smaller = x.assume(magnitude=0.25)
    assert (smaller * smaller).precision_bits > (x * x).precision_bits
    assert np.allclose(smaller.decrypt(keys), [0.25, -0.125], atol=1e-4)
    assert x.assume(magnitude=100.0).precision_bits == x.precision_bits
    for bad in (0.0, -1, float("nan"), "1"):
        with pytest.raises(errors.InvalidArgument, match="magnitude"):
            x.assume(magnitude=bad)
    whole = rf.Context("int", depth=1, range=(0, 10), n=2048, insecure="a test")
    with pytest.raises(errors.Unsupported, match="range"):
        whole.encrypt([1, 2], whole.keygen()).assume(magnitude=4)


def test_an_assumed_magnitude_is_true_for_slots_that_hold_no_element():
    """A sum over columns leaves sums of two rows in unused slots. assume() clears these slots, unless the caller
    promises the bound for every slot."""
    ctx = rf.Context(depth=2, n=2048, insecure="a test")
    keys = ctx.keygen()
    sums = ctx.encrypt(np.ones((3, 5)), keys).sum(axis=1)
    assert sums.assume(magnitude=5).depth_left == sums.depth_left - 1
    assert sums.assume(magnitude=5, every_slot=True).depth_left == sums.depth_left
    assert np.allclose(sums.assume(magnitude=5).decrypt(keys), 5)


def test_a_plain_value_that_is_too_large_is_refused_in_terms_of_the_context():
    ctx = rf.Context(depth=3, n=1024, insecure="a test")
    x = ctx.encrypt([0.5], ctx.keygen(rotations=[]))
    for work in (lambda: x * 10**30, lambda: x + 1e30):
        with pytest.raises(rf.InvalidArgument, match=r"smaller values, or .* a lower Context\(precision="):
            work()
