# SPDX-License-Identifier: Apache-2.0
"""``precision`` guarantees a number of bits in every slot after ``depth`` successive products of factors within
``magnitude``.

The tests run random trees of products with random declared magnitudes. They compare the decrypted results with NumPy's
results.
"""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ringfort as rf
from ringfort import errors

SLOTS = 512
PROMISES = [
    (1, 30, 1.0),
    (2, 20, 16.0),
    (3, 10, 100.0),
    (4, 20, 16.0),
    (4, 32, 2.0),
    (2, 16, 300.0),
    (3, 24, 0.5),
    (3, 33, 16.0),
]


def party(depth, precision, magnitude):
    ctx = rf.Context(depth=depth, precision=precision, magnitude=magnitude, n=1024, insecure="a test of precision")
    return ctx, ctx.keygen(rotations=[])


WIDE = (2, 16, 1e4)  # rounding to doubles costs more than the error of the ciphertext
PARTIES = {promise: party(*promise) for promise in [*PROMISES, WIDE]}


class Grower:
    """Makes encrypted arrays together with their values in the clear."""

    def __init__(self, promise, seed):
        self.depth, self.precision, self.magnitude = promise
        self.ctx, self.keys = PARTIES[promise]
        self.random = np.random.default_rng(seed)

    def values(self, most):
        values = self.random.uniform(-most, most, SLOTS)
        values[self.random.integers(0, SLOTS, 40)] = self.random.choice([-most, most], 40)
        return values

    def leaf(self, most):
        values = self.values(most)
        # long doubles, because products of doubles would have rounding errors of their own
        return self.ctx.encrypt(values, self.keys, magnitude=most), values.astype(np.longdouble)

    def tree(self, levels, most):
        """Makes a tree of at most ``levels`` successive products. All factors are within the magnitude.

        The bound of the result is at most ``most``.
        """
        if levels == 0 or self.random.random() < 0.15:
            return self.leaf(min(most, self.magnitude))
        most = min(most, self.magnitude**2)  # a product of two factors
        low, high = np.log(most / self.magnitude), np.log(self.magnitude)
        left = float(np.exp(self.random.uniform(low, high)))
        kind = self.random.integers(0, 4)
        if kind == 0:
            a, x = self.tree(levels - 1, min(most**0.5, self.magnitude))
            return a * a, x * x
        a, x = self.tree(levels - 1, left)
        if kind == 1:
            values = self.values(most / left)
            return -a * values, -x * values
        b, y = self.tree(levels - 1, most / left)
        return (a * b, x * y) if kind == 2 else (b * a, x * y)

    def error(self, array, values):
        return np.max(np.abs(array.decrypt(self.keys) - values))

    def raw_error(self, array, values):
        return np.max(np.abs(array.decrypt_raw(self.keys) - values))


@pytest.mark.parametrize("promise", [*PROMISES, WIDE], ids=str)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_products_of_factors_within_the_magnitude_keep_the_precision(promise, seed):
    grow = Grower(promise, seed)
    a, x = grow.tree(grow.depth, grow.magnitude**2)
    a, x = a + a + a - (-a), 4 * x  # a sum of four terms keeps the precision
    assert a.precision_bits >= grow.precision
    assert grow.error(a, x) <= 2.0 ** -(a.precision_bits + 1)


@pytest.mark.parametrize("promise", [*PROMISES, WIDE], ids=str)
def test_full_powers_of_the_whole_range_keep_the_precision(promise):
    grow = Grower(promise, 5)
    power, values = grow.leaf(grow.magnitude ** (0.5 ** (grow.depth - 1)))
    for _ in range(grow.depth):
        power, values = power * power, values * values
    assert power.depth_left == 0
    assert power.precision_bits >= grow.precision
    assert grow.error(power, values) <= 2.0 ** -(power.precision_bits + 1)


@pytest.mark.parametrize("promise", PROMISES, ids=str)
def test_small_values_under_a_large_declared_magnitude_are_as_precise_and_claim_less(promise):
    """Bounds depend on the declared magnitude. With a larger magnitude, the stated precision is lower, but the results
    reach it. Decryption rounds to this precision."""
    grow = Grower(promise, 7)
    values = grow.values(min(1.0, grow.magnitude))
    power, values = grow.ctx.encrypt(values, grow.keys), values.astype(np.longdouble)
    done = 0
    with suppress(errors.NoiseBoundExceeded):  # the declared bound exceeds the modulus
        while done < grow.depth:
            power, values, done = power * power, values * values, done + 1
            assert grow.error(power, values) <= 2.0 ** -(power.precision_bits + 1)
            assert grow.raw_error(power, values) <= 2.0 ** -(grow.precision + 1)
    assert done >= 2 or grow.depth == 1


@pytest.mark.parametrize("promise", [(6, 27, 100.0), (10, 33, 8.0)], ids=str)
def test_verbs_bring_operands_of_all_levels_together_at_the_longest_scales(promise):
    """Before a sum, a constant multiplies one operand, so that both have equal scales. With these promises, the
    constants are as long as a scale. The parameters allow for this, and no operation fails.
    """
    depth, precision, magnitude = promise
    ctx = rf.Context(depth=depth, precision=precision, magnitude=magnitude, n=1024, insecure="a test of precision")
    keys, ready = ctx.keygen(), ctx._on("cpu")
    assert ready.scale(ready.top_level) > 2.0**94
    random = np.random.default_rng(9)
    x, y = random.uniform(-magnitude, magnitude, (2, 4, 8))
    top, low = ctx.encrypt(x, keys), ctx.encrypt(y, keys)
    mask = np.arange(32).reshape(4, 8) % 3 == 0
    for _ in range(depth - 2):
        low, y = low * 0.75, y * np.longdouble(0.75)  # one level lower, and not larger
        for result, expected in (
            (top + low, x + y),
            (low - top, y - x),
            (np.concatenate([top, low]), np.concatenate([x, y])),
            (np.where(mask, top, low), np.where(mask, x, y)),
            (low + x, y + x),
        ):
            assert np.max(np.abs(result.decrypt(keys) - expected)) <= 2.0 ** -(result.precision_bits + 1)
            assert result.precision_bits >= precision
    unit, z = ctx.encrypt(x / magnitude, keys, magnitude=1), (x / magnitude).astype(np.longdouble)
    for result, expected in ((unit**7, z**7), (np.polyval([0.5, -1, 0.25], unit), np.polyval([0.5, -1, 0.25], z))):
        assert np.max(np.abs(result.decrypt(keys) - expected)) <= 2.0 ** -(result.precision_bits + 1)
    huge = (top * 2**40) * 2**10  # here the scale exceeds 126 bits, and many bits after the binary point are correct
    assert huge.precision_bits > precision - 55
    assert np.max(np.abs(huge.decrypt(keys) - x * 2.0**50)) <= 2.0 ** -(huge.precision_bits + 1)
