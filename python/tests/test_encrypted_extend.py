# SPDX-License-Identifier: Apache-2.0
"""Tests the addition of rotation keys under the same secret key, and the id of a key set."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors

VALUES = {"f": np.arange(8.0) / 8, "c": np.arange(8) * 1j / 8, "i": np.arange(8)}


@pytest.fixture(scope="module", params=["real", "complex", "int", "bfv"])
def party(request):
    options = {"int": {"modular": True}, "bfv": {"modular": True, "scheme": "bfv"}}.get(request.param, {})
    ctx = rf.Context("int" if request.param == "bfv" else request.param, depth=1, n=8192, **options)
    keys = ctx.keygen(rotations=[1])
    return ctx, keys, ctx.encrypt(VALUES[ctx.dtype.kind], keys), VALUES[ctx.dtype.kind]


def steps(keys):
    return list(keys.public._galois.plan.steps)


def test_one_more_rotation_works_on_arrays_from_before(party, tmp_path):
    _, keys, x, values = party
    with pytest.raises(errors.KeyMissing, match=r"rotations by \[-2, 6\].*keys\.extend\(rotations=\[-2, 6\]\)"):
        np.roll(x, 2)
    more = keys.extend(rotations=[-2, 6])
    assert steps(more) == [-2, 1, 6]
    rf.save(tmp_path / "server.rfc", x=x, keys=more.public)
    server = rf.load(tmp_path / "server.rfc")
    for array in (x.with_keys(more.public), server["x"]):
        moved = np.roll(array, 2)
        for owner in (keys, more):
            np.testing.assert_allclose(moved.decrypt(owner), np.roll(values, 2), atol=1e-4)
    assert steps(keys) == [1]


def test_arrays_of_both_sets_meet_and_the_kept_keys_are_the_same_words(party):
    ctx, keys, x, values = party
    more = keys.extend(rotations=[4])
    y = ctx.encrypt(values, more)
    np.testing.assert_allclose((x + y).decrypt(keys), 2 * values, atol=1e-4)
    np.testing.assert_allclose((x * y).decrypt(more), values * values, atol=1e-3)
    encoded = [
        rf._core.files.encode_key(ctx._scopes.per_modulus[0], each.public._galois).tobytes() for each in (keys, more)
    ]
    # Without its digest, the first file ends with the key for step 1. The second file must contain the same bytes.
    assert encoded[0][-4096:-32] in encoded[1]
    assert more.public._public is keys.public._public


def test_only_missing_keys_are_made(party):
    _, keys, _, _ = party
    told = []
    more = keys.extend(rotations=[1, 2, 3], progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]
    assert more.extend(rotations=[1, 3, 2]) is more
    whole = more.extend()
    assert set(steps(whole)) == {*whole.context.rotations_of_arrays(), 3}
    assert whole.public._galois.plan.conjugation == (keys.context.dtype.kind != "f")
    assert whole.extend() is whole
    assert whole.public.nbytes == whole.context.plan_keys(steps(whole)).galois_bytes + (
        (1 + whole.public._galois.plan.conjugation) * whole.context.plan_keys([1]).bytes_per_key
    )


def test_a_stopped_or_refused_extension_changes_nothing(party):
    _, keys, x, _ = party
    with pytest.raises(errors.Stopped):
        keys.extend(rotations=[5, 6], progress=lambda done, total: False)
    for wrong in ([], 7, [1.5], ["1"], [2**31], [keys.context.slots * 2]):
        with pytest.raises(errors.InvalidArgument):
            keys.extend(rotations=wrong)
    assert steps(keys) == [1]
    assert not hasattr(keys.public, "extend")
    with pytest.raises(errors.KeyMissing):
        np.roll(x, 2)


def test_keys_of_two_secrets_do_not_join(party):
    ctx, keys, _, _ = party
    with pytest.raises(errors.ParametersMismatch, match="two secret keys"):
        keys.public._galois.joined(ctx.keygen(rotations=[2]).public._galois)


def test_the_id_stays_through_files_pickles_devices_and_extensions(party, tmp_path):
    ctx, keys, _, _ = party
    more = keys.extend(rotations=[2])
    rf.save(tmp_path / "keys.rfc", keys=more, passphrase="w", strength=0)
    back = rf.load(tmp_path / "keys.rfc", passphrase="w")["keys"]
    unpickled = pickle.loads(pickle.dumps(keys.public))
    alike = [more.public, back.public, unpickled, keys.to("ref").public, keys.cpu().public]
    assert {each.id for each in alike} == {keys.public.id}
    assert len(keys.public.id) == 16
    assert int(keys.public.id, 16) != 0
    assert more.public.fingerprint == back.public.fingerprint != keys.public.fingerprint
    assert ctx.keygen(rotations=[]).public.id != keys.public.id


def test_an_array_tells_which_keys_it_needs(party):
    ctx, keys, x, values = party
    other = ctx.keygen(rotations=[])
    unpickled = pickle.loads(pickle.dumps(x * x))
    for array in (x, x + values, x * x, unpickled, x.to("ref")):
        assert array.key_id == keys.public.id
    assert ctx.encrypt(values, other).key_id == other.public.id
    with pytest.raises(errors.KeyMissing):
        _ = unpickled._session.keys.id


def test_save_refuses_public_keys_that_load_would_refuse(party):
    _, keys, _, _ = party
    more = keys.extend(rotations=[2])
    for owner, other in ((keys, more), (more, keys)):
        with pytest.raises(errors.ParametersMismatch, match="b belongs to the secret key of a, but has another galois"):
            rf.dumps(a=owner, b=other.public, unsealed=True)
        sealed = rf.dumps(a=owner, b=other.public, passphrase="w", strength=0)
        assert rf.loads(sealed, passphrase="w")["b"].fingerprint == other.public.fingerprint
        same = rf.dumps(a=owner, b=owner.public, unsealed=True)
        assert rf.loads(same, secrets=True)["b"].fingerprint == owner.public.fingerprint


def test_a_ledger_counts_for_the_extended_keys_too(tmp_path):
    ctx = rf.Context(depth=1, precision=10, magnitude=1, release=rf.Release(10, 2))
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([0.5], keys)
    keys.create_ledger(tmp_path / "ledger")
    more = keys.extend(rotations=[1])
    for owner in (keys, more):
        x.decrypt(owner, release=rf.Release(10, 2), ledger=tmp_path / "ledger")
    for owner in (keys, more):
        with pytest.raises(errors.ReleaseRefused):
            x.decrypt(owner, release=rf.Release(10, 2), ledger=tmp_path / "ledger")


def test_a_plan_states_the_rotations_that_its_program_lacks():
    plan = rf.plan(lambda x: np.roll(x, 2), rf.like((8,), magnitude=1))
    ctx = plan.context()
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt(VALUES["f"], keys)
    more = keys.extend(plan)
    assert set(steps(more)) == set(plan.rotations) != set()
    moved = np.roll(x.with_keys(more.public), 2)
    np.testing.assert_allclose(moved.decrypt(keys), np.roll(VALUES["f"], 2), atol=1e-4)
