# SPDX-License-Identifier: Apache-2.0
"""Tests key files that other people can change. A file must be refused if its public keys do not belong to its secret
key. A file consists of named members. A secret key covers the members whose digest it contains. If the secret key
is sealed, nobody without the passphrase can change this digest.
"""

from __future__ import annotations

import hashlib
import struct
import warnings

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors
from ringfort._core import files as core

KINDS = ("public", "relinearization", "galois")
WORDS = "four words of mine"


@pytest.fixture(scope="module", params=["real", "int"])
def party(request):
    options = {"modular": True} if request.param == "int" else {}
    ctx = rf.Context(request.param, depth=1, **options)
    return ctx, ctx.keygen(rotations=[1]), ctx.keygen(rotations=[1])


def members_of(path):
    return {name: bytes(np.asarray(data)) for name, data in core.load(str(path), 1 << 33)}


def write(path, members):
    core.save(str(path), [(name, np.frombuffer(data, np.uint8)) for name, data in members.items()])


def mended(data):
    data[-32:] = hashlib.blake2b(bytes(data[:-32]), digest_size=32).digest()
    return bytes(data)


def posing(member, identity):
    """Replaces the key id in a member by the key id of another key set."""
    data = bytearray(member)
    data[64:72] = identity
    return mended(data)


def unbound(ctx, owner, **options):
    """Encodes the secret key in the format before version 3, without a digest of the other members."""
    words, strength = options.get("passphrase", ""), options.get("strength", 1)
    return bytes(np.asarray(core.encode_secret_key(ctx._scopes.per_modulus[0], owner._secret, words, strength)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_foreign_public_part_beside_a_sealed_secret_is_refused(party, kind, tmp_path):
    ctx, owner, thief = party
    rf.save(tmp_path / "owner.rfc", keys=owner, passphrase=WORDS, strength=0)
    rf.save(tmp_path / "thief.rfc", keys=thief.public)
    members, theirs = members_of(tmp_path / "owner.rfc"), members_of(tmp_path / "thief.rfc")
    rf.load(tmp_path / "owner.rfc", ctx, passphrase=WORDS)
    members[f"keys.{kind}"] = posing(theirs[f"keys.{kind}"], members["keys.public"][64:72])
    for secret in ({}, {"keys.secret": unbound(ctx, owner, passphrase=WORDS, strength=0)}):
        write(tmp_path / "owner.rfc", members | secret)
        with pytest.raises(errors.ParametersMismatch, match=r"'keys'.*saved with"):
            rf.load(tmp_path / "owner.rfc", passphrase=WORDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_key_set_beside_a_sealed_secret_belongs_to_it_or_is_refused(party, kind, tmp_path):
    ctx, owner, thief = party
    path = tmp_path / "x.rfc"
    x = ctx.encrypt([1, 2], owner)
    for seal, given in (
        ({"passphrase": WORDS, "strength": 0}, {"passphrase": WORDS}),
        ({"unsealed": True}, {"secrets": True}),
    ):
        rf.save(path, keys=owner, a=thief.public, b=owner.public, x=x, **seal)
        found, members = rf.load(path, ctx, **given), members_of(path)
        assert found["x"]._session.keys is found["keys"].public  # not those of "a", which comes first
        members["keys.secret"] = unbound(ctx, owner, **seal)  # the secret key covers no other member
        identity = members["keys.public"][64:72]
        posed = {f"a.{each}": posing(members[f"a.{each}"], identity) for each in KINDS}
        own = {f"a.{each}": members[f"b.{each}"] for each in KINDS}
        for changed, refusal in (
            ({f"a.{kind}": posed[f"a.{kind}"]}, "the key set 'a' belong to two secret keys"),
            (posed, "the public key of the key set 'a'"),
            (own | {f"a.{kind}": posed[f"a.{kind}"]}, f"the {kind} key of the key set 'a'"),
        ):
            write(path, members | changed)
            with pytest.raises(errors.ParametersMismatch, match=refusal):
                rf.load(path, ctx, **given)
        write(path, members | own)
        assert rf.load(path, ctx, **given)["a"].fingerprint == owner.public.fingerprint


def test_a_sealed_secret_covers_the_public_parts_beside_it(party, tmp_path):
    ctx, owner, _ = party
    fewer = rf.PublicKeys(ctx, owner.public._public, owner.public._relinearization, None)
    rf.save(tmp_path / "owner.rfc", keys=owner, passphrase=WORDS, strength=0)
    rf.save(tmp_path / "again.rfc", keys=rf.Keys(fewer, owner._secret), passphrase=WORDS, strength=0)
    members, others = members_of(tmp_path / "owner.rfc"), members_of(tmp_path / "again.rfc")
    for left_out in ("keys.galois", "keys.relinearization"):
        write(tmp_path / "x.rfc", {name: data for name, data in members.items() if name != left_out})
        with pytest.raises(errors.ParametersMismatch, match="saved with"):
            rf.load(tmp_path / "x.rfc", ctx, passphrase=WORDS)
    # The passphrase authenticates the digest of the other members. An older file has no digest. There, the reader
    # compares the key ids.
    moved = bytearray(members["keys.secret"])
    moved[72:104] = others["keys.secret"][72:104]
    write(tmp_path / "x.rfc", others | {"keys.secret": mended(moved)})
    with pytest.raises(errors.Passphrase):
        rf.load(tmp_path / "x.rfc", ctx, passphrase=WORDS)
    write(tmp_path / "x.rfc", members | {"keys.secret": unbound(ctx, owner, passphrase=WORDS, strength=0)})
    assert rf.load(tmp_path / "x.rfc", ctx, passphrase=WORDS)["keys"].public.fingerprint == owner.public.fingerprint


def test_a_passphrase_opens_only_secrets_that_it_sealed(party, tmp_path):
    """An attacker without the passphrase can replace the file by a file with unsealed secret keys, or with public keys
    alone. Loading with the passphrase must refuse both."""
    ctx, _, thief = party
    path = tmp_path / "keys.rfc"
    for replaced, options in ((thief, {"unsealed": True}), (thief.public, {})):
        rf.save(path, keys=replaced, **options)
        with pytest.raises(errors.Passphrase, match=r"exchanged|replaced"):
            rf.load(path, ctx, passphrase=WORDS)
    owner, other = tmp_path / "owner", tmp_path / "thief"
    rf.search.keygen(owner, passphrase=WORDS, strength=0)
    rf.search.keygen(other, unsealed=True)
    (owner / "secret.rfk").write_bytes((other / "secret.rfk").read_bytes())
    with pytest.raises(errors.Passphrase, match=r"exchanged|replaced"):
        rf.search.load_keys(owner, WORDS)
    (owner / "secret.rfk").unlink()
    with pytest.raises(errors.Passphrase, match="replaced"):
        rf.search.load_keys(owner, WORDS)


def test_a_sealed_secret_covers_the_associated_bytes(party, tmp_path):
    ctx, keys, _ = party
    path = tmp_path / "keys.rfc"
    rf.save(path, keys=keys, passphrase=WORDS, strength=0, associated=b"this")
    assert isinstance(rf.load(path, ctx, passphrase=WORDS, associated=b"this")["keys"], rf.Keys)
    for other in (b"that", b""):
        with pytest.raises(errors.ParametersMismatch, match="saved with"):
            rf.load(path, ctx, passphrase=WORDS, associated=other)
    with pytest.raises(errors.InvalidArgument, match="associated"):
        rf.load(path, ctx, passphrase=WORDS, associated="this")


def test_a_sealed_secret_covers_the_kind_and_the_range_of_its_numbers(tmp_path):
    for ctx, change in (
        (rf.Context("int", depth=1, range=(-300, 300)), lambda members: members.pop("@range")),
        (rf.Context(depth=1), lambda members: members.update({"@c": members.pop("@f")})),
    ):
        path = tmp_path / f"{ctx.dtype.kind}.rfc"
        rf.save(path, keys=ctx.keygen(rotations=[]), passphrase=WORDS, strength=0)
        members = members_of(path)
        change(members)
        write(path, {name: members[name] for name in sorted(members)})
        with pytest.raises(errors.ParametersMismatch, match="saved with"):
            rf.load(path, passphrase=WORDS)


@pytest.mark.parametrize("kind", KINDS)
def test_foreign_keys_beside_an_array_are_refused_for_their_owner(party, kind, tmp_path):
    ctx, owner, thief = party
    rf.save(tmp_path / "x.rfc", x=ctx.encrypt([1, 2], owner), mine=owner.public, theirs=thief.public)
    members = members_of(tmp_path / "x.rfc")
    found = rf.load(tmp_path / "x.rfc", ctx, keys=owner)  # another owner's keys under their own name are accepted
    assert isinstance(found["theirs"], rf.PublicKeys)
    rf.load(tmp_path / "x.rfc", keys=owner)
    members[f"mine.{kind}"] = posing(members[f"theirs.{kind}"], members["mine.public"][64:72])
    write(tmp_path / "x.rfc", members)
    for context in (ctx, None):
        with pytest.raises(errors.ParametersMismatch, match="'mine'"):
            rf.load(tmp_path / "x.rfc", context, keys=owner)


def test_an_array_encrypted_under_a_foreign_key_is_not_decrypted(party, tmp_path):
    ctx, owner, thief = party
    if ctx.dtype.kind == "i":
        ctx = rf.Context("int", depth=1, range=(-100, 100))
        owner, thief = ctx.keygen(rotations=[]), ctx.keygen(rotations=[])
    rf.save(tmp_path / "owner.rfc", keys=owner.public)
    rf.save(tmp_path / "x.rfc", x=ctx.encrypt(np.ones(ctx.slots, ctx.dtype), thief))
    identity = members_of(tmp_path / "owner.rfc")["keys.public"][64:72]
    members = members_of(tmp_path / "x.rfc")
    data = bytearray(members["x"])
    dimensions, count = struct.unpack_from("<II", data, 64)
    at = 64 + 8 + 24 + 8 + 16 + 8 * dimensions
    (length,) = struct.unpack_from("<Q", data, at)
    at += 8 * count
    data[at : at + length] = posing(data[at : at + length], identity)
    members["x"] = mended(data)
    write(tmp_path / "x.rfc", members)
    x = rf.load(tmp_path / "x.rfc", ctx, keys=owner)["x"]
    for verb in (x.decrypt, x.decrypt_raw):
        with pytest.raises(errors.BoundViolated, match="public part"):
            verb(owner)


def test_fingerprints_of_different_public_keys_differ(party, tmp_path):
    ctx, owner, thief = party
    mark = owner.public.fingerprint
    assert len(mark) == 39
    assert len(bytes.fromhex(mark)) == 16
    rf.save(tmp_path / "keys.rfc", keys=owner.public)
    assert rf.load(tmp_path / "keys.rfc")["keys"].fingerprint == mark == owner.to("ref").public.fingerprint
    fewer = rf.PublicKeys(ctx, owner.public._public, owner.public._relinearization, None)
    assert len({mark, thief.public.fingerprint, fewer.fingerprint}) == 3
    with pytest.raises(errors.KeyMissing):
        _ = rf.PublicKeys(ctx, None, None, None).fingerprint


def test_a_secret_that_covers_nothing_is_loaded_with_a_warning(party, tmp_path):
    ctx, owner, _ = party
    path = tmp_path / "x.rfc"
    rf.save(path, keys=owner, passphrase=WORDS, strength=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        rf.load(path, ctx, passphrase=WORDS)
    write(path, members_of(path) | {"keys.secret": unbound(ctx, owner, passphrase=WORDS, strength=0)})
    with pytest.warns(UserWarning, match="save it again") as told:
        rf.load(path, ctx, passphrase=WORDS)
    assert told[0].filename == "ringfort", "a line of the caller, which may contain the passphrase, is shown"
    assert str(told[0].message).startswith(f"{path} holds a secret key"), "the file is not named"


def test_a_file_is_not_loaded_under_keys_that_own_none_of_its_arrays(party, tmp_path):
    ctx, keys, stranger = party
    x, y = ctx.encrypt([1, 2], keys), ctx.encrypt([3, 4], stranger)
    rf.save(tmp_path / "x.rfc", x=x)
    for wrong in (stranger, stranger.public):
        with pytest.raises(errors.ParametersMismatch, match=f"{keys.public.id}.*{stranger.public.id}"):
            rf.load(tmp_path / "x.rfc", ctx, keys=wrong)
    rf.save(tmp_path / "both.rfc", x=x, y=y)
    for owner, name, values in ((keys, "x", [1, 2]), (stranger, "y", [3, 4])):
        loaded = rf.load(tmp_path / "both.rfc", ctx, keys=owner)[name]
        np.testing.assert_allclose(loaded.decrypt(owner), values, atol=1e-5)
