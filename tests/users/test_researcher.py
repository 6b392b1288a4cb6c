# SPDX-License-Identifier: Apache-2.0
"""Tests what a researcher tries in the first hour: a product with a matrix by baby and giant steps (a method with few
rotations), the same product in five lines of C++, and a Chebyshev series.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import ringfort as rf

ROOT = Path(__file__).resolve().parents[2]


def test_a_matrix_of_128_rows_takes_about_two_roots_of_its_rotations():
    rng = np.random.default_rng(0)
    matrix, vector = rng.uniform(-1, 1, (128, 128)) / 128, rng.uniform(-1, 1, 128)
    plan = rf.plan(lambda x: x @ matrix, rf.like((128,), magnitude=1))
    ctx = plan.context()
    keys = ctx.keygen(plan)
    found = ctx.encrypt(vector, keys) @ matrix
    assert np.abs(found.decrypt(keys) - vector @ matrix).max() <= 2.0**-found.precision_bits
    assert len(plan.rotations) <= 2 * np.sqrt(2 * 128)
    assert plan.depth == 1


def test_a_chebyshev_series_takes_the_fewest_levels():
    series = np.polynomial.Chebyshev.interpolate(np.sin, 15, domain=[-3, 3])
    plan = rf.plan(lambda x: rf.polynomial(x, series), rf.like((100,), magnitude=3))
    ctx = plan.context()
    keys = ctx.keygen(plan)
    values = np.linspace(-3, 3, 100)
    found = rf.polynomial(ctx.encrypt(values, keys, magnitude=3), series)
    assert np.abs(found.decrypt(keys) - series(values)).max() <= 2.0**-found.precision_bits
    assert plan.depth <= 5  # log2(degree + 1) levels, and one level for the domain


def test_the_product_in_cpp_has_five_lines():
    lines = (ROOT / "examples" / "14_circuits.cpp").read_text("utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if "LinearTransform transform(" in line)
    last = next(i for i, line in enumerate(lines) if "transform.apply(" in line)
    assert last - first + 1 == 5
