# SPDX-License-Identifier: Apache-2.0
"""Tests integers with a declared range. The results that a context guarantees must be exact, and must not be refused. A
result that may exceed the modulus must be refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ringfort as rf
from ringfort import errors
from ringfort.encrypted.array import ranges

SMALL = {"n": 1024, "insecure": "a test of ranges"}
PROMISES = [(1, (-300, 300)), (2, (0, 40)), (3, (-3, 7)), (0, (-(10**6), 5)), (2, (-1000, -900))]
PARTIES = {}


def party(promise):
    if promise not in PARTIES:
        depth, interval = promise
        ctx = rf.Context("int", depth=depth, range=interval, **SMALL)
        PARTIES[promise] = ctx, ctx.keygen(rotations=[])
    return PARTIES[promise]


def tree(grow, levels, random):
    """Returns an array that is the result of at most ``levels`` successive products, and its values in the clear."""
    if levels == 0 or random.random() < 0.2:
        return grow()
    a, x = tree(grow, levels - 1, random)
    b, y = (a, x) if random.random() < 0.4 else tree(grow, levels - 1, random)
    return a * b, x * y


@pytest.mark.parametrize("promise", PROMISES, ids=str)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_guaranteed_products_and_sums_of_four_are_accepted_and_exact(promise, seed):
    (ctx, keys), (depth, (low, high)) = party(promise), promise
    random = np.random.default_rng(seed)

    def grow():
        values = random.integers(low, high + 1, 64)
        values[:2] = low, high
        return ctx.encrypt(values, keys), values

    (a, x), (b, y), (c, z), (d, w) = [tree(grow, depth, random) for _ in range(4)]
    np.testing.assert_array_equal((a + b - c + d).decrypt(keys), x + y - z + w)
    np.testing.assert_array_equal((a + a - (-a) + a).decrypt(keys), 4 * x)
    full, values = grow()
    for k in range(1, 2**depth):  # other trees of products, at other levels
        terms, wanted = full + full**k - full ** (2**depth) + full ** (k + 1), values + values**k + values ** (k + 1)
        np.testing.assert_array_equal(terms.decrypt(keys), wanted - values ** (2**depth))
    np.testing.assert_array_equal((4 * full ** (2**depth)).decrypt(keys), 4 * values ** (2**depth))


@pytest.mark.parametrize("promise", PROMISES, ids=str)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_no_sequence_of_operations_wraps_around(promise, seed):
    (ctx, keys), (_, (low, high)) = party(promise), promise
    random = np.random.default_rng(seed)
    x = random.integers(low, high + 1, 8).astype(object)
    x[:2] = low, high
    a = ctx.encrypt(x.astype(np.int64), keys)
    steps = [
        lambda a, x: (a + a, x + x),
        lambda a, x: (a * a, x * x),
        lambda a, x: (a - 12345, x - 12345),
        lambda a, x: (a * 2**40, x * 2**40),
        lambda a, x: (1 - a, 1 - x),
        lambda a, x: (a**3, x**3),
        lambda a, x: (np.concatenate([a[:4], [10**15]]), np.concatenate([x[:4], [10**15]])),
        lambda a, x: (np.where([True] * 7 + [False], a, 10**12), np.where([True] * 7 + [False], x, 10**12)),
        lambda a, x: (a * np.arange(-4, 4) * 9999, x * np.arange(-4, 4) * 9999),
    ]
    try:
        for choice in random.integers(0, len(steps), 5):
            a, x = steps[choice](a, x) if x.size == 8 else steps[0](a, x)
            np.testing.assert_array_equal(a.decrypt(keys), x.astype(np.int64))
    except (errors.RangeExceeded, errors.DepthExhausted, errors.NoiseBoundExceeded, errors.KeyMissing):
        return


SUMS = {
    "all": lambda a, b: a.sum(),
    "columns": lambda a, b: np.sum(a, 0),
    "rows": lambda a, b: a.sum(axis=1),
    "a plain vector": lambda a, b: a @ np.ones(8, int),
    "a plain matrix": lambda a, b: a @ np.ones((8, 8), int),
    "a plain matrix on the left": lambda a, b: np.ones((8, 8), int) @ a,
    "an encrypted matrix": lambda a, b: a @ b,
    "an encrypted vector": lambda a, b: a[0] @ b,
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_that_may_wrap_around_are_refused_and_smaller_ones_are_exact(name):
    if "summands" not in PARTIES:
        ctx = rf.Context("int", depth=3, range=(-50, 50), **SMALL)
        PARTIES["summands"] = ctx, ctx.keygen()
    ctx, keys = PARTIES["summands"]
    values = np.full((8, 8), 50)
    a, b = ctx.encrypt(values, keys), ctx.encrypt(values, keys)
    np.testing.assert_array_equal(SUMS[name](a, b).decrypt(keys), SUMS[name](values, values))
    half = (ctx.plain_modulus - 1) // 2
    large = a * (half // (50 * 50 if "encrypted" in name else 50))  # each summand fits, but the sum does not
    with pytest.raises(errors.RangeExceeded):
        SUMS[name](large, b)


CLAIMED = {
    "sum of two": lambda a, b: b + a,
    "difference": lambda a, b: a - b,
    "product": lambda a, b: b * a,
    "power": lambda a, b: a**2,
    "a plain number": lambda a, b: 3 - a * 2,
    "an index": lambda a, b: a[:2],
    "a shape": lambda a, b: a.reshape(2, 8).T,
    "a total": lambda a, b: a.sum(),
    "a sum": lambda a, b: a.sum(0),
    "a plain matrix": lambda a, b: np.ones((4, 4), int) @ a,
    "an encrypted matrix": lambda a, b: b @ a,
    "joined arrays": lambda a, b: np.concatenate([b, a]),
    "joined with plain values": lambda a, b: np.stack([a, np.ones((4, 4), int)]),
    "a choice": lambda a, b: np.where(np.eye(4, dtype=bool), b, a),
}


@pytest.mark.parametrize("name", CLAIMED)
def test_results_of_an_untrusted_range_are_untrusted(name):
    if "claims" not in PARTIES:
        ctx = rf.Context("int", depth=2, range=(-9, 9), **SMALL)
        PARTIES["claims"] = ctx, ctx.keygen()
    ctx, keys = PARTIES["claims"]
    own, claim = ctx.encrypt(np.eye(4, dtype=int), keys), ctx.encrypt(np.eye(4, dtype=int), keys)
    claim = claim._derived(claim.shape, claim._packed, ranges.untrusted(claim._interval, ctx.plain_modulus))
    assert isinstance(CLAIMED[name](claim, own)._interval, ranges.UntrustedInterval)
    assert not isinstance(CLAIMED[name](own, own)._interval, ranges.UntrustedInterval)


def test_integers_without_a_meaning_are_refused_and_residues_wrap_on_request():
    with pytest.raises(errors.InvalidArgument, match="without a range") as caught:
        rf.Context("int", depth=1)
    assert "modular=True" in caught.value.fix
    ctx = rf.Context("int", depth=1, modular=True, **SMALL)
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([300], keys)
    assert (x * x).decrypt(keys) == [24463]
    assert "modulo 65537" in str(ctx.explain())
    assert rf.Context.preset("bgv-8192").plain_modulus == ctx.plain_modulus == 65537


def test_range_and_depth_determine_the_modulus():
    moduli = [rf.Context("int", depth=d, range=(-100, 100), **SMALL).plain_modulus for d in (0, 1, 2)]
    assert moduli[0] == 65537
    assert "values         -7 .. 9, modulo 65537" in str(rf.Context("int", depth=1, range=(-7, 9), **SMALL).explain())
    for depth, t in enumerate(moduli):
        assert t > 8 * 100 ** (2**depth)
    for depth, interval, told in (
        (6, (0, 300), r"depth=5 or a range within -\d+ \.\. \d+"),
        (60000, (0, 2), r"depth=8 or a range within -1 \.\. 1"),
        (0, (0, 2**399), r"take a range within -2\^\d+ \.\."),
    ):
        with pytest.raises(errors.Unsupported, match=told):
            rf.Context("int", depth=depth, range=interval, **SMALL)


def test_results_that_exceed_a_chosen_modulus_are_refused():
    with pytest.raises(errors.InvalidArgument, match="65537"):
        rf.Context("int", depth=1, range=(0, 40000), plain_modulus=65537, **SMALL)
    ctx = rf.Context("int", depth=1, range=(0, 300), plain_modulus=65537, **SMALL)
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([300], keys)
    with pytest.raises(errors.RangeExceeded) as caught:
        _ = x * x
    wider = int(caught.value.fix.rsplit("=", 1)[1])
    ctx = rf.Context("int", depth=1, range=(0, 300), plain_modulus=wider, **SMALL)
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([300], keys)
    assert (x * x).decrypt(keys) == [90000]


def test_the_range_of_keys_holds_in_an_equal_context_without_one():
    ctx = rf.Context("int", depth=1, range=(-50, 50))
    same = rf.Context("int", depth=1, modular=True, plain_modulus=ctx.plain_modulus)
    assert same == ctx
    keys = ctx.keygen(rotations=[]).public
    with pytest.raises(errors.InvalidArgument, match=r"outside -50 \.\. 50"):
        same.encrypt([51], keys)
    x = same.encrypt([30000], same.keygen(rotations=[]))
    with pytest.raises(errors.RangeExceeded):  # any residue times 3 may wrap around
        x.with_keys(keys) * 3
