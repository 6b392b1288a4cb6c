# SPDX-License-Identifier: Apache-2.0
"""Tests arrays and keys on two devices. Counts uploads and downloads. Results must equal those of one device."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np
import pytest

import ringfort as rf

RNG = np.random.default_rng(17)


@pytest.fixture(scope="module", params=["real", "int"])
def party(request):
    ctx = rf.Context(request.param, depth=1, device="cpu", **{"int": {"modular": True}}.get(request.param, {}))
    return ctx, ctx.keygen(rotations=[1])


class Moves:
    """Counts uploads and downloads of both devices inside ``with``."""

    def __init__(self, ctx):
        self._ctx = ctx

    def __enter__(self):
        self._stack = ExitStack()
        self._seen = {name: self._stack.enter_context(self._ctx.profile(device=name)) for name in ("cpu", "ref")}
        return self

    def __exit__(self, *reason):
        self._stack.close()

    def __call__(self, device):
        verbs = [record.verb for record in self._seen[device].records]
        return verbs.count("upload"), verbs.count("download")


def values(ctx):
    return RNG.integers(-5, 6, 4) if ctx.dtype.kind == "i" else RNG.random(4)


def test_an_array_is_copied_to_a_device_at_its_first_use(party):
    ctx, keys = party
    clear = values(ctx)
    x = ctx.encrypt(clear, keys)
    with Moves(ctx) as moves:
        there = x.to("ref")
        assert there.device == "ref"
        assert there.cpu().device == "cpu"
        assert moves("ref") == moves("cpu") == (0, 0)
        doubled, again = there + there, there - x.to("ref")
        assert moves("ref") == (1, 0)
        assert moves("cpu") == (0, 1)
        same = there.cpu() + x
        assert (moves("ref"), moves("cpu")) == ((1, 0), (0, 1)), "unchanged words were moved back"
        home = doubled.cpu()
        assert moves("ref") == (1, 0)
    np.testing.assert_array_equal(home.decrypt(keys), same.decrypt(keys))
    np.testing.assert_allclose(again.decrypt(keys), 0 * clear, atol=1e-5)


def test_keys_are_copied_to_the_device_of_their_arrays_once(party):
    ctx, keys = party
    x = ctx.encrypt(values(ctx), keys).to("ref")
    square = x * x
    with Moves(ctx) as moves:
        for _ in range(3):
            square = x * x
        assert moves("ref") == (0, 0), "the array or its relinearization key was copied again"
    assert square.device == "ref"
    assert {ciphertext.device for ciphertext in square._packed.ciphertexts} == {"ref"}


def test_an_array_assigned_to_a_device_is_saved_without_a_copy(party, tmp_path):
    ctx, keys = party
    x = ctx.encrypt(values(ctx), keys)
    there = x.to("ref")
    with Moves(ctx) as moves:
        rf.save(tmp_path / "x.rf", x=there)
        assert moves("ref") == (0, 0)
        assert moves("cpu")[0] == 0
    loaded = rf.load(tmp_path / "x.rf", ctx, keys=keys)["x"]
    np.testing.assert_array_equal(loaded.decrypt(keys), x.decrypt(keys))


def test_an_original_may_be_freed_before_its_copy_on_a_device_is_used(party):
    ctx, keys = party
    clear = values(ctx)
    x = ctx.encrypt(clear, keys)
    expected = (x + x).decrypt(keys)
    x = x.to("ref")
    np.testing.assert_array_equal((x + x).cpu().decrypt(keys), expected)
    x = x.cpu()
    np.testing.assert_array_equal((x + x).decrypt(keys), expected)
