# SPDX-License-Identifier: Apache-2.0
"""Tries habits of newcomers that the library refuses. The refusal must advise code, and this code must compute what the
newcomer wanted.
"""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import special
from sklearn.linear_model import LinearRegression

import ringfort as rf

RNG = np.random.default_rng(16)
LOW, HIGH = 0.5, 3.0
VALUES, OTHERS = RNG.uniform(LOW, HIGH, (2, 64))


@pytest.fixture(scope="module")
def party():
    ctx = rf.Context(depth=8, magnitude=8, n=8192, insecure="a test")
    return ctx, ctx.keygen(rotations=[])


@pytest.fixture(scope="module")
def arrays(party):
    ctx, keys = party
    return tuple(ctx.encrypt(values, keys).assume(low=LOW, high=HIGH) for values in (VALUES, OTHERS))


SCIPY = SimpleNamespace(special=special)
WANTED = {
    "log1p": lambda x, y: np.log1p(x),
    "expm1": lambda x, y: np.expm1(x),
    "log2": lambda x, y: np.log2(x),
    "log10": lambda x, y: np.log10(x),
    "exp2": lambda x, y: np.exp2(x),
    "hypot": lambda x, y: np.hypot(x, y),
    "sin": lambda x, y: np.sin(x),
    "cbrt": lambda x, y: np.cbrt(x),
    "erf": lambda x, y: special.erf(x),
    "expit": lambda x, y: special.expit(x),
}
KNOWN = {  # replaces the dots in the advice by the range that a newcomer knows
    "log1p": "low=1.5, high=4",
    "hypot": "low=0.5, high=18",
}


@pytest.mark.parametrize("name", WANTED)
def test_the_advised_expression_computes_the_function(party, arrays, name):
    wanted = WANTED[name]
    with pytest.raises(rf.Unsupported) as refused:
        wanted(*arrays)
    module = "scipy.special" if name in ("erf", "expit") else "numpy"
    assert refused.value.problem == f"{module}.{name} cannot work on encrypted values"
    expression = re.search(r"(numpy|ringfort)\.\w+\(.*", refused.value.fix).group()
    expression = expression.replace("low=..., high=...", KNOWN.get(name, ""))
    x, y = arrays
    names = {"numpy": np, "scipy": SCIPY, "ringfort": rf, "x": x, "y": y, "low": LOW, "high": HIGH}
    found = eval(expression, names)  # noqa: S307 (of the library's own message)
    assert np.abs(found.decrypt(party[1]) - wanted(VALUES, OTHERS)).max() <= 5e-3


HABITS = {
    "a comparison": (lambda x: x < 1, r"ringfort\.compare\(x, y\)"),
    "a mask": (lambda x: np.where(x >= 1, x, 0), r"ringfort\.compare\(x, y\)"),
    "a clip": (lambda x: np.clip(x, 0, 1), r"ringfort\.minimum\(ringfort\.maximum\(x, low\), high\)"),
    "a root by its exponent": (lambda x: x**0.5, r"ringfort\.sqrt"),
    "an inverse by its exponent": (lambda x: x**-1, r"ringfort\.inverse"),
    "pandas' values": (lambda x: x.values, r"x\.decrypt\(keys\)"),
    "pandas' abs": (lambda x: x.abs(), "abs"),
    "a model in the clear": (lambda x: LinearRegression().fit(np.eye(2), [0, 1]).predict(x), r"ringfort\.ml\.from_sk"),
    "a function of no use here": (lambda x: np.fft.fft2(x), r"x\.decrypt\(keys\)"),
    "a spectrum": (lambda x: np.fft.fft(x), r"x @ numpy\.fft\.fft\(numpy\.eye\(n\)\)"),
    "TenSEAL's ring": (lambda x: rf.Context(poly_modulus_degree=8192), r"write n=\.\.\."),
    "TenSEAL's scale": (lambda x: rf.Context(global_scale=2**40), r"write precision=\.\.\."),
    "a misspelling": (lambda x: rf.Context(precison=3), r"write precision=\.\.\."),
    "a batch for the plan of one row": (
        lambda x: rf.compile(lambda row: 2 * row, rf.like((4,), magnitude=1)).encrypt(None, None, np.ones((3, 4))),
        r"like\(\(3, 4\)\)",
    ),
    "a deep context": (lambda x: rf.Context(depth=12), r"depth <= 10, or a lower precision; or magnitude=1, "),
    "something else": (
        lambda x: rf.Context(colour="red"),
        r"the options are: dtype, depth, device, threads, precision",
    ),
}


@pytest.mark.parametrize("habit", HABITS)
def test_a_refusal_names_what_to_write(arrays, habit):
    attempt, advice = HABITS[habit]
    with pytest.raises((rf.Error, AttributeError), match=advice):
        attempt(arrays[0])


def test_floats_beside_integers_are_named_as_the_values_to_round():
    ctx = rf.Context("int", depth=1, range=(0, 100))
    x = ctx.encrypt([1, 2], ctx.keygen(rotations=[]))
    with pytest.raises(rf.InvalidArgument, match=r"numpy\.rint\(values\)\.astype\(int\)"):
        x + 0.5


def test_a_context_of_magnitude_one_is_as_deep_as_the_refusal_says():
    assert "depth=12," in repr(rf.Context(depth=12, magnitude=1))
