# SPDX-License-Identifier: Apache-2.0
"""Tests files of contexts with several plaintext moduli, which a range of large integers needs. A loaded object must
equal the saved object. Files that strangers changed must be refused.
"""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from checksums import put_checksum

import ringfort as rf
from ringfort import errors
from ringfort._core import files as core

SMALL = {"n": 1024, "insecure": "a test of residues"}
WEAK = {"allow_insecure": True}
STORED = Path(__file__).resolve().parents[2] / "tests/vectors/members/several-moduli.rfc"
WORDS = "four words of mine"
RANGE = (-(2**70), 2**70)
VALUES = np.array([[2**70, -1, 0], [5, -(2**70), 7]], object)


@pytest.fixture(scope="module")
def party():
    ctx = rf.Context("int", depth=1, range=RANGE, plain_modulus=(1099512938497, *_more(3)), **SMALL)
    return ctx, ctx.keygen(rotations=[1, -1, 2]), ctx.keygen(rotations=[1])


def _more(count):
    return rf.encrypted.array.moduli.several(2 ** (43 * count), count)


def members_of(data):
    return {name: file.tobytes() for name, file in core.unpack(np.frombuffer(data, np.uint8))}


def packed(members):
    return core.pack([(name, np.frombuffer(data, np.uint8)) for name, data in members.items()]).tobytes()


def loaded(members, **options):
    return rf.loads(packed(members), **WEAK, **options)


def test_keys_and_arrays_come_back_from_bytes_and_files(party, tmp_path):
    ctx, keys, _ = party
    x = ctx.encrypt(VALUES, keys)
    rf.save(tmp_path / "all.rfc", keys=keys, x=x, y=x * x, z=x.T, passphrase=WORDS, strength=0)
    for found in (
        rf.load(tmp_path / "all.rfc", passphrase=WORDS, **WEAK),
        rf.loads((tmp_path / "all.rfc").read_bytes(), ctx, passphrase=WORDS, **WEAK),
    ):
        own = found["keys"]
        np.testing.assert_array_equal(found["x"].decrypt(own), VALUES)
        np.testing.assert_array_equal(found["y"].decrypt(own), VALUES * VALUES)
        np.testing.assert_array_equal(found["z"].decrypt(keys), VALUES.T)
        assert found["y"]._interval == (-(2**140), 2**140)
        assert found["x"].bound_is_untrusted
        np.testing.assert_array_equal((found["x"] + x).decrypt(own), 2 * VALUES)
        assert own.public.fingerprint == keys.public.fingerprint
        assert own.public.id == keys.public.id
        context = own.context
        assert (context, context._range, context.plain_moduli) == (ctx, RANGE, ctx.plain_moduli)
        np.testing.assert_array_equal(np.roll(found["x"][0], 1).decrypt(own), np.roll(VALUES[0], 1))
    long = ctx.encrypt(np.arange(3000), keys)
    again = rf.loads(rf.dumps(x=long), ctx, keys=keys, trust_bound=False)["x"]
    np.testing.assert_array_equal(again.decrypt(keys), np.arange(3000))
    assert again._interval == RANGE


def test_only_contexts_with_several_moduli_need_version_3(party):
    data = rf.dumps(keys=party[1].public)
    assert data[8] == 3
    assert {"@i", "@i.1", "@i.2", "@i.3", "@range", "@range.3", "keys.public.3"} <= set(members_of(data))
    one = rf.Context("int", depth=1, range=(-9, 9), **SMALL)
    data = rf.dumps(keys=one.keygen(rotations=[]).public)
    assert data[8] == 2
    assert set(members_of(data)) == {"@i", "@range", "keys.public", "keys.relinearization", "keys.galois"}


def test_the_stored_file_of_version_3_stays_readable():
    """This library wrote the file when version 3 of the format was new."""
    found = rf.load(STORED, passphrase=WORDS, **WEAK)
    keys, x = found["keys"], found["x"]
    np.testing.assert_array_equal(x.decrypt(keys), np.array([2**140, 25, 0], object))
    np.testing.assert_array_equal((x + x).decrypt(keys), np.array([2**141, 50, 0], object))
    assert keys.context._range == (-(2**70), 2**70)
    again = members_of(rf.dumps(keys=keys, x=x, passphrase=WORDS, strength=0))
    stored = members_of(STORED.read_bytes())
    assert again.keys() == stored.keys()
    assert all(again[name] == stored[name] for name in stored if name not in ("keys.secret", "x"))


@pytest.mark.parametrize("version", [2, 4])
def test_another_version_is_refused(party, version):
    data = bytearray(rf.dumps(keys=party[1].public))
    with pytest.raises(errors.IoVersion if version > 3 else errors.IoRange):
        rf.loads(_with_version(data, version), **WEAK)
    one = rf.Context("int", depth=1, range=(-9, 9), **SMALL)
    with pytest.raises(errors.IoRange):
        rf.loads(_with_version(bytearray(rf.dumps(keys=one.keygen(rotations=[]).public)), 3), **WEAK)


def _with_version(data, version):
    data[8] = version
    put_checksum(data, 0, 60)
    data[-32:] = hashlib.blake2b(data[:-32], digest_size=32).digest()
    return bytes(data)


def test_every_member_of_every_modulus_is_needed(party):
    ctx, keys, _ = party
    honest = members_of(rf.dumps(keys=keys.public, x=ctx.encrypt(VALUES, keys)))
    loaded(honest)
    for name in honest:
        lacking = {other: data for other, data in honest.items() if other != name}
        with pytest.raises(errors.Error):
            loaded(lacking)
    for index in range(4):  # removes one modulus with all its members
        suffix = f".{index}" if index else ""
        names = [name for name in honest if (name[-2:] == suffix if index else name[-2:-1] != ".")]
        with pytest.raises(errors.Error):
            loaded({name: data for name, data in honest.items() if name not in names})
    last = {name: data for name, data in honest.items() if not name.endswith(".3")}
    with pytest.raises(errors.ParametersMismatch, match="another number of plaintext moduli than 3"):
        loaded(last)


def test_members_of_two_moduli_cannot_be_swapped_repeated_or_replaced(party):
    ctx, keys, thief = party
    x = ctx.encrypt(VALUES, keys)
    honest = members_of(rf.dumps(keys=keys.public, x=x))
    theirs = members_of(rf.dumps(keys=thief.public, x=ctx.encrypt(VALUES, thief)))
    pairs = [(name, f"{name}.1") for name in honest if f"{name}.1" in honest]
    assert len(pairs) == 6
    # pairs[1] is left out. The ends of the interval for another modulus may be the ends of a wider interval, and load
    # accepts a wider interval as a claim.
    for first, second in pairs[:1] + pairs[2:]:
        swapped = {first: honest[second], second: honest[first]}
        for changed in (swapped, {second: honest[first]}, {first: honest[second]}):
            with pytest.raises(errors.Error):
                loaded(honest | changed)
    for first, second in pairs[2:]:
        for name in (first, second):
            with pytest.raises(errors.ParametersMismatch):
                loaded(honest | {name: theirs[name]})
    for changed in (
        {"@i.4": honest["@i.3"]},
        {"x.4": honest["x.3"]},
        {"x.1.1": honest["x.1"]},
        {"x.01": honest["x.1"]},
        {"keys.axes": honest["@range"]},
        {"@f": honest["@i"]},
    ):
        with pytest.raises(errors.Error):
            loaded(honest | changed)


def test_equal_moduli_and_other_chains_are_refused(party):
    honest = members_of(rf.dumps(keys=party[1].public))
    twice = honest | {name: honest[name.replace(".1", "")] for name in honest if name.endswith(".1")}
    with pytest.raises(errors.InvalidArgument, match="not different primes"):
        loaded(twice)
    other = rf.Context("int", depth=2, range=(-9, 9), **SMALL)
    with pytest.raises(errors.InvalidArgument, match="different primes or schemes"):
        loaded(honest | {"@i.1": members_of(rf.dumps(keys=other.keygen(rotations=[]).public))["@i"]})
    bfv = rf.Context("int", depth=1, range=(-9, 9), scheme="bfv", **SMALL)
    with pytest.raises(errors.InvalidArgument, match="different primes or schemes"):
        loaded(honest | {"@i.1": members_of(rf.dumps(keys=bfv.keygen(rotations=[]).public))["@i"]})


def test_parts_with_other_shapes_tables_or_intervals_are_refused(party):
    ctx, keys, _ = party
    honest = members_of(rf.dumps(x=ctx.encrypt(VALUES, keys), keys=keys.public))

    def changed(**facts):
        record = core.decode_array(np.frombuffer(honest["x.2"], np.uint8))
        for name, value in facts.items():
            setattr(record, name, value)
        return honest | {"x.2": core.encode_array(record).tobytes()}

    for facts in ({"shape": [3, 2]}, {"rows": 1, "cols": 6, "stride": 8}, {"unused_slots": 1}, {"shape": [6]}):
        with pytest.raises(errors.ParametersMismatch, match="different tables"):
            loaded(changed(**facts))
    for interval in (None, (-(2**62), 0), (0, 2**62), (3, 5), (-9, -8)):
        with pytest.raises(errors.ParametersMismatch, match="interval"):
            loaded(changed(interval=interval))


def test_the_secret_covers_the_members_of_all_moduli(party):
    ctx, keys, thief = party
    x = ctx.encrypt(VALUES, keys)
    honest = members_of(rf.dumps(keys=keys, x=x, passphrase=WORDS, strength=0))
    again = members_of(rf.dumps(x=ctx.encrypt(VALUES, keys)))
    theirs = members_of(rf.dumps(keys=thief.public))
    for changed in (
        {"x.2": again["x.2"]},
        {"keys.public.1": theirs["keys.public.1"]},
        {"@range.1": honest["@range.2"]},
    ):
        with pytest.raises(errors.ParametersMismatch):
            loaded(honest | changed, passphrase=WORDS)
    for name in ("keys.secret.1", "x.3", "keys.public.2"):
        with pytest.raises(errors.SecretRefused):
            loaded(honest | {name: honest["keys.secret"]}, secrets=True)
    with pytest.raises(errors.SecretRefused):
        loaded(honest)


def test_keys_and_contexts_of_other_moduli_are_refused(party):
    ctx, keys, _ = party
    moduli = ctx.plain_moduli
    data = rf.dumps(x=ctx.encrypt(VALUES, keys))
    for given in (moduli[:2], moduli[::-1], moduli[:3], (*moduli, 786433)):
        other = rf.Context("int", depth=0, range=(-9, 9), plain_modulus=given, **SMALL)
        assert other != ctx
        with pytest.raises(errors.Error):
            rf.loads(data, other, keys=other.keygen(rotations=[]))


def test_inspect_shows_the_whole(party):
    ctx, keys, _ = party
    x = ctx.encrypt(VALUES, keys)
    data = rf.dumps(keys=keys.public, x=x, y=x.T)
    shown = rf.inspect(data)
    assert shown.facts["plain_moduli"] == 4
    assert shown.facts["range"] == RANGE
    assert set(shown.entries) == {"keys", "x", "y"}
    assert shown.entries["keys"].facts["fingerprint"] == keys.public.fingerprint
    assert shown.entries["x"].key_id == keys.public.id
    assert shown.entries["x"].facts == {"shape": [2, 3], "ciphertexts": 4}
    assert shown.entries["y"].facts["shape"] == [3, 2]
    assert sum(entry.bytes for entry in shown.entries.values()) < len(data)
    assert not shown.holds_secret
    assert "2361183241434822606848" not in str(rf.inspect(rf.dumps(x=x)).entries)
    sealed = rf.inspect(rf.dumps(keys=keys, passphrase=WORDS, strength=0))
    assert sealed.holds_secret
    assert sealed.entries["keys"].facts["sealed"]


def test_damaged_bytes_are_refused(party):
    """Flips a bit at many places. Digests detect every flip. If the digests are corrected, the reader accepts the file
    or raises an error of the library."""
    ctx, keys, _ = party
    data = rf.dumps(x=ctx.encrypt(VALUES, keys))
    members, rng = members_of(data), np.random.default_rng(3)
    for offset in rng.integers(len(data), size=25):
        changed = bytearray(data)
        changed[offset] ^= 1 << int(rng.integers(8))
        with pytest.raises(errors.Error):
            rf.loads(bytes(changed), ctx, keys=keys)
    for name in ("x", "x.2", "@i.1", "@range.3"):
        for offset in rng.integers(16, len(members[name]) - 32, size=12):
            file = bytearray(members[name])
            file[offset] ^= 1 << int(rng.integers(8))
            put_checksum(file, 0, 60)
            file[-32:] = hashlib.blake2b(file[:-32], digest_size=32).digest()
            try:
                rf.loads(packed(members | {name: bytes(file)}), keys=keys, **WEAK)["x"].decrypt(keys)
            except errors.Error:
                continue
