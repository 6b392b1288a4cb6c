# SPDX-License-Identifier: Apache-2.0
"""Tests polynomials for functions. Their error must not exceed the proven bound. The tests use up to 10^6 points in the
clear, and up to 4096 encrypted points."""

import os
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import ringfort as rf
from ringfort import functions
from ringfort.encrypted.verbs.approximate import SHARE, steps_for
from ringfort.errors import BoundViolated, DepthExhausted, InvalidArgument, KeyMissing, NoiseBoundExceeded, Unsupported
from ringfort.functions import FUNCTIONS
from ringfort.functions.chebyshev import largest

RNG = np.random.default_rng(4)
POINTS, FULL = 10**6, os.environ.get("RINGFORT_COUNTS") == "full"
SMOOTH = sorted(FUNCTIONS)
OTHER = {
    "a narrow domain": ("sigmoid", (-1.0, 1.0), 1e-9),
    "a wide domain": ("sigmoid", (-40.0, 40.0), 1e-2),
    "a domain without symmetry": ("tanh", (-1.0, 3.0), 1e-5),
    "many digits": ("exp", (-1.0, 1.0), 1e-10),
    "an end near zero": ("inverse", (0.05, 1.0), 1e-2),
    "large values": ("log", (1.0, 500.0), 0.02),
    "roots from zero": ("sqrt", (0.0, 1.0), 0.01),
    "large roots from zero": ("sqrt", (0.0, 300.0), 0.03),
    "one number for all roots": ("sqrt", (0.0, 1e-4), 0.1),
}


def inside(domain, count=POINTS):
    """Returns random points of the domain, and its ends."""
    x = RNG.uniform(*domain, count)
    x[:2] = domain
    return x


@pytest.mark.parametrize("name", [*SMOOTH, *OTHER])
def test_no_polynomial_leaves_its_proven_error(name):
    name, domain, error = OTHER.get(name) or (name, FUNCTIONS[name].domain, FUNCTIONS[name].error)
    found, x = functions.approximation(name, domain, error), inside(domain)
    expected = FUNCTIONS[name].values(x)
    assert found.error <= error
    assert np.abs(found.values(x) - expected).max() <= found.error
    assert np.abs(expected).max() <= found.magnitude
    rounding = 2e-12 * (1 + found.magnitude)
    assert found.error - np.abs(found.values(x) - expected).max() <= 0.02 * error + rounding  # the bound is tight


@pytest.mark.parametrize("name", SMOOTH)
def test_a_lower_degree_does_not_reach_the_error(name):
    function = FUNCTIONS[name]
    found = functions.approximation(name, function.domain, function.error)
    assert found.coefficients[-1] != 0
    middle, half = sum(function.domain) / 2, (function.domain[1] - function.domain[0]) / 2
    t = np.cos(np.linspace(0, np.pi, 20001))
    lower = np.polynomial.chebyshev.chebinterpolate(lambda s: function.values(middle + half * s), found.degree - 2)
    assert np.abs(np.polynomial.chebyshev.chebval(t, lower) - function.values(middle + half * t)).max() > function.error


@pytest.mark.parametrize("name", SMOOTH)
def test_the_table_bounds_values_and_second_derivatives(name):
    function = FUNCTIONS[name]
    for domain in (function.domain, (0.7, 3.0), (0.5, 0.75)):
        x = np.linspace(*domain, 20001)
        y, h = function.values(x), x[1] - x[0]
        assert np.abs(y).max() <= function.magnitude(*domain) * (1 + 1e-14)
        assert np.abs(np.diff(y, 2)).max() / h**2 <= function.curvature(*domain) * (1 + 1e-3)


@pytest.mark.parametrize(
    ("gap", "error"), [(0.25, 0.1), (1 / 32, 0.005), (0.01, 0.001), (0.001, 0.001), (1 - 2**-53, 0.1)]
)
def test_no_composition_for_the_sign_leaves_its_proven_error(gap, error):
    found = functions.steps(gap, error)
    assert found.error <= error
    far, near = found.values(inside((gap, 1.0))), found.values(inside((0.0, gap)))
    assert np.abs(far - 1).max() <= found.error
    assert near.min() >= 0
    assert near.max() <= 1 + found.error
    for stage in found.stages:
        assert not any(stage[::2])  # the polynomial of a stage is odd
    for stage in found.stages[:-1]:
        assert np.abs(np.polynomial.chebyshev.chebval(inside((-1.0, 1.0)), stage)).max() <= 1


STATED = {  # half of the domain's width, the error, and the gap: sign and compare state an error only for |x| >= gap
    "the default": (1.0, 1e-2, None),
    "a wide domain": (300.0, 3.0, None),
    "a small error": (1.0, 1e-3, 0.05),
    "a narrow gap": (2.0, 1e-2, 0.002),
}
BY_STEPS = {
    "sign": (lambda x, y, p, s: p, np.sign),
    "compare": (lambda x, y, p, s: (1 + p) / 2, lambda d: d > 0),
    "relu": (lambda x, y, p, s: x * (1 + p) / 2, lambda d: np.maximum(d, 0)),
    "abs": (lambda x, y, p, s: x * p, np.abs),
    "maximum": (lambda x, y, p, s: y + s * (1 + p) / 2, None),
    "minimum": (lambda x, y, p, s: x - s * (1 + p) / 2, None),
}


def around(points, half):
    """Returns the points, the doubles next to them, and further points that approach each point from both sides."""
    steps = np.geomspace(1e-12, 1, 500) * half
    near = [np.nextafter(points, -half), points, np.nextafter(points, half)]
    near += [point + sign * steps for point in points for sign in (-1, 1)]
    return np.clip(np.concatenate(near), -half, half)


@pytest.mark.parametrize("case", STATED)
@pytest.mark.parametrize("name", BY_STEPS)
def test_no_function_of_the_sign_leaves_its_stated_error(name, case):
    half, error, gap = STATED[case]
    if name not in ("sign", "compare"):
        gap = None
    found = steps_for(name, half, error, gap)
    width = found.gap * half
    count = POINTS if case == "the default" or FULL else POINTS // 20
    d = np.concatenate([inside((-half, half), count), around(np.array([0.0, -width, width, -half, half]), half)])
    y = RNG.uniform(-half, half, d.size)
    computed, wanted = BY_STEPS[name]
    x = d if wanted else d + y
    result = computed(x, y, found.values(d / half), d)
    expected = wanted(d) if wanted else getattr(np, name)(x, y)
    off = np.abs(result - expected)
    if name in ("sign", "compare"):
        assert off[np.abs(d) >= width].max() <= SHARE * error
        assert result.min() >= expected.min() - SHARE * error
        assert result.max() <= expected.max() + SHARE * error
    else:
        assert off.max() <= SHARE * error
    assert (np.abs(d) == half).sum() >= 4  # both ends are among the points


def test_a_bound_on_a_series_is_above_it_and_close():
    for degree in (1, 5, 40):
        c = RNG.uniform(-1, 1, degree + 1)
        most = np.abs(np.polynomial.chebyshev.chebval(np.linspace(-1, 1, 40001), c)).max()
        assert most <= largest(c) <= 1.01 * most


@pytest.fixture(scope="module")
def party():
    ctx = rf.Context(depth=7, magnitude=8, n=8192, insecure="a test")
    return ctx, ctx.keygen()


@pytest.fixture(scope="module")
def deep():
    ctx = rf.Context(depth=12, magnitude=1, n=8192, insecure="a test")
    return ctx, ctx.keygen(rotations=[1])


@pytest.mark.parametrize("name", SMOOTH)
def test_encrypted_values_are_within_the_stated_error(party, name):
    ctx, keys = party
    function = FUNCTIONS[name]
    values = inside(function.domain, 4096)
    x = ctx.encrypt(values, keys).assume(low=function.domain[0], high=function.domain[1])
    y = getattr(rf, name)(x)
    assert np.abs(y.decrypt(keys) - function.values(values)).max() <= function.error
    assert 2.0 ** -(y.precision_bits + 1) <= 1.01 * function.error
    assert x.depth_left - y.depth_left == functions.approximation(name, function.domain, 0.45 * function.error).levels


VALUES = RNG.uniform(-0.5, 0.5, 4096)
OTHERS = RNG.uniform(-0.5, 0.5, 4096)
VALUES[:3], OTHERS[:3] = (-0.5, 0.5, 0), (0.5, -0.5, 0)
STEPS = {
    "sign": (lambda x, y: rf.sign(x), np.sign(VALUES), np.abs(VALUES) >= 1 / 32),
    "relu": (lambda x, y: rf.relu(x), np.maximum(VALUES, 0), slice(None)),
    "abs": (lambda x, y: rf.abs(x), np.abs(VALUES), slice(None)),
    "maximum": (rf.maximum, np.maximum(VALUES, OTHERS), slice(None)),
    "minimum": (rf.minimum, np.minimum(VALUES, OTHERS), slice(None)),
    "compare": (rf.compare, VALUES > OTHERS, np.abs(VALUES - OTHERS) >= 1 / 32),
}


@pytest.mark.parametrize("name", STEPS)
def test_encrypted_steps_are_within_the_stated_error(deep, name):
    ctx, keys = deep
    function, expected, where = STEPS[name]
    x, y = (ctx.encrypt(values, keys, magnitude=0.5) for values in (VALUES, OTHERS))
    z = function(x, y)
    found = z.decrypt(keys)
    assert np.abs(found - expected)[where].max() <= 0.01
    assert found.min() >= np.min(expected) - 0.01
    assert found.max() <= np.max(expected) + 0.01
    product = name not in ("sign", "compare")
    assert x.depth_left - z.depth_left == steps_for(name, 1.0, 0.01).levels + product


def test_numpys_names_take_the_interval_that_the_array_guarantees(party, deep):
    ctx, keys = party
    values = inside((0.5, 3.0), 100)
    x = ctx.encrypt(values, keys).assume(low=0.5, high=3)
    for function in (np.exp, np.log, np.tanh, np.sqrt, np.reciprocal):
        np.testing.assert_allclose(function(x).decrypt(keys), function(values), atol=1e-3)
    ctx, keys = deep
    y = ctx.encrypt(VALUES, keys, magnitude=0.5)
    for result, expected in (
        (np.abs(y), np.abs(VALUES)),
        (abs(y), np.abs(VALUES)),
        (np.maximum(y, 0.25), np.maximum(VALUES, 0.25)),
        (np.minimum(0.25, y), np.minimum(VALUES, 0.25)),
    ):
        np.testing.assert_allclose(result.decrypt(keys), expected, atol=1e-2)


def test_slots_without_an_element_harm_no_result(party):
    """The logarithm has no value at zero. Therefore assume() fills unused slots with the middle of the interval."""
    ctx, keys = party
    values = RNG.uniform(0.5, 3, (3, 5))
    x = ctx.encrypt(values, keys).assume(low=0.5, high=3)
    np.testing.assert_allclose(rf.log(x, (0.5, 3)).sum(axis=0).decrypt(keys), np.log(values).sum(axis=0), atol=1e-2)
    z = rf.sigmoid(ctx.encrypt(values, keys))
    np.testing.assert_allclose(z.sum(axis=1).decrypt(keys), (1 / (1 + np.exp(-values))).sum(axis=1), atol=1e-2)


def test_a_function_clears_unused_slots_while_it_maps_its_domain(party):
    """A sum leaves values in unused slots. assume() consumes a level to clear them. A function that maps its domain
    clears these slots, too, and does not need the level of assume()."""
    ctx, keys = party
    values = RNG.uniform(-1, 1, (3, 5))
    rows = ctx.encrypt(values, keys).sum(axis=1)
    assumed = rows.assume(low=-5, high=6)
    assert assumed.depth_left == rows.depth_left - 1
    y = rf.sigmoid(assumed, (-5, 6))
    assert rows.depth_left - y.depth_left == functions.approximation("sigmoid", (-5.0, 6.0), 0.45e-3).levels
    np.testing.assert_allclose(y.decrypt(keys), 1 / (1 + np.exp(-values.sum(axis=1))), atol=1e-3)
    moved = (rows + 6).assume(low=1, high=11)
    np.testing.assert_allclose(np.log(moved).decrypt(keys), np.log(values.sum(axis=1) + 6), atol=1e-3)


def test_a_polynomial_of_ones_own_is_evaluated_in_the_fewest_levels(party):
    ctx, keys = party
    values = inside((-3.0, 3.0), 4096)
    x = ctx.encrypt(values, keys).assume(magnitude=3)
    sine = np.polynomial.Chebyshev.interpolate(np.sin, 15, domain=[-3, 3])
    y = rf.polynomial(x, sine)
    np.testing.assert_allclose(y.decrypt(keys), sine(values), atol=1e-5)
    assert x.depth_left - y.depth_left == 5
    cubic = np.polynomial.Polynomial([0.5, -1, 0, 0.25])
    z = rf.polynomial(x, cubic)
    np.testing.assert_allclose(z.decrypt(keys), cubic(values), atol=1e-4)
    assert x.depth_left - z.depth_left == 2
    shifted = np.polynomial.Polynomial([0.5, -1, 0.25], domain=[0, 4])
    np.testing.assert_allclose(rf.polynomial(x, shifted).decrypt(keys), shifted(values), atol=1e-4)
    with pytest.raises(InvalidArgument, match=r"domain -2 \.\. 2"):
        rf.polynomial(x, np.polynomial.Chebyshev([0, 1], [-2, 2]))
    for wrong in (
        np.polynomial.Hermite([0, 1]),
        [0, 1],
        np.polynomial.Chebyshev([0, 1j]),
        np.polynomial.Chebyshev([1], [0, 1], [0, 1]),
    ):
        with pytest.raises(InvalidArgument, match="series"):
            rf.polynomial(x, wrong)


def test_probabilities_of_a_logistic_model_need_one_context_and_no_trial():
    records, weights = RNG.uniform(-3, 3, (100, 30)), RNG.uniform(-0.15, 0.15, 30)

    def probabilities(x):
        return rf.sigmoid((x @ weights + 0.25).assume(magnitude=14), domain=(-14, 14), error=1e-2)

    plan = rf.plan(probabilities, rf.like(records.shape, magnitude=3), precision=5)
    ctx = plan.context()
    keys = ctx.keygen(plan)
    found = probabilities(ctx.encrypt(records, keys, magnitude=3)).decrypt(keys)
    assert np.abs(found - 1 / (1 + np.exp(-(records @ weights + 0.25)))).max() <= 1e-2


def test_a_plan_for_a_function_has_the_bits_of_its_error():
    plan = rf.plan(lambda x: rf.sigmoid(x.assume(magnitude=8), error=1e-2), rf.like((4,), magnitude=16), precision=5)
    assert 5 <= plan.precision_bits < 8
    with pytest.raises(Unsupported, match=r"but some do with .*precision=\d"):
        rf.plan(lambda x: rf.sigmoid(x, error=1e-2), rf.like((4,), magnitude=8), precision=20)


def test_debug_compares_with_the_function_in_the_clear(party):
    ctx, keys = party
    with rf.debug(keys):
        x = ctx.encrypt([1.0, 2.0], keys)
        assert rf.sigmoid(x)._clear is not None
        x._clear = x._clear + 1
        with pytest.raises(BoundViolated, match="tanh"):
            rf.tanh(x)


REFUSED = {
    "a domain that is not guaranteed": (InvalidArgument, lambda x: rf.sigmoid(x, (-4, 4)), r"x\.assume\(magnitude=4\)"),
    "a positive domain": (InvalidArgument, lambda x: rf.log(x), r"x\.assume\(low=0\.5, high=8\)"),
    "a logarithm of zero": (InvalidArgument, lambda x: np.log(x), r"x\.assume\(low=0\.5\)"),
    "too few levels": (
        DepthExhausted,
        lambda x: rf.relu(x, (-8, 8)),
        r"ringfort\.relu needs 16 levels.*Context\(depth=16\)",
    ),
    "a degree above the limit": (Unsupported, lambda x: rf.tanh(x, (-1e4, 1e4)), "smaller domain"),
    "values above every double": (Unsupported, lambda x: rf.exp(x, (-800, 800), error=1), "smaller domain"),
    "a degree below the limit": (Unsupported, lambda x: rf.exp(x, (-8, 8), error=1e-7), "^no polynomial .* is proven"),
    "a guessed degree": (Unsupported, lambda x: np.tanh(x * 8), r"ringfort\.tanh\(x, domain"),
    "no interval": (InvalidArgument, lambda x: rf.exp(x, (1, 0)), "low of the domain is not below high; give domain"),
    "no number as an end": (
        InvalidArgument,
        lambda x: rf.exp(x, (float("nan"), 1)),
        "an end is not a finite number; give",
    ),
    "an infinite end": (InvalidArgument, lambda x: rf.exp(x, (0, float("inf"))), "an end is not a finite number; give"),
    "no numbers": (InvalidArgument, lambda x: rf.exp(x, "ab"), "two finite numbers"),
    "numbers that no double has": (InvalidArgument, lambda x: rf.exp(x, (0, 10**400)), "two finite numbers"),
    "a sign of such numbers": (InvalidArgument, lambda x: rf.sign(x, (-(10**400), 10**400)), "two finite numbers"),
    "a comparison of such numbers": (InvalidArgument, lambda x: rf.compare(x, x, (0, 10**400)), "two finite numbers"),
    "an error below that of doubles": (Unsupported, lambda x: rf.sign(x, (-8, 8), error=1e-12), "larger error"),
    "a gap below that of doubles": (Unsupported, lambda x: rf.relu(x, (-8, 8), error=1e-300), "larger error"),
    "an error of zero": (InvalidArgument, lambda x: rf.exp(x, error=0), "above zero"),
    "a gap as wide as the domain": (InvalidArgument, lambda x: rf.sign(x, (-8, 8), gap=8), "gap"),
    "a sign of a positive domain": (InvalidArgument, lambda x: rf.sign(x, (1, 8)), "-high, high"),
    "plain values": (InvalidArgument, lambda x: rf.sigmoid([1.0]), "NumPy"),
    "a quotient": (Unsupported, lambda x: 1 / x, r"ringfort\.inverse"),
    "a maximum of all": (Unsupported, lambda x: np.max(x), "relu"),
    "another function": (Unsupported, lambda x: np.sin(x), r"Chebyshev\.interpolate\(numpy\.sin, "),
}


def test_the_bounds_that_a_refused_maximum_proposes_suffice(party):
    ctx, keys = party
    x, y = ctx.encrypt([0.4, -0.3], keys), ctx.encrypt([-0.2, 0.1], keys)
    with pytest.raises(InvalidArgument, match=r"x\.assume\(magnitude=0\.5\) and y\.assume\(magnitude=0\.5\)"):
        rf.maximum(x, y)
    found = rf.maximum(x.assume(magnitude=0.5), y.assume(magnitude=0.5), error=0.1).decrypt(keys)
    np.testing.assert_allclose(found, [0.4, 0.1], atol=0.1)


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_what_to_do(party, name):
    ctx, keys = party
    error, function, message = REFUSED[name]
    with pytest.raises(error, match=message):
        function(ctx.encrypt([1.0, 2.0], keys))


@pytest.mark.parametrize("name", ["compare", "maximum", "minimum"])
def test_two_operands_in_the_clear_are_refused(name):
    for operands in ((1, 2), (np.ones(2), [2.0, 3.0])):
        with pytest.raises(InvalidArgument, match=f"ringfort.{name} was given no encrypted array"):
            getattr(rf, name)(*operands)


def test_integers_complex_numbers_and_arrays_without_keys_are_refused():
    for context in (
        rf.Context("int", depth=1, range=(0, 9), n=2048, insecure="a test"),
        rf.Context("complex", depth=1, n=2048, insecure="a test"),
    ):
        with pytest.raises(Unsupported, match="real numbers"):
            rf.sigmoid(context.encrypt([1, 2], context.keygen()))
    secure = rf.Context(depth=2, magnitude=1)
    bare = pickle.loads(pickle.dumps(secure.encrypt([1.0], secure.keygen(rotations=[]))))
    with pytest.raises(KeyMissing, match="relinearization"):
        rf.sigmoid(bare, (-1, 1), 0.1)


def test_an_error_below_the_noise_is_refused_with_one_that_can_be_kept():
    ctx = rf.Context(depth=4, magnitude=1, precision=4, n=4096, insecure="a test")
    x = ctx.encrypt([1.0, 0.5], ctx.keygen(rotations=[]))
    with pytest.raises(
        NoiseBoundExceeded, match=r"ringfort\.sigmoid: with the noise.*give error=.*Context\(precision"
    ) as refused:
        rf.sigmoid(x, (-1, 1), 1e-8)
    kept = float(re.search(r"give error=([\de.-]+)", str(refused.value))[1])
    assert 2.0 ** -(rf.sigmoid(x, (-1, 1), kept).precision_bits + 1) <= 1.01 * kept


def test_the_page_states_what_the_code_does():
    page = (Path(__file__).parents[2] / "docs/functions.md").read_text("utf-8")
    rows = re.findall(
        r"^\| `(\w+)` \| (-?[\d.]+) \.\. ([\d.]+) \| ([\de.-]+) \| ([\d, ]+) \| (\d+) \|$", page, re.MULTILINE
    )
    stated = {
        name: (float(low), float(high), float(error), degrees, int(levels))
        for name, low, high, error, degrees, levels in rows
    }
    actual = {}
    for name, function in FUNCTIONS.items():
        found = functions.approximation(name, function.domain, 0.45 * function.error)
        actual[name] = (*function.domain, function.error, str(found.degree), found.levels)
    for name in STEPS:
        found = steps_for(name, 1.0, 1e-2)
        degrees = ", ".join(map(str, found.degrees))
        actual[name] = (-1.0, 1.0, 1e-2, degrees, found.levels + (name not in ("sign", "compare")))
    assert stated == actual


def test_correlations_as_in_the_documentation_keep_their_bits():
    page = (Path(__file__).parents[2] / "docs" / "functions.md").read_text()
    recipe = page.partition("```python\nvariance = ")[2].partition("```")[0]
    ctx = rf.Context(depth=12, magnitude=1, n=2048, insecure="a test")
    keys = ctx.keygen()
    rows = np.random.default_rng(3).uniform(-1, 1, (4, 40))
    given = {"x": ctx.encrypt(rows, keys), "np": np, "rf": rf}
    exec("variance = " + recipe, given)
    assert np.abs(given["correlations"].decrypt(keys) - np.corrcoef(rows)).max() < 2.0**-6
    assert given["correlations"].precision_bits > 6


def test_broadcasting_before_a_function_keeps_its_bits():
    ctx = rf.Context(depth=10, magnitude=1, n=2048, insecure="a test")
    keys = ctx.keygen()
    x = ctx.encrypt(np.linspace(0.1, 1, 4), keys).assume(low=0.1, high=1)
    after = np.broadcast_to(rf.sqrt(x, domain=(0.1, 1)), (64, 4))
    before = rf.sqrt(np.broadcast_to(x, (64, 4)).assume(low=0.1, high=1), domain=(0.1, 1))
    assert abs(before.precision_bits - after.precision_bits - np.log2(64)) < 0.1
