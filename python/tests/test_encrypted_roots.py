# SPDX-License-Identifier: Apache-2.0
"""Tests that standard deviations and norms are within their stated error, although only bounds on the values are known.
Tests that a refusal says what a user can do."""

import numpy as np
import pytest

import ringfort as rf
from ringfort.errors import DepthExhausted, InvalidArgument, NoiseBoundExceeded, Unsupported

RNG = np.random.default_rng(11)
ROWS = RNG.uniform(-1, 1, (20, 3))
ERROR = 0.01


@pytest.fixture(scope="module")
def party():
    ctx = rf.Context(depth=10, precision=30, magnitude=1.0, n=2048, insecure="a test")
    return ctx, ctx.keygen()


PROGRAMS = {
    "of all": lambda x: np.std(x),
    "of columns": lambda x: np.std(x, axis=0),
    "of rows, of a sample": lambda x: x.std(axis=1, ddof=1, keepdims=True),
    "without missing values": lambda x: np.nanstd(x, axis=0),
    "of rows": lambda x: np.linalg.norm(x, axis=1),
    "of rows, by name": lambda x: np.linalg.norm(x[:4], ord=2, axis=-1, keepdims=True),
    "of a matrix": lambda x: np.linalg.norm(x, "fro"),
    "of a vector": lambda x: np.linalg.norm(x[0]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_roots_are_within_the_stated_error(party, name):
    ctx, keys = party
    found, expected = PROGRAMS[name](ctx.encrypt(ROWS, keys)), PROGRAMS[name](ROWS)
    assert found.shape == np.shape(expected)
    assert np.abs(found.decrypt(keys) - expected).max() <= min(ERROR, 2.0**-found.precision_bits)


@pytest.mark.parametrize(
    "values", [np.zeros(20), np.full(20, 0.37), np.repeat([-1.0, 1.0], 10), np.repeat([0.2, 0.3], 10)]
)
def test_deviations_of_zero_and_the_largest_ones_are_within_it_too(party, values):
    ctx, keys = party
    x = ctx.encrypt(values, keys)
    assert abs(float(np.std(x).decrypt(keys)) - np.std(values)) <= ERROR


def test_a_smaller_interval_takes_fewer_levels(party):
    ctx, keys = party
    x = ctx.encrypt(0.5 + 0.05 * ROWS, keys)
    assert np.std(x.assume(low=0.4, high=0.6), axis=0).depth_left >= np.std(x, axis=0).depth_left + 2


def test_refusals_say_which_bounds_to_state(party):
    ctx, keys = party
    with pytest.raises(Unsupported, match=r"may reach 16, .*assume\(magnitude.*ringfort\.sqrt\(x\.var"):
        np.std(ctx.encrypt(ROWS, keys, magnitude=16))
    with pytest.raises(Unsupported, match=r"norms may reach .*ringfort\.sqrt\(\(x \* x\)\.sum"):
        np.linalg.norm(ctx.encrypt(np.zeros(500), keys))
    with pytest.raises(InvalidArgument, match="given 3 axes"):
        np.linalg.norm(ctx.encrypt(np.zeros((2, 2, 2)), keys), axis=(0, 1, 2))
    shallow = rf.Context(depth=4, magnitude=1)
    x = shallow.encrypt(ROWS, shallow.keygen())
    with pytest.raises(DepthExhausted, match=r"numpy\.std needs \d+ levels, but 4 of 4 are left"):
        np.std(x)
    whole = rf.Context("int", depth=2, range=(0, 9))
    counts = whole.encrypt([1, 2], whole.keygen())
    for function in (np.std, np.linalg.norm):
        with pytest.raises(Unsupported, match="of integers are not integers"):
            function(counts)


def test_noise_above_the_error_is_refused_with_more_bits_as_advice():
    ctx = rf.Context(depth=10, precision=2, magnitude=1.0, n=2048, insecure="a test")
    with pytest.raises(NoiseBoundExceeded, match=r"precision=.*ringfort\.sqrt"):
        np.std(ctx.encrypt(ROWS, ctx.keygen()))


def test_a_shadow_of_a_deviation_agrees(party):
    ctx, keys = party
    with rf.debug(keys):
        np.std(ctx.encrypt(ROWS, keys), axis=0)
