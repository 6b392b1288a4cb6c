# SPDX-License-Identifier: Apache-2.0
"""Programs that a data scientist tries in the first hour. For each program, rf.plan finds a context, so
that nobody must try options."""

from __future__ import annotations

import numpy as np

import ringfort as rf

RNG = np.random.default_rng(0)
ROWS, WEIGHTS = RNG.normal(size=(60, 12)).clip(-3, 3), RNG.normal(size=12)


def computed(program, *arrays, precision=10):
    """Plans, encrypts, computes and decrypts a program. Returns the results and their guaranteed error."""
    plan = rf.plan(program, inputs=[arrays], precision=precision)
    ctx = plan.context()
    keys = ctx.keygen(plan)
    magnitudes = [like.magnitude for like in plan.inputs.positional]
    pairs = zip(arrays, magnitudes, strict=True)
    result = program(*(ctx.encrypt(array, keys.public, magnitude=magnitude) for array, magnitude in pairs))
    return result.decrypt(keys), 2.0**-result.precision_bits


def test_the_logistic_function_of_scores_known_to_be_small():
    def probability(x):
        return rf.sigmoid((x @ WEIGHTS).assume(magnitude=14), domain=(-14, 14), error=1e-3)

    assert np.abs(ROWS @ WEIGHTS).max() < 14
    found, error = computed(probability, ROWS, precision=8)
    assert np.abs(found - 1 / (1 + np.exp(-(ROWS @ WEIGHTS)))).max() <= error <= 2.0**-8


def test_standard_scores_with_an_encrypted_deviation():
    def standard(x):
        variance = x.var(axis=0).assume(low=0.4, high=1.6)
        return (x - x.mean(axis=0)) * rf.inverse_sqrt(variance, domain=(0.4, 1.6), error=1e-5)

    rows = ROWS[:, :4]
    assert rows.var(axis=0).min() > 0.4
    assert rows.var(axis=0).max() < 1.6
    found, error = computed(standard, rows, precision=5)
    assert np.abs(found - (rows - rows.mean(axis=0)) / rows.std(axis=0)).max() <= error


def test_the_normal_equations():
    found, error = computed(lambda x: x.T @ x, ROWS[:8, :4])
    assert np.abs(found - ROWS[:8, :4].T @ ROWS[:8, :4]).max() <= error


def test_whole_numbers_never_wrap_around():
    counts = RNG.integers(0, 300, 20)
    plan = rf.plan(lambda x: x * x * x, rf.like((20,)), dtype="int", range=(0, 300))
    ctx = plan.context()
    keys = ctx.keygen(plan)
    x = ctx.encrypt(counts, keys.public)
    assert np.array_equal((x * x * x).decrypt(keys), counts**3)


def test_a_convolution_and_a_group():
    images = RNG.uniform(size=(10, 8, 8))
    kernel = RNG.uniform(-1, 1, (3, 3))
    found, error = computed(lambda x: rf.ml.conv2d(x, kernel, padding="same")[::2].sum(axis=0), images)
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    expected = sum(kernel[i, j] * padded[:, i : i + 8, j : j + 8] for i in range(3) for j in range(3))
    assert np.abs(found - expected[::2].sum(axis=0)).max() <= error


def test_correlations_of_rows_with_known_variances():
    def correlations(x):
        s = rf.inverse_sqrt(x.var(axis=1).assume(low=0.1, high=0.5), domain=(0.1, 0.5), error=1e-4)
        return np.cov(x, bias=True) * s * s.reshape(-1, 1)

    rows = np.sin(np.arange(40) / np.array([[2.0], [3.0], [5.0]]))
    assert 0.1 < rows.var(axis=1).min() < rows.var(axis=1).max() < 0.5
    found, error = computed(correlations, rows, precision=4)
    assert np.abs(found - np.corrcoef(rows)).max() <= error


def test_groups_by_labels_that_stay_encrypted():
    region = RNG.integers(0, 3, 60)
    found, error = computed(lambda x, g: rf.group_by(x, g).sum(), ROWS[:, :4], np.eye(3)[region])
    assert np.abs(found - [ROWS[region == g, :4].sum(axis=0) for g in range(3)]).max() <= error
