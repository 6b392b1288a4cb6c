# SPDX-License-Identifier: Apache-2.0
"""Tests bounds that the user promises with ``assume``: what they allow, what is refused, and that decrypt detects a
false promise. A bound that comes only from a file is a claim. Whoever loads the file may distrust it.
"""

import copy
import re

import numpy as np
import pytest

import ringfort as rf
from ringfort.encrypted.context.context import PublicKeys
from ringfort.errors import BoundViolated, DepthExhausted, InvalidArgument, ParametersMismatch, Unsupported

RNG = np.random.default_rng(16)
VALUES = RNG.uniform(-3, 3, (3, 5))


@pytest.fixture(scope="module")
def party():
    ctx = rf.Context(depth=2, magnitude=16, n=2048, insecure="a test")
    return ctx, ctx.keygen()


def test_a_promised_magnitude_is_carried_and_keeps_more_bits_of_products(party):
    ctx, keys = party
    x = ctx.encrypt(VALUES, keys)
    assumed = x.assume(magnitude=3)
    assert (x.magnitude, assumed.magnitude, assumed.depth_left) == (16, 3, 2)
    assert (assumed * assumed).precision_bits > (x * x).precision_bits + 2
    np.testing.assert_allclose((assumed * assumed).decrypt(keys), VALUES**2, atol=1e-6)


def test_promised_ends_are_kept_by_the_array_and_forgotten_by_operations(party):
    ctx, keys = party
    x = ctx.encrypt(np.abs(VALUES) + 1, keys).assume(low=0.5).assume(high=8)
    assert x._domain == (0.5, 8)
    assert x.magnitude == 8
    assert x.to("ref").to("cpu")._domain == (0.5, 8)
    assert (x + 1)._domain is None
    np.testing.assert_allclose(x.decrypt(keys), np.abs(VALUES) + 1, atol=1e-5)


def test_unused_slots_keep_the_promise_too(party):
    ctx, keys = party
    rows = ctx.encrypt(VALUES, keys).sum(axis=1)
    assert rows.magnitude > 16
    assumed = rows.assume(magnitude=14)
    assert assumed.depth_left == rows.depth_left - 1  # the mask that clears values in unused slots takes a level
    np.testing.assert_allclose(assumed.decrypt(keys), VALUES.sum(axis=1), atol=1e-4)
    # The elements break this promise. The unused slots must keep it: they hold the middle of the interval.
    shifted = ctx.encrypt(np.abs(VALUES), keys).assume(low=2, high=4)
    every = np.concatenate(
        [shifted._session.on.decrypt(keys.secret_for(shifted._session), b) for b in shifted._packed.ciphertexts]
    )
    used = shifted._packed.layout.pack(np.ones(VALUES.size)).reshape(-1) > 0
    np.testing.assert_allclose(every[~used], 3, atol=1e-4)


def test_decrypt_refuses_values_outside_a_false_promise(party):
    ctx, keys = party
    x = ctx.encrypt(VALUES, keys)
    for false in (x.assume(magnitude=0.5), x.assume(low=0), x.assume(high=1)):
        with pytest.raises(BoundViolated) as refused:
            false.decrypt(keys)
        assert not any(str(value) in str(refused.value) for value in VALUES.flat)


def test_debug_sees_a_false_promise_at_once(party):
    ctx, keys = party
    with rf.debug(keys):
        x = ctx.encrypt(VALUES, keys)
        assert x.assume(magnitude=3)._clear is not None
        with pytest.raises(BoundViolated, match="assume"):
            x.assume(low=1)


REFUSED = {
    "no bound": ({}, "magnitude="),
    "an interval outside the known one": ({"low": 17}, "within -16 .. 16"),
    "ends in the wrong order": ({"low": 2, "high": 1}, "low is not below high; give low < high"),
    "equal ends": ({"low": 1, "high": 1}, "low is not below high; give low < high"),
    "a magnitude of zero": ({"magnitude": 0}, "above zero"),
    "text": ({"low": "1"}, "low is of type str; give low as a number"),
    "no number": ({"low": float("nan")}, "low is NaN; give low as a number in -2^100 .. 2^100"),
    "no number at the other end": ({"high": float("nan")}, "high is NaN; give high as a number in -2^100 .. 2^100"),
    "no lower end": ({"low": -float("inf")}, "low is infinite; give low as a number in -2^100 .. 2^100"),
    "no upper end": ({"high": float("inf")}, "high is infinite; give high as a number in -2^100 .. 2^100"),
    "more than a double": (
        {"low": -(10**400)},
        "low has a magnitude above 2^100; give low as a number in -2^100 .. 2^100",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_promises_are_refused(party, name):
    ctx, keys = party
    bounds, message = REFUSED[name]
    with pytest.raises(InvalidArgument, match=re.escape(message)):
        ctx.encrypt(VALUES, keys).assume(**bounds)


def test_integers_complex_numbers_and_missing_levels_are_refused(party):
    whole = rf.Context("int", depth=1, range=(0, 9), n=2048, insecure="a test")
    with pytest.raises(Unsupported, match="range"):
        whole.encrypt([1, 2], whole.keygen()).assume(magnitude=2)
    plane = rf.Context("complex", depth=1, n=2048, insecure="a test")
    z = plane.encrypt([1j, 2], plane.keygen())
    assert z.assume(magnitude=2).magnitude == 2
    with pytest.raises(InvalidArgument, match="order"):
        z.assume(low=0)
    ctx, keys = party
    last = ctx.encrypt(VALUES, keys) ** 4
    with pytest.raises(DepthExhausted, match="assume needs 1 level"):
        last.sum(axis=1).assume(magnitude=10)


def test_files_keep_the_bounds_as_claims(party):
    ctx, keys = party
    x = ctx.encrypt(np.abs(VALUES) + 0.5, keys)
    for bounded in (x.assume(low=0, high=16), x.assume(low=0.5, high=4), (x * x).assume(low=0.25, high=16)):
        stored = rf.dumps(x=bounded)
        copy = rf.loads(stored, ctx, keys=keys, allow_insecure=True)["x"]
        assert (copy.magnitude, copy._domain) == (bounded.magnitude, bounded._domain)
        assert copy.bound_is_untrusted
        assert (copy + 1).bound_is_untrusted
        assert not bounded.bound_is_untrusted
        np.testing.assert_allclose(copy.decrypt(keys), bounded.decrypt(keys), atol=1e-4)


def test_a_reader_without_trust_ignores_bounds_of_a_fresh_encryption(party):
    ctx, keys = party
    x = ctx.encrypt(VALUES, keys).assume(low=-3, high=8)
    strict = rf.loads(rf.dumps(x=x), ctx, keys=keys, allow_insecure=True, trust_bound=False)["x"]
    assert (strict.magnitude, strict._domain, strict.bound_is_untrusted) == (16, None, False)


def test_a_function_of_a_loaded_array_takes_its_domain():
    ctx = rf.Context(depth=6, magnitude=8, n=4096, insecure="a test")
    keys = ctx.keygen()
    values = np.linspace(0.5, 8, 9)
    stored = rf.dumps(x=ctx.encrypt(values, keys).assume(low=0.5, high=8))
    x = rf.loads(stored, ctx, keys=keys, allow_insecure=True)["x"]
    root = rf.sqrt(x)
    assert root.bound_is_untrusted
    assert np.abs(root.decrypt(keys) - np.sqrt(values)).max() <= 1e-3


def test_a_file_with_a_false_domain_is_refused_by_decrypt_or_at_once(party):
    ctx, keys = party
    x = ctx.encrypt(VALUES, keys)
    x._domain = (5.0, 6.0)
    claimed = rf.loads(rf.dumps(x=x), ctx, keys=keys, allow_insecure=True)["x"]
    with pytest.raises(BoundViolated):
        claimed.decrypt(keys)
    x._domain = (17.0, 18.0)
    with pytest.raises(ParametersMismatch, match="outside its magnitude"):
        rf.loads(rf.dumps(x=x), ctx, keys=keys, allow_insecure=True)
    plane = rf.Context("complex", depth=1, n=2048, insecure="a test")
    z = plane.encrypt([1j, 2], own := plane.keygen())
    z._domain = (1.0, 2.0)
    with pytest.raises(ParametersMismatch, match="not real"):
        rf.loads(rf.dumps(z=z), plane, keys=own, allow_insecure=True)


def _in_debug(ctx, keys):
    with rf.debug(keys):
        return ctx.encrypt(VALUES, keys)


def _with_columns(ctx, keys):
    x = ctx.encrypt(VALUES, keys)
    x._labels = tuple("abcde")
    return x


CARRIED = {
    "_clear": _in_debug,
    "_domain": lambda ctx, keys: ctx.encrypt(VALUES, keys).assume(low=-3, high=4),
    "_interval": lambda ctx, keys: _of_integers(),
    "_labels": _with_columns,
    "_source": lambda ctx, keys: ctx.encrypt(VALUES, keys).T,
    "_uncleared": lambda ctx, keys: ctx.encrypt(VALUES, keys).sum(axis=1).assume(magnitude=15),
}
COPIES = {
    "to": lambda x: x.to("ref"),
    "cpu": lambda x: x.to("ref").cpu(),
    "with_keys": lambda x: x.with_keys(PublicKeys(x._session.keys.context, None, None, None)),
    "copy": lambda x: copy.deepcopy(copy.copy(x.copy())),
}


def _of_integers():
    ctx = rf.Context("int", depth=1, range=(-3, 3), n=2048, insecure="a test")
    return ctx.encrypt([1, 2], ctx.keygen()) + 1


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("name", CARRIED)
def test_copies_on_devices_and_under_keys_carry_all_that_an_array_has(party, name, way):
    assert {*CARRIED, "_session", "_shape", "_packing"} == set(rf.EncryptedArray.__slots__)
    x = CARRIED[name](*party)
    there = COPIES[way](x)
    kept, found = getattr(x, name), getattr(there, name)
    assert kept is not None
    if name == "_source":
        kept, found = kept._packed, found._packed
    if name in ("_source", "_uncleared"):
        assert (kept.layout, kept.unused, len(kept.ciphertexts)) == (found.layout, found.unused, len(found.ciphertexts))
    else:
        assert np.array_equal(kept, found)
        assert type(kept) is type(found)
    assert (there.shape, there.depth_left, there.precision_bits) == (x.shape, x.depth_left, x.precision_bits)


def test_a_function_regains_the_level_of_assume_on_every_device_and_under_more_keys():
    ctx = rf.Context(depth=6, n=1024, insecure="a test", magnitude=4)
    keys = ctx.keygen()
    x = ctx.encrypt(VALUES / 6, keys).sum(axis=1).assume(magnitude=4)
    left = rf.sigmoid(x, domain=(-4, 4), error=3e-2).depth_left
    for other in (x.to("ref"), x.to("ref").cpu(), x.with_keys(keys.extend(rotations=[3]).public)):
        assert rf.sigmoid(other, domain=(-4, 4), error=3e-2).depth_left == left
