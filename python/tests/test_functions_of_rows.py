# SPDX-License-Identifier: Apache-2.0
"""Tests argmax and softmax. Their error must not exceed the stated error. argmax gives indicators: 1 for the largest
element of a row, and 0 for the others. The tests use up to 10^5 rows in the clear (10^6 with full counts), and
encrypted rows.
"""

import os
import re
from pathlib import Path

import numpy as np
import pytest

import ringfort as rf
from ringfort.encrypted.verbs.of_rows import indicator_for, softmax_for
from ringfort.errors import DepthExhausted, InvalidArgument, Unsupported
from ringfort.functions import rows

RNG = np.random.default_rng(8)
ROWS = 10**6 if os.environ.get("RINGFORT_COUNTS") == "full" else 10**5


def indicators(values):
    return np.eye(values.shape[-1])[values.argmax(-1)]


def probabilities(values):
    powers = np.exp(values)
    return powers / powers.sum(axis=-1, keepdims=True)


def gaps(values):
    last = np.sort(values, axis=-1)
    return last[..., -1] - last[..., -2]


def with_gap(shape, gap):
    """Returns rows of numbers in 0 .. 1. The largest element exceeds all others by at least ``gap``, and in some rows
    by exactly ``gap``. In some rows, many elements are nearly equal."""
    values = RNG.uniform(0, 1 - gap, shape)
    values[: len(values) // 2] = np.floor(10 * values[: len(values) // 2]) / 10
    first = values.argmax(-1)[..., None]
    np.put_along_axis(values, first, np.take_along_axis(values, first, -1) + gap, -1)
    return values


@pytest.mark.parametrize(
    ("count", "gap", "error"), [(2, 1 / 32, 0.01), (3, 0.1, 0.1), (10, 1 / 32, 0.01), (40, 0.05, 1e-3)]
)
def test_no_indicator_leaves_its_proven_error(count, gap, error):
    found = rows.indicator(count, gap, error)
    assert found.error <= error
    values = with_gap((ROWS if count <= 10 else ROWS // 10, count), gap * (1 + 1e-9))
    assert np.abs(found.values(values) - indicators(values)).max() <= found.error
    near = found.values(RNG.uniform(0, 1, (1000, count)))  # rows without a gap have values between 0 and 1
    assert near.min() >= -error
    assert near.max() <= 1 + error


@pytest.mark.parametrize(
    ("count", "domain", "error"),
    [(2, (-2.0, 2.0), 0.01), (10, (-2.0, 2.0), 0.01), (5, (0.0, 1.0), 1e-4), (100, (-3.0, 1.0), 0.01)],
)
def test_no_softmax_leaves_its_proven_error(count, domain, error):
    found = rows.softmax(count, domain, error)
    assert found.error <= error
    values = RNG.uniform(*domain, (ROWS // 10 if count > 10 else ROWS, count))
    values[0], values[1], values[2, 1:], values[3, 1:] = domain[0], domain[1], domain[0], domain[1]
    values[2, 0], values[3, 0] = domain[1], domain[0]  # these rows have the largest and the smallest probability
    off = np.abs(found.values(values) - probabilities(values)).max()
    assert off <= found.error
    assert off > 1e-3 * found.error  # the bound is not much too large


@pytest.fixture(scope="module")
def deep():
    ctx = rf.Context(depth=15, magnitude=2, precision=30, n=4096, insecure="a test")
    return ctx, ctx.keygen()


@pytest.mark.parametrize("shape", [(7, 3), (3,), (600, 4)])
def test_encrypted_indicators_are_within_the_stated_error(deep, shape):
    ctx, keys = deep
    values = with_gap(np.atleast_2d(np.empty(shape)).shape, 0.1).reshape(shape)
    x = ctx.encrypt(values, keys.public, magnitude=1).assume(low=0, high=1)
    y = rf.argmax(x, error=0.02, gap=0.1)
    assert np.abs(y.decrypt(keys) - indicators(values)).max() <= 0.02
    assert 2.0 ** -(y.precision_bits + 1) <= 0.0202
    assert x.depth_left - y.depth_left == indicator_for(shape[-1], 1.0, 0.02, 0.1).levels
    number = (y * np.arange(shape[-1])).sum(axis=-1)
    assert np.array_equal(np.round(number.decrypt(keys)), values.argmax(-1))


@pytest.mark.parametrize(("features", "classes"), [(1, 5), (2, 3), (4, 5)])
def test_indicators_of_rows_in_several_ciphertexts(deep, features, classes):
    """A product with a plain matrix of more columns than rows has parts of a row in different ciphertexts."""
    ctx, keys = deep
    weights = np.eye(features, classes) - 0.25  # in row i, column i is the largest
    values = np.eye(features)[np.arange(6) % features]
    x = (ctx.encrypt(values, keys.public, magnitude=1) @ weights).assume(low=-0.25, high=0.75)
    y = rf.argmax(x, domain=(-1, 1), error=0.02, gap=0.5)
    assert np.abs(y.decrypt(keys) - indicators(values @ weights)).max() <= 0.02


def test_rows_without_a_gap_have_values_in_between(deep):
    ctx, keys = deep
    values = np.array([[0.5, 0.5, 0.1], [0.9, 0.89, 0.2]])
    y = rf.argmax(ctx.encrypt(values, keys, magnitude=1).assume(low=0, high=1), error=0.02, gap=0.1).decrypt(keys)
    assert np.all((y[:, :2] > 0.2) & (y[:, :2] < 0.8))
    assert np.abs(y[:, 2]).max() <= 0.02


@pytest.mark.parametrize("shape", [(7, 3), (10,), (600, 4)])
def test_encrypted_probabilities_are_within_the_stated_error(deep, shape):
    ctx, keys = deep
    values = RNG.uniform(-2, 2, shape)
    x = ctx.encrypt(values, keys.public)
    y = rf.softmax(x)
    assert np.abs(y.decrypt(keys) - probabilities(values)).max() <= 0.01
    assert x.depth_left - y.depth_left == softmax_for(shape[-1], (-2.0, 2.0), 0.01).levels


@pytest.mark.parametrize(("shape", "axis"), [((3, 5), 0), ((5, 3, 2), 0), ((5, 3, 2), 1), ((2, 4, 3), -2)])
def test_along_every_axis_decrypted_values_are_within_the_stated_error(deep, shape, axis):
    ctx, keys = deep
    last = (*np.delete(shape, axis), shape[axis])
    values = RNG.uniform(-0.5, 0.5, last)
    x = ctx.encrypt(np.moveaxis(values, -1, axis), keys.public, magnitude=0.5)
    y = rf.softmax(x, axis=axis, domain=(-0.5, 0.5), error=1e-3)
    assert np.abs(np.moveaxis(y.decrypt(keys), axis, -1) - probabilities(values)).max() <= 1e-3
    assert 2.0 ** -(y.precision_bits + 1) <= 1.01e-3
    values = with_gap(last, 0.1)
    x = ctx.encrypt(np.moveaxis(values, -1, axis), keys.public, magnitude=1)
    y = rf.argmax(x, axis=axis, domain=(-2, 2), error=0.02, gap=0.1)
    assert np.abs(np.moveaxis(y.decrypt(keys), axis, -1) - indicators(values)).max() <= 0.02
    assert 2.0 ** -(y.precision_bits + 1) <= 0.0202


@pytest.mark.parametrize("axis", [0, -1])
def test_promised_ends_bound_the_differences_along_every_axis(deep, axis):
    ctx, keys = deep
    values = np.array([[0.1, 0.9], [0.5, 0.2]])
    found = rf.argmax(ctx.encrypt(values, keys, magnitude=1).assume(low=0, high=1), axis=axis, error=0.02, gap=0.2)
    largest = values == values.max(axis=axis, keepdims=True)
    assert np.abs(found.decrypt(keys) - largest).max() < 0.05


def test_debug_compares_with_the_clear(deep):
    ctx, keys = deep
    with rf.debug(keys):
        x = ctx.encrypt(with_gap((2, 3), 0.1), keys, magnitude=1)
        assert rf.argmax(x.assume(low=0, high=1), error=0.02, gap=0.1)._clear is not None
        assert rf.softmax(x.assume(low=0, high=1), domain=(0, 1))._clear is not None


REFUSED = {
    "differences that may leave the domain": (
        InvalidArgument,
        lambda x: rf.argmax(x),
        r"differences may be in -4 \.\. 4; if you know .*x\.assume\(magnitude=0\.5\)",
    ),
    "too few levels": (
        DepthExhausted,
        lambda x: rf.argmax(x, domain=(-4, 4), gap=1e-4, error=1e-4),
        r"Context\(depth=",
    ),
    "a domain too wide": (Unsupported, lambda x: rf.softmax(x, domain=(-8, 8)), "smaller domain"),
    "one element": (InvalidArgument, lambda x: rf.argmax(x[:1] * 0.25), "2 to 256 elements"),
    "values outside the domain": (InvalidArgument, lambda x: rf.softmax(x, domain=(-1, 1)), "values may be"),
    "no encrypted array": (InvalidArgument, lambda x: rf.softmax([1.0, 2.0]), "NumPy"),
    "NumPy's name": (Unsupported, lambda x: np.argmax(x), r"ringfort\.argmax"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_what_to_do(deep, name):
    ctx, keys = deep
    error, function, message = REFUSED[name]
    with pytest.raises(error, match=message):
        function(ctx.encrypt([1.0, 2.0], keys))


def test_the_page_states_the_levels():
    page = (Path(__file__).parents[2] / "docs/functions.md").read_text("utf-8")
    stated = re.findall(
        r"^\| `(argmax|softmax)` of (\d+) \| (-?\d) \.\. (\d) \| ([\d.]+) \| (\d+) \|$", page, re.MULTILINE
    )
    assert len(stated) == 6
    for name, count, low, high, error, levels in stated:
        if name == "argmax":
            found = indicator_for(int(count), float(high), float(error), None)
        else:
            found = softmax_for(int(count), (float(low), float(high)), float(error))
        assert int(levels) == found.levels, (name, count)
