# SPDX-License-Identifier: Apache-2.0
"""Tests files in which strangers added, renamed or replaced members (the named objects of a file). A secret key covers
the members whose digest it contains. Members that no secret key covers must be refused.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors
from ringfort._core import files as core
from ringfort._core import keys as plain
from ringfort.encrypted.members import Seals

WORDS = "four words of mine"
BEFORE = Path(__file__).resolve().parents[2] / "tests/vectors/members/sealed-before.rfc"
SMALL = {"n": 64, "insecure": "a small ring, for tests"}
WEAK = {"allow_insecure": True}
KINDS = ("public", "relinearization", "galois")


@pytest.fixture(scope="module")
def party():
    ctx = rf.Context(depth=1, **SMALL)
    return ctx, ctx.keygen(rotations=[1]), ctx.keygen(rotations=[1])


@pytest.fixture
def read():
    return lambda path: {name: bytes(np.asarray(data)) for name, data in core.load(str(path), 1 << 30)}


@pytest.fixture
def write():
    def written(path, members):
        core.save(str(path), [(name, np.frombuffer(data, np.uint8)) for name, data in members.items()])

    return written


def renamed(members, was, now):
    return {now + name[len(was) :] if name.startswith(f"{was}.") else name: data for name, data in members.items()}


def test_a_passphrase_returns_only_members_that_a_sealed_secret_covers(party, read, write, tmp_path):
    """Tries files that an attacker with write access can make without the passphrase.

    If load accepted such a file, the owner could encrypt under the attacker's key, or read another array than
    the saved one.
    """
    ctx, owner, thief = party
    path = tmp_path / "keys.rfc"
    x, other = ctx.encrypt([1.0, 2.0], owner), ctx.encrypt([3.0, 4.0], owner)
    rf.save(path, keys=owner, x=x, passphrase=WORDS, strength=0)
    rf.save(tmp_path / "thief.rfc", keys=thief.public)
    rf.save(tmp_path / "other.rfc", x=other)
    honest, theirs = read(path), read(tmp_path / "thief.rfc")
    found = rf.load(path, passphrase=WORDS, **WEAK)
    assert found["keys"].public.fingerprint == owner.public.fingerprint
    assert np.allclose(found["x"].decrypt(found["keys"]), [1, 2], atol=1e-3)
    beside = {name: data for name, data in theirs.items() if "." in name}
    for members, refusal in (
        (
            theirs | {"keys.x.secret": theirs["@f"]},
            errors.InvalidArgument,
        ),  # the file of the thief, with a misleading name of a member
        (theirs | {"x.secret": theirs["@f"]}, errors.Error),
        # The key set of the owner under another name.
        (renamed(honest, "keys", "keyz") | beside, errors.ParametersMismatch),
        (renamed(honest, "keys", "keyz"), errors.ParametersMismatch),
        (honest | renamed(beside, "keys", "more"), errors.ParametersMismatch),
        (honest | {"y": honest["x"]}, errors.ParametersMismatch),
        (honest | {"x": read(tmp_path / "other.rfc")["x"]}, errors.ParametersMismatch),
        ({name: data for name, data in honest.items() if name != "x"}, errors.ParametersMismatch),
    ):
        write(path, members)
        with pytest.raises(refusal):
            rf.load(path, passphrase=WORDS, **WEAK)


@pytest.mark.parametrize("name", ["a" * 65, "é" * 33, "a\nb", "a\x85", "a\u2028", "a\u202e", ""])
def test_names_that_a_file_cannot_have_are_refused_before_writing(party, name, tmp_path):
    ctx, owner, _ = party
    x, path = ctx.encrypt([1.0], owner), tmp_path / "x.rfc"
    longest = 64 - len(".relinearization")
    for value, given in ((x, name), (owner.public, name), (owner.public, "a" * (longest + 1))):
        with pytest.raises(errors.InvalidArgument, match="name"):
            rf.save(path, **{given: value})
    assert not path.exists()
    rf.save(path, **{"a" * longest: owner.public, "x" * 64: x, "\u00a0 \u2027": x})
    assert len(rf.load(path, ctx)) == 3


def test_two_sealed_secrets_cover_each_other(party, read, write, tmp_path):
    ctx, owner, second = party
    path = tmp_path / "keys.rfc"
    rf.save(path, a=owner, b=second, passphrase=WORDS, strength=0)
    with pytest.raises(errors.IoLimit, match="most_secrets=2"):
        rf.load(path, ctx, passphrase=WORDS)
    found, members = rf.load(path, ctx, passphrase=WORDS, most_secrets=2), read(path)
    assert found["b"].public.fingerprint == second.public.fingerprint
    swapped = renamed(renamed(renamed(members, "a", "c"), "b", "a"), "c", "b")
    without = {name: data for name, data in members.items() if not name.startswith("b.")}
    for changed in (swapped, without, {name: data for name, data in members.items() if name != "b.secret"}):
        write(path, changed)
        with pytest.raises(errors.ParametersMismatch, match="saved with"):
            rf.load(path, ctx, passphrase=WORDS, most_secrets=2)


def test_an_older_file_returns_only_members_that_its_secret_covers(read, write, tmp_path):
    options = {"passphrase": WORDS, "associated": b"this", **WEAK}
    found = rf.load(BEFORE, **options)
    assert list(found["x"].decrypt(found["keys"])) == [1, -2, 3]
    ctx, keys, members = found["context"], found["keys"], read(BEFORE)
    rf.save(tmp_path / "thief.rfc", keys=ctx.keygen(rotations=[]).public)
    beside = {name: data for name, data in read(tmp_path / "thief.rfc").items() if "." in name}
    path = tmp_path / "keys.rfc"
    for changed in (renamed(members, "keys", "keyz") | beside, members | renamed(beside, "keys", "more")):
        write(path, changed)
        with pytest.raises(errors.Passphrase, match="covers the key set"):
            rf.load(path, **options)
    own = {f"more.{kind}": members[f"keys.{kind}"] for kind in KINDS}  # equal to the keys of the owner, byte by byte
    write(path, members | own)
    assert rf.load(path, **options)["more"].fingerprint == keys.public.fingerprint
    write(path, {name: data for name, data in members.items() if name != "@range"})
    with pytest.raises(errors.ParametersMismatch, match="saved with"):
        rf.load(path, **options)


@pytest.mark.parametrize(
    "name",
    ["keys.x.public", "keys.secretx", "keys.public.", ".public", "x.y", "context.public", "context", "@f.public"],
)
def test_member_names_that_save_never_writes_are_refused(party, name, read, write, tmp_path):
    ctx, owner, _ = party
    path = tmp_path / "x.rfc"
    rf.save(path, x=ctx.encrypt([1.0], owner), keys=owner.public)
    members = read(path)
    for member in ("keys.public", "x"):
        write(path, members | {name: members[member]})
        with pytest.raises(errors.InvalidArgument, match="not the name of a member"):
            rf.load(path, ctx)
    write(path, members | {"keys": members["x"]})  # an array and a key set with the same name
    with pytest.raises(errors.InvalidArgument, match="not the name of a member"):
        rf.load(path, ctx)
    write(path, members | {"keys.ledger": members["keys.public"]})
    with pytest.raises(errors.InvalidArgument, match="no secret key of this set"):
        rf.load(path, ctx)


@pytest.mark.parametrize("name", ["keys.secretx", "x", "keys.ledger", "keys.relinearization", "@f", "@range"])
def test_a_secret_key_under_any_other_name_is_refused_as_a_secret_key(party, name, read, write, tmp_path):
    ctx, owner, _ = party
    path = tmp_path / "x.rfc"
    rf.save(path, keys=owner, unsealed=True)
    members = read(path)
    secret = members.pop("keys.secret")
    write(path, members | {name: secret})
    for options in ({}, {"secrets": True}):
        with pytest.raises(errors.SecretRefused):
            rf.load(path, ctx, **options)


def mended(data):
    data[-32:] = hashlib.blake2b(bytes(data[:-32]), digest_size=32).digest()
    return bytes(data)


def shifted(ctx, public, delta):
    """Adds ``delta`` to the constant coefficient of the public key, and keeps its key id. A file stores the evaluations
    of a polynomial. Therefore each of the evaluations grows by ``delta``.
    """
    data, n, at = bytearray(public), SMALL["n"], 64 + 8 + 32
    for q in ctx._parameters.chain.data:
        width = (q - 1).bit_length()
        size = n * width // 8
        packed, changed = int.from_bytes(data[at : at + size], "little"), 0
        for i in range(n):
            residue = packed >> i * width & ((1 << width) - 1)
            changed |= (residue + delta) % q << i * width
        data[at : at + size] = changed.to_bytes(size, "little")
        at += size
    return mended(data)


def test_no_error_about_public_keys_of_strangers_depends_on_the_secret(party, read, write, tmp_path, monkeypatch):
    """Suppose that load accepted a changed row of a public key only if the error of the row is small. Then each answer
    of load (accepted or refused) would reveal a part of the secret key.
    """
    ctx, owner, _ = party
    path = tmp_path / "answer.rfc"
    rf.save(path, a=owner.public)
    answer = read(path)
    rf.save(tmp_path / "keys.rfc", keys=owner, passphrase=WORDS, strength=0)
    sealed = read(tmp_path / "keys.rfc")
    asked = Counter()
    monkeypatch.setattr(plain, "require_matching", lambda *keys: asked.update(["rows"]))
    told = set()
    for delta in (1, 20, 43, 10**4):
        changed = shifted(ctx, answer["a.public"], delta)
        assert len(changed) == len(answer["a.public"])
        for members, options in (
            (answer | {"a.public": changed}, {"keys": owner}),
            (sealed | {"keys.public": changed}, {"passphrase": WORDS}),
        ):
            write(path, members)
            with pytest.raises(errors.ParametersMismatch) as refused:
                rf.load(path, ctx, **options)
            told.add((len(options), "passphrase" in options, str(refused.value)))
    assert len(told) == 2
    assert asked["rows"] == 0
    monkeypatch.undo()
    write(path, answer)
    assert rf.load(path, ctx, keys=owner)["a"].fingerprint == owner.public.fingerprint
    for found in (answer["a.public"], shifted(ctx, answer["a.public"], 0)):
        assert found == answer["a.public"]


def test_a_set_with_the_owners_identity_and_another_secret_is_refused(party, read, write, tmp_path):
    """The set contains a stranger's secret key, and its public keys match that secret key."""
    ctx, owner, thief = party
    path = tmp_path / "x.rfc"
    rf.save(tmp_path / "owner.rfc", keys=owner.public)
    identity = read(tmp_path / "owner.rfc")["keys.public"][64:72]
    rf.save(path, a=thief, unsealed=True)
    members = {}
    for name, data in read(path).items():
        changed = bytearray(data)
        if "." in name:
            changed[64:72] = identity
        members[name] = mended(changed) if "." in name else data
    secret = bytearray(members["a.secret"])
    secret[72:104] = named(ctx, thief, {name: np.frombuffer(data, np.uint8) for name, data in members.items()})
    write(path, members | {"a.secret": mended(secret)})
    assert isinstance(rf.load(path, ctx, secrets=True)["a"], rf.Keys)
    with pytest.raises(errors.ParametersMismatch, match="'a'"):
        rf.load(path, ctx, keys=owner, secrets=True)


@pytest.mark.parametrize("options", [{"kind": "@c"}, {"magnitude": 8.0}])
@pytest.mark.parametrize("public", [False, True])
def test_a_set_with_the_owners_identity_and_other_numbers_is_refused(party, options, public, read, write, tmp_path):
    """If load accepted such keys, the owner would encrypt under an attacker's key."""
    _, owner, _ = party
    path, kind = tmp_path / "x.rfc", options.get("kind", "@f")
    rf.save(path, keys=owner.public)
    identity = read(path)["keys.public"][64:72]
    given = rf.Context(depth=1, **SMALL, **{name: value for name, value in options.items() if name != "kind"})
    rf.save(path, keys=given.keygen(rotations=[]).public)
    members = {}
    for name, data in read(path).items():
        changed = bytearray(data)
        changed[64:72] = identity
        members[kind if name == "@f" else name] = mended(changed) if "." in name else data
    write(path, members)
    assert rf.load(path, **WEAK)["keys"].fingerprint != owner.public.fingerprint
    with pytest.raises(errors.ParametersMismatch, match="belongs to your secret key"):
        rf.load(path, keys=owner.public if public else owner, **WEAK)


def test_a_set_with_the_owners_identity_and_another_range_is_refused(read, write, tmp_path):
    """With another range, 252 could be encrypted, and 252 * 252 would be decrypted as another number."""
    ctx = rf.Context("int", depth=1, range=(-50, 50), **SMALL)
    keys, path = ctx.keygen(rotations=[]), tmp_path / "x.rfc"
    rf.save(path, keys=keys.public)
    members = read(path)
    assert rf.load(path, keys=keys, **WEAK)["keys"].fingerprint == keys.public.fingerprint
    without = {name: data for name, data in members.items() if name != "@range"}
    wider = rf.Context("int", depth=1, plain_modulus=ctx.plain_modulus, range=(-999, 999), **SMALL)
    rf.save(path, keys=wider.keygen(rotations=[]).public)
    for changed in (without, without | {"@range": read(path)["@range"]}):
        write(path, changed)
        for given in (keys, keys.public):
            with pytest.raises(errors.ParametersMismatch, match="range of numbers"):
                rf.load(path, keys=given, **WEAK)


def test_a_set_with_the_owners_identity_and_a_range_that_her_keys_lack_is_refused(read, write, tmp_path):
    """If load accepted this range, the loaded keys would refuse residues that the owner may encrypt."""
    ctx = rf.Context("int", depth=1, modular=True, **SMALL)
    keys, path = ctx.keygen(rotations=[]), tmp_path / "x.rfc"
    declared = rf.Context("int", depth=1, plain_modulus=ctx.plain_modulus, range=(-9, 9), **SMALL)
    rf.save(path, keys=declared.keygen(rotations=[]).public)
    range_record = read(path)["@range"]
    rf.save(path, keys=keys.public)
    members = read(path)
    for given in (keys, keys.public):
        assert rf.load(path, keys=given, **WEAK)["keys"].fingerprint == keys.public.fingerprint
    write(path, members | {"@range": range_record})
    for given in (keys, keys.public):
        with pytest.raises(
            errors.ParametersMismatch, match=r"range of numbers \(-9 \.\. 9; your keys: none"
        ) as refused:
            rf.load(path, keys=given, **WEAK)
        assert "load your own key file" in refused.value.fix
    write(path, members)
    with pytest.raises(errors.ParametersMismatch, match="range of numbers"):
        rf.load(path, declared, keys=keys)


def named(ctx, keys, members):
    """Returns the digest of the other members, as an unsealed secret key of the set ``a`` contains it."""
    return bytes(core.encode_secret_key(ctx._scopes.per_modulus[0], keys._secret, "", 0, Seals(members, b"").of("a")))[
        72:104
    ]


@pytest.fixture
def calls(monkeypatch):
    """Counts the calls of expensive functions."""
    counted = Counter()

    def counting(module, name):
        real = getattr(module, name)

        def called(*arguments):
            counted[name] += 1
            return real(*arguments)

        monkeypatch.setattr(module, name, called)

    for name in ("decode_secret_key", "decode_public_key", "require_beside"):
        counting(core, name)
    counting(plain, "require_matching")
    return counted


def test_a_file_of_many_key_sets_is_read_in_time_linear_in_its_size(party, calls, read, write, tmp_path):
    ctx, _, _ = party
    for count in (8, 32):
        sets = {f"k{i}": ctx.keygen(rotations=[]) for i in range(count)}
        sets = {name: rf.Keys(rf.PublicKeys(ctx, k.public._public, None, None), k._secret) for name, k in sets.items()}
        rf.save(tmp_path / "many.rfc", **sets, unsealed=True)
        calls.clear()
        found = rf.load(tmp_path / "many.rfc", ctx, secrets=True)
        assert len(found) == count
        assert calls == {
            "decode_secret_key": count,
            "decode_public_key": count,
            "require_beside": count,
            "require_matching": count,
        }
    rf.save(tmp_path / "one.rfc", a=sets["k0"], unsealed=True)
    members = read(tmp_path / "one.rfc")
    copies = {f"a{i}.{kind}": members[f"a.{kind}"] for i in range(50) for kind in ("public", "secret")}
    write(tmp_path / "copies.rfc", {"@f": members["@f"]} | copies)
    calls.clear()
    with pytest.raises(errors.ParametersMismatch, match="secret key of another set"):
        rf.load(tmp_path / "copies.rfc", ctx, secrets=True)
    assert not calls
    with pytest.raises(errors.ParametersMismatch, match="secret key of another set"):
        rf.save(tmp_path / "twice.rfc", a=sets["k0"], b=sets["k0"], unsealed=True)


def test_a_passphrase_is_stretched_once_for_a_file(party, calls, read, write, tmp_path):
    ctx, owner, thief = party
    path = tmp_path / "keys.rfc"
    rf.save(path, keys=owner, passphrase=WORDS, strength=0)
    members = read(path)
    copies = {f"a{i}.{name.split('.')[1]}": data for i in range(9) for name, data in members.items() if "." in name}
    rf.save(path, thief=thief, passphrase="words of a thief", strength=0)
    for changed in (members | copies, members | {name: data for name, data in read(path).items() if "." in name}):
        write(path, changed)
        calls.clear()
        with pytest.raises(errors.Error):
            rf.load(path, ctx, passphrase=WORDS)
        assert calls["decode_secret_key"] == 0
    write(path, members)
    calls.clear()
    rf.load(path, ctx, passphrase=WORDS)
    assert calls["decode_secret_key"] == 1


def test_bytes_of_a_member_cannot_be_moved_into_the_associated_bytes():
    meaning, promise = np.arange(40, dtype=np.uint8), np.arange(50, dtype=np.uint8)
    apart = Seals({"@f": meaning, "@range": promise}, b"this")
    moved = Seals({"@f": meaning}, b"@range\x0050\0" + promise.tobytes() + b"this")
    assert np.array_equal(apart._meaning_before, moved._meaning_before)  # in older files, both have equal digests
    assert not np.array_equal(apart.of("k")[0], moved.of("k")[0])
    for other in (
        Seals({"@f": meaning, "@range": promise}, b"that"),
        Seals({"@i": meaning, "@range": promise}, b"this"),
    ):
        assert not np.array_equal(apart.of("k")[0], other.of("k")[0])
    assert not np.array_equal(apart.of("k")[0], apart.of("l")[0])


def test_a_sender_who_lost_the_range_has_another_fingerprint_and_is_refused(read, write, tmp_path):
    """In a context without a range, 300 * 300 would become 24463 modulo 65537."""
    ctx = rf.Context("int", depth=1, range=(-50, 50), **SMALL)
    keys, path = ctx.keygen(rotations=[]), tmp_path / "x.rfc"
    rf.save(path, keys=keys.public)
    assert rf.load(path, **WEAK)["keys"].fingerprint == keys.public.fingerprint
    write(path, {name: data for name, data in read(path).items() if name != "@range"})
    sender = rf.load(path, **WEAK)
    assert sender["keys"].fingerprint != keys.public.fingerprint
    x = sender["context"].encrypt([300, 7], sender["keys"])
    for y in (x, x * x):
        rf.save(path, y=y)
        with pytest.raises(errors.ParametersMismatch, match=r"residue.*-50 \.\. 50"):
            rf.load(path, ctx, keys=keys)
    rf.save(path, x=x)  # without trust_bound, a fresh encryption is refused, too
    with pytest.raises(errors.ParametersMismatch, match=r"residue.*-50 \.\. 50"):
        rf.load(path, ctx, keys=keys, trust_bound=False)
    with pytest.raises(errors.ParametersMismatch, match=r"'x' may hold any residue"):
        rf.save(path, x=x, keys=keys.public)
    rf.save(tmp_path / "keys.rfc", keys=keys.public)
    rf.save(path, keys=rf.Context("int", depth=1, range=(-90, 90), **SMALL).keygen(rotations=[]).public)
    write(path, read(tmp_path / "keys.rfc") | {"@range": read(path)["@range"]})  # a wider range
    sender = rf.load(path, **WEAK)
    rf.save(path, x=sender["context"].encrypt([90], sender["keys"]))
    assert rf.load(path, ctx, keys=keys)["x"]._interval == (-90, 90)
    with pytest.raises(errors.ParametersMismatch, match=r"-90 \.\. 90, but its context promises -50 \.\. 50"):
        rf.load(path, ctx, keys=keys, trust_bound=False)
    rf.save(path, x=ctx.encrypt([50], keys))
    assert rf.load(path, ctx, keys=keys, trust_bound=False)["x"].decrypt(keys) == [50]
    rf.save(path, keys=rf.Context(depth=1, **SMALL).keygen(rotations=[]).public)
    members = read(path)
    write(path, {"@c" if name == "@f" else name: data for name, data in members.items()})
    as_complex = rf.load(path, **WEAK)["keys"]
    write(path, members)
    assert rf.load(path, **WEAK)["keys"].fingerprint != as_complex.fingerprint
