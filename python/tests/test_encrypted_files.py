# SPDX-License-Identifier: Apache-2.0
"""Tests contexts, keys and arrays in files. Loaded objects must compute as the saved objects do. Damaged files must be
rejected. Ciphertexts do not prove the bounds, ranges and layouts of a file (a layout says which slot has which
element). These are claims, which a reader may distrust (``trust_bound=False``).
"""

from __future__ import annotations

import math
import pickle
import stat
import subprocess
import sys

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors
from ringfort._core import files
from ringfort.encrypted.packing.layout import Layout
from ringfort.encrypted.packing.packed import Packed, UnusedSlots

RNG = np.random.default_rng(5)


@pytest.fixture(scope="module", params=["real", "complex", "int", "bfv"])
def party(request):
    dtype = request.param
    options = {"int": {"modular": True}, "bfv": {"modular": True, "scheme": "bfv"}}.get(dtype, {})
    ctx = rf.Context("int" if dtype == "bfv" else dtype, depth=1, **options)
    values = (
        RNG.integers(-9, 9, (5, 6)) if ctx.dtype.kind == "i" else RNG.random((5, 6)) * (1j if dtype == "complex" else 1)
    )
    return ctx, ctx.keygen(rotations=[1]), values


def equal(array, keys, expected):
    np.testing.assert_allclose(array.decrypt(keys), expected, atol=1e-5)


def test_a_file_is_enough_for_another_process(party, tmp_path):
    ctx, keys, values = party
    x = ctx.encrypt(values, keys)
    rf.save(tmp_path / "client.rfc", keys=keys, unsealed=True)
    rf.save(tmp_path / "server.rfc", x=x, y=x * 2 + values, keys=keys.public)
    server = rf.load(tmp_path / "server.rfc")
    assert isinstance(server["keys"], rf.PublicKeys)
    rf.save(tmp_path / "answer.rfc", answer=server["x"] * server["y"])
    client = rf.load(tmp_path / "client.rfc", secrets=True)
    answer = rf.load(tmp_path / "answer.rfc", client["context"], keys=client["keys"])["answer"]
    equal(answer, client["keys"], values * (2 * values + values))


def test_saving_keys_instead_of_their_public_part_is_refused(party, tmp_path):
    ctx, keys, values = party
    path, x = tmp_path / "question.rfc", ctx.encrypt(values, keys)
    with pytest.raises(errors.SecretRefused, match=r"keys holds a secret key.*keys\.public"):
        rf.save(path, x=x, keys=keys)
    with pytest.raises(errors.InvalidArgument, match="empty"):
        rf.save(path, passphrase="", keys=keys)
    for options in ({"passphrase": "words", "unsealed": True}, {"unsealed": "yes"}):
        with pytest.raises(errors.InvalidArgument, match="unsealed"):
            rf.save(path, keys=keys, **options)
    with pytest.raises(errors.InvalidArgument, match=r"no secret key.*leave the passphrase out"):
        rf.save(path, x=x, keys=keys.public, passphrase="words")
    assert not path.exists()
    rf.save(path, x=x, keys=keys, unsealed=True)
    for arguments in ((), (ctx,)):
        with pytest.raises(errors.SecretRefused, match=r"secret.*keys\.public"):
            rf.load(path, *arguments)
    with pytest.raises(errors.InvalidArgument, match="secrets"):
        rf.load(path, secrets=1)
    assert isinstance(rf.load(path, secrets=True)["keys"], rf.Keys)


def test_secret_keys_are_their_owners_alone_and_sealed(party, tmp_path):
    ctx, keys, values = party
    rf.save(tmp_path / "keys.rfc", passphrase="four words of mine", strength=0, keys=keys)
    assert stat.S_IMODE((tmp_path / "keys.rfc").stat().st_mode) == 0o600
    for wrong in ("", "another"):
        with pytest.raises(errors.Passphrase):
            rf.load(tmp_path / "keys.rfc", ctx, passphrase=wrong, secrets=True)
    back = rf.load(tmp_path / "keys.rfc", ctx, passphrase="four words of mine")["keys"]
    equal(ctx.encrypt(values, back), back, values)


def test_a_range_in_a_file_is_a_claim_and_must_fit_the_modulus(tmp_path):
    ctx = rf.Context("int", depth=1, range=(-10, 10))
    keys = ctx.keygen(rotations=[1, -1])
    x, path = ctx.encrypt([1, -10], keys), tmp_path / "x.rfc"
    assert not x.bound_is_untrusted
    for said in ((0, 0), (-10, 10)):
        x._interval = said
        rf.save(path, x=x)
        for trust_bound in (True, False):
            y = rf.load(path, ctx, keys=keys, trust_bound=trust_bound)["x"]
            assert y._interval == (said if trust_bound else (-10, 10))
            for result in (y, y + y, -y, y - x, x * y, y * 3, y**2, y.sum(), np.array([[1, 2]]) @ y, y.with_keys(keys)):
                assert result.bound_is_untrusted
    assert not (x + x).bound_is_untrusted
    for said in ((-(10**9), 10**9), (0, 32769), (7, -7)):
        x._interval = said
        with pytest.raises(errors.Error):
            rf.save(path, x=x)
            rf.load(path, ctx, keys=keys)
    real = rf.Context(depth=1)
    z = real.encrypt([1.0], real.keygen(rotations=[]))
    z._interval = (0, 0)
    rf.save(path, z=z)
    with pytest.raises(errors.InvalidArgument, match="the file is damaged"):
        rf.load(path, real, keys=real.keygen(rotations=[]))


def test_integers_outside_the_range_of_their_array_are_refused(tmp_path):
    ctx = rf.Context("int", depth=1, range=(-10, 10))
    keys = ctx.keygen(rotations=[])
    x, path = ctx.encrypt([7, -7], keys), tmp_path / "x.rfc"
    for said in ((-6, 9), (-9, 6), (0, 0)):
        x._interval = said
        rf.save(path, x=x)
        y = rf.load(path, ctx, keys=keys)["x"]
        for verb in (y.decrypt, y.decrypt_raw):
            with pytest.raises(errors.BoundViolated, match="outside the range of its array") as refused:
                verb(keys)
            assert "7" not in str(refused.value)
    x._interval = (-7, 7)
    assert list(x.decrypt(keys)) == [7, -7]


def test_claims_are_accepted_by_default_and_stay_marked(tmp_path):
    ctx = rf.Context(depth=2)
    keys = ctx.keygen(rotations=[])
    fresh = ctx.encrypt([0.5], keys)
    rf.save(tmp_path / "x.rfc", fresh=fresh, computed=fresh * fresh)
    read = rf.load(tmp_path / "x.rfc", ctx, keys=keys)
    assert not read["fresh"].bound_is_untrusted
    assert read["computed"].bound_is_untrusted
    assert (read["computed"] * read["fresh"]).bound_is_untrusted
    with pytest.raises(errors.ModeForbidden, match="trust"):
        rf.load(tmp_path / "x.rfc", ctx, keys=keys, trust_bound=False)


def test_decrypt_rounds_to_the_guaranteed_bits(tmp_path):
    for dtype in ("real", "complex"):
        ctx = rf.Context(dtype, depth=1)
        keys = ctx.keygen(rotations=[])
        values = RNG.random(50) * (1j if dtype == "complex" else 1)
        x = ctx.encrypt(values, keys, magnitude=1)
        for array, expected in ((x, values), (x * x, values * values)):
            shown, raw = array.decrypt(keys), array.decrypt_raw(keys)
            bits = array.precision_bits
            assert np.abs(shown - expected).max() <= 2.0 ** -(bits + 1)
            assert np.abs(raw - expected).max() <= 2.0 ** -(bits + 1)
            units = shown.view(float) * 2.0 ** (np.ceil(bits) + 3)
            assert (units == units.round()).all()
            assert (raw.view(float) * 2.0 ** (np.ceil(bits) + 3) % 1 != 0).any()
        rf.save(tmp_path / "x.rfc", y=x * x)
        assert rf.load(tmp_path / "x.rfc", ctx, keys=keys)["y"].precision_bits <= (x * x).precision_bits


def test_complex_values_of_exactly_the_declared_magnitude_are_accepted():
    ctx = rf.Context("complex", depth=1)
    keys = ctx.keygen(rotations=[])
    turns = np.exp(1j * RNG.uniform(0, 7, 500))
    for values, declared in ((16 * turns, None), (0.3 * turns, 0.3)):
        x = ctx.encrypt(values, keys, magnitude=declared)
        assert np.abs(x.decrypt(keys) - values).max() < 1e-5
        with pytest.raises(errors.InvalidArgument, match="magnitude"):
            ctx.encrypt(values * (1 + 1e-12), keys, magnitude=declared)


def test_a_hostile_range_of_a_context_is_refused(tmp_path):
    core, path = rf._core.files, tmp_path / "x.rfc"
    ctx = rf.Context("int", depth=1, range=(-10, 10))
    rf.save(path, keys=ctx.keygen(rotations=[]).public)
    honest = dict(core.load(str(path), 2**30))
    assert core.decode_array(np.frombuffer(honest["@range"], np.uint8)).interval == (-10, 10)
    record = core.decode_array(np.frombuffer(honest["@range"], np.uint8))
    for interval in ((-(2**62), 2**62), (0, 32769)):
        record.interval = interval
        members = honest | {"@range": core.encode_array(record).tobytes()}
        core.save(str(path), [(name, np.frombuffer(data, np.uint8)) for name, data in members.items()])
        with pytest.raises(errors.InvalidArgument):
            rf.load(path)
    members = honest | {"@range": honest["@i"]}
    core.save(str(path), [(name, np.frombuffer(data, np.uint8)) for name, data in members.items()])
    with pytest.raises(errors.IoType):
        rf.load(path)


def test_arrays_of_two_loaded_copies_of_a_key_set_can_be_combined(party, tmp_path):
    ctx, keys, values = party
    rf.save(tmp_path / "x.rfc", x=ctx.encrypt(values, keys), keys=keys.public)
    first, second = (rf.load(tmp_path / "x.rfc")["x"] for _ in range(2))
    equal(first + second, keys, 2 * values)
    equal(first * second - ctx.encrypt(values, keys), keys, values * values - values)
    stranger = ctx.encrypt(values, ctx.keygen(rotations=[]))
    for verb in (np.add, np.subtract, np.multiply):
        for pair in ((first, stranger), (stranger, first)):
            with pytest.raises(errors.ParametersMismatch, match="two secret keys") as refused:
                verb(*pair)
            assert first.key_id in str(refused.value)
            assert stranger.key_id in str(refused.value)


def test_a_strangers_computed_array_is_loaded_only_if_its_bound_is_trusted(party, tmp_path):
    ctx, keys, values = party
    x = ctx.encrypt(values, keys)
    rf.save(tmp_path / "fresh.rfc", x=x)
    rf.save(tmp_path / "computed.rfc", x=x + x)
    equal(rf.load(tmp_path / "fresh.rfc", ctx, keys=keys, trust_bound=False)["x"], keys, values)
    with pytest.raises(errors.ModeForbidden):
        rf.load(tmp_path / "computed.rfc", ctx, keys=keys, trust_bound=False)
    equal(rf.load(tmp_path / "computed.rfc", ctx, keys=keys)["x"], keys, 2 * values)


def test_files_of_other_parameters_and_damaged_files_are_refused(party, tmp_path):
    ctx, keys, values = party
    path = tmp_path / "x.rfc"
    rf.save(path, x=ctx.encrypt(values, keys))
    with pytest.raises(errors.Error):
        rf.load(path, rf.Context(depth=3))
    with pytest.raises(errors.KeyMissing):
        rf.load(path, ctx)
    whole = path.read_bytes()
    for at in RNG.integers(0, len(whole), 40):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << RNG.integers(0, 8)
        path.write_bytes(damaged)
        with pytest.raises(errors.Error):
            rf.load(path, ctx, keys=keys)
    path.write_bytes(whole[:-1])
    with pytest.raises(errors.Error):
        rf.load(path, ctx, keys=keys)


def test_only_arrays_and_key_sets_of_one_context_are_saved(party, tmp_path):
    ctx, keys, values = party
    x = ctx.encrypt(values, keys)
    for objects in ({}, {"values": values}, {"context": x}):
        with pytest.raises(errors.InvalidArgument):
            rf.save(tmp_path / "x.rfc", **objects)
    other = rf.Context(depth=2)
    with pytest.raises(errors.ParametersMismatch):
        rf.save(tmp_path / "x.rfc", x=x, y=other.encrypt(1.0, other.keygen(rotations=[])))
    assert not (tmp_path / "x.rfc").exists()


@pytest.mark.parametrize("axes", [33, 64])
def test_arrays_with_more_axes_than_files_support_are_refused_with_their_name(party, tmp_path, axes):
    ctx, keys, _ = party
    x = ctx.encrypt(np.zeros((1,) * axes, np.int64), keys)
    for kept in (lambda: rf.save(tmp_path / "x.rfc", x=x), lambda: pickle.dumps(x)):
        with pytest.raises(errors.InvalidArgument, match=f"{axes} axes, but files and pickles hold at most 32"):
            kept()
    rf.save(tmp_path / "x.rfc", x=x.reshape((1,) * 32))


def test_a_file_of_another_context_is_refused_with_the_advice_to_omit_ctx(party, tmp_path):
    ctx, keys, values = party
    rf.save(tmp_path / "x.rfc", x=ctx.encrypt(values, keys), keys=keys.public)
    options = {"f": {}, "c": {"dtype": "complex"}, "i": {"dtype": "int", "modular": True}}[ctx.dtype.kind]
    other = rf.Context(**options, depth=0)
    with pytest.raises(errors.IoDigest, match="leave ctx out") as loaded:
        rf.load(tmp_path / "x.rfc", other)
    with pytest.raises(errors.ParametersMismatch, match="under the context of the keys") as owned:
        rf.load(tmp_path / "x.rfc", keys=other.keygen(rotations=[]).public)
    for refusal in (loaded, owned):
        assert f"{ctx!r} and {other!r}" in str(refusal.value)
    equal(rf.load(tmp_path / "x.rfc")["x"], keys, values)


def test_decryptions_for_others_are_planned_counted_and_ended(tmp_path):
    shown = rf.Release(30, 3)
    ctx = rf.Context(depth=1, precision=10, release=shown)
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([1.0, 2.0], keys)
    ledger = tmp_path / "keys.ledger"
    with pytest.raises(errors.ReleaseRefused, match="no ledger"):
        x.decrypt(keys, release=shown)
    with pytest.raises(errors.ReleaseRefused):
        x.decrypt(keys, release=shown, ledger=ledger)
    keys.create_ledger(ledger)
    with pytest.raises(errors.IoWrite):
        keys.create_ledger(ledger)
    for above in (rf.Release(31, 3), rf.Release(30, 4)):
        with pytest.raises(errors.ReleaseRefused, match=r"the context plans for .*; give that or less"):
            x.decrypt(keys, release=above, ledger=ledger)
    for empty in (rf.Release(0, 3), rf.Release(30, 0)):
        with pytest.raises(errors.InvalidArgument, match="give at least one bit and one query"):
            x.decrypt(keys, release=empty, ledger=ledger)
    for _ in range(3):
        np.testing.assert_allclose(x.decrypt(keys, release=shown, ledger=ledger), [1, 2], atol=2.0**-10)
    with pytest.raises(errors.ReleaseRefused):
        x.decrypt(keys, release=shown, ledger=ledger)
    np.testing.assert_allclose(x.decrypt(keys), [1, 2], atol=1e-4)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_a_release_of_integers_is_refused_and_counts_nothing(tmp_path, scheme):
    ctx = rf.Context("int", scheme=scheme, modular=True)
    keys = ctx.keygen(rotations=[])
    with pytest.raises(errors.ReleaseRefused, match="decrypted exactly"):
        ctx.encrypt([1, 2], keys).decrypt(keys, release=rf.Release(30, 10), ledger=tmp_path / "none")
    assert not list(tmp_path.iterdir())


READER = """
import gc, sys
import ringfort as rf
objects = rf.load(sys.argv[1], secrets=True)
print("held", flush=True)
sys.stdin.readline()
del objects
gc.collect()
print("gone", flush=True)
sys.stdin.readline()
"""


def appearances(process, needle):
    """Counts the occurrences of ``needle`` in the writable memory of a process."""
    found = 0
    with open(f"/proc/{process.pid}/maps") as maps, open(f"/proc/{process.pid}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            first, end = (int(address, 16) for address in span.split("-"))
            if rights.startswith("rw") and "[v" not in line:
                memory.seek(first)
                found += memory.read(end - first).count(needle)
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_loaded_secret_leaves_no_copy_of_its_file_in_memory(tmp_path):
    ctx = rf.Context(depth=1, precision=10, slots=512)
    rf.save(tmp_path / "keys.rfc", keys=ctx.keygen(rotations=[]), unsealed=True)
    (secret,) = (data for name, data in files.load(str(tmp_path / "keys.rfc"), 1 << 30) if name == "keys.secret")
    needle = bytes(secret[256:304])
    command = [sys.executable, "-c", READER, str(tmp_path / "keys.rfc")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for stage in ("held", "gone"):
            assert process.stdout.readline().strip() == stage
            assert appearances(process, needle) == 0, stage
            process.stdin.write("\n")
            process.stdin.flush()


def test_a_weaker_release_gets_the_planned_noise(tmp_path):
    ctx = rf.Context(depth=1, precision=10, slots=512, release=rf.Release(30, 1000))
    keys = ctx.keygen(rotations=[])
    keys.create_ledger(tmp_path / "keys.ledger")
    x = ctx.encrypt(np.zeros(512), keys)

    def deviation(release):
        shown = [x.decrypt(keys, release=release, ledger=tmp_path / "keys.ledger") for _ in range(10)]
        return np.sqrt(np.mean(np.square(shown)))

    planned = deviation(rf.Release(30, 1000))
    for less in (rf.Release(30), rf.Release(1, 1)):
        assert abs(deviation(less) / planned - 1) < 0.1


def test_a_ledger_counts_whole_arrays_and_never_decreases(tmp_path):
    shown = rf.Release(20, 5)
    ctx = rf.Context(depth=1, precision=10, slots=512, release=shown)
    keys = ctx.keygen(rotations=[])
    ledger, link = tmp_path / "keys.ledger", tmp_path / "link"
    keys.create_ledger(ledger)
    fresh = ledger.read_bytes()
    link.symlink_to(ledger)
    with pytest.raises(errors.ReleaseRefused, match="7 releases were requested, 5 of 5 are left"):
        ctx.encrypt(np.zeros(512 * 7), keys).decrypt(keys, release=shown, ledger=ledger)
    two = ctx.encrypt(np.zeros(512 * 2), keys)
    for _ in range(2):
        two.decrypt(keys, release=shown, ledger=ledger)
    with pytest.raises(errors.IoOpen, match="is a link"):
        two.decrypt(keys, release=shown, ledger=link)
    assert link.is_symlink()
    with pytest.raises(errors.ReleaseRefused, match="1 of 5 are left"):
        two.decrypt(keys, release=shown, ledger=ledger)
    ledger.write_bytes(fresh)
    with pytest.raises(errors.ReleaseRefused, match="older copy"):
        two.decrypt(keys, release=shown, ledger=ledger)


_ANOTHER_PROGRAM = """
import sys
import ringfort as rf
folder, shown = sys.argv[1], rf.Release(20, 5)
found = rf.load(folder + "/keys.rfc", secrets=True)
keys = found["keys"]
try:
    keys.create_ledger(folder + "/second")
    print("a second ledger")
except rf.errors.ReleaseRefused as error:
    print(error)
try:
    found["x"].decrypt(keys, release=shown, ledger=folder + "/older")
    print("an older ledger")
except rf.errors.ReleaseRefused as error:
    print(error)
found["x"].decrypt(keys, release=shown, ledger=folder + "/keys.ledger")
"""


def test_another_program_cannot_make_a_second_ledger_for_saved_keys_or_use_an_older_one(tmp_path):
    shown = rf.Release(20, 5)
    ctx = rf.Context(depth=1, precision=10, slots=512, release=shown)
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([1.0], keys)
    keys.create_ledger(tmp_path / "keys.ledger")
    (tmp_path / "older").write_bytes((tmp_path / "keys.ledger").read_bytes())
    x.decrypt(keys, release=shown, ledger=tmp_path / "keys.ledger")
    rf.save(tmp_path / "keys.rfc", keys=keys, x=x, unsealed=True)
    told = subprocess.run(
        [sys.executable, "-c", _ANOTHER_PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True, timeout=120
    ).stdout.splitlines()
    assert told[0].startswith("this key has a ledger, as the data stored with it say")
    assert "counts 0 releases, but this key has made 1" in told[1]
    assert keys.public.fingerprint == rf.load(tmp_path / "keys.rfc", secrets=True)["keys"].public.fingerprint


def test_a_release_that_was_not_planned_is_refused(tmp_path):
    ctx = rf.Context(depth=1)
    keys = ctx.keygen(rotations=[])
    with pytest.raises(errors.InvalidArgument):
        keys.create_ledger(tmp_path / "keys.ledger")
    with pytest.raises(errors.InvalidArgument):
        rf.Context("int", modular=True, release=rf.Release(30, 3))


def test_ranges_and_kinds_of_numbers_outlive_a_file(tmp_path):
    ctx = rf.Context("int", depth=1, range=(-100, 100))
    keys = ctx.keygen(rotations=[])
    rf.save(tmp_path / "question.rfc", x=ctx.encrypt([100], keys), keys=keys.public)
    server = rf.load(tmp_path / "question.rfc")
    with pytest.raises(errors.RangeExceeded):
        _ = server["x"] * 30000
    rf.save(tmp_path / "answer.rfc", y=server["x"] * 300)
    answer = rf.load(tmp_path / "answer.rfc", ctx, keys=keys)["y"]
    with pytest.raises(errors.RangeExceeded):
        _ = answer * 20
    assert server["context"]._range == (-100, 100)  # the context comes from the sender
    with pytest.raises(errors.InvalidArgument, match=r"-100 \.\. 100"):
        server["context"].encrypt([101], server["keys"])
    free = rf.Context("int", depth=1, modular=True, plain_modulus=ctx.plain_modulus).keygen(rotations=[]).public
    for objects in ({"free": free, "keys": keys.public}, {"keys": keys.public, "free": free}):
        rf.save(tmp_path / "both.rfc", **objects)
        assert rf.load(tmp_path / "both.rfc")["context"]._range == (-100, 100)
    complex_ctx = rf.Context("complex", depth=1)
    complex_keys = complex_ctx.keygen(rotations=[])
    rf.save(tmp_path / "z.rfc", z=complex_ctx.encrypt([1 + 2j], complex_keys))
    with pytest.raises(errors.ParametersMismatch, match=r"holds complex numbers, but the context is .*float64"):
        rf.load(tmp_path / "z.rfc", rf.Context(depth=1))
    for wrong in ("a\0b", 5.0):
        with pytest.raises(errors.InvalidArgument):
            rf.load(wrong)


class Says:
    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path


@pytest.mark.parametrize("path", [Says(b"x"), Says(3), 3, b"x", "", "\0", "\ud800", None])
def test_invalid_paths_are_refused(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ctx = rf.Context("int", depth=0, modular=True)
    with pytest.raises(rf.Error):
        rf.save(path, keys=ctx.keygen().public)
    with pytest.raises(rf.Error):
        rf.load(path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", "\ud800", "x\udfff"])
def test_names_that_a_file_cannot_contain_are_refused(name, tmp_path):
    keys = rf.Context("int", depth=0, modular=True).keygen()
    with pytest.raises(errors.InvalidArgument):
        rf.save(tmp_path / "x", **{name: keys.public})


@pytest.mark.parametrize("kind", ["int", "real"])
def test_an_array_with_values_in_unused_slots_changes_no_other_array(kind, tmp_path):
    ctx = rf.Context("int", depth=3, range=(0, 16)) if kind == "int" else rf.Context(depth=3)
    keys = ctx.keygen()
    honest, hostile = tmp_path / "honest.rfc", tmp_path / "hostile.rfc"
    rf.save(honest, x=ctx.encrypt([10, 12, 14, 16], keys.public))
    x = ctx.encrypt(np.arange(ctx.slots) % 16, keys.public)
    first = Layout(x._packed.layout.slots, 4, 1, 4, 4)  # a layout that claims that all other slots are zero
    rf.save(hostile, x=x._derived((4,), Packed(first, x._packed.ciphertexts[:1]), x._interval))
    for trust_bound in (True, False):
        a, b = (rf.load(path, ctx, keys=keys.public, trust_bound=trust_bound)["x"] for path in (honest, hostile))
        plain, own = np.array([5, 6, 7, 8], ctx.dtype), ctx.encrypt([10, 12, 14, 16], keys.public)
        for joined, expected in (
            (np.concatenate([a, b]), [10, 12, 14, 16, 0, 1, 2, 3]),
            (np.stack([b, a])[1], [10, 12, 14, 16]),
            (np.concatenate([plain, b]), [5, 6, 7, 8, 0, 1, 2, 3]),
            (np.concatenate([a, b[::-1]]), [10, 12, 14, 16, 3, 2, 1, 0]),
            (np.concatenate([a, a + b])[:4], [10, 12, 14, 16]),
            (np.concatenate([own, own + b])[:4], [10, 12, 14, 16]),
            (np.concatenate([own, b + own])[:4], [10, 12, 14, 16]),
            (np.concatenate([own, b * b])[:4], [10, 12, 14, 16]),
            (np.concatenate([own, np.pad(-b, (1, 0))])[:4], [10, 12, 14, 16]),
        ):
            assert np.allclose(joined.decrypt(keys), expected, atol=1e-3), (trust_bound, joined)
        assert np.allclose(b.decrypt(keys), [0, 1, 2, 3], atol=1e-3)


@pytest.mark.parametrize("kind", ["real", "int"])
@pytest.mark.parametrize(
    ("unused", "trust_bound"), [(UnusedSlots.ROWS, True), (UnusedSlots.ROWS, False), (UnusedSlots.CLAIMED, False)]
)
def test_copies_of_an_element_of_an_untrusted_file_are_what_it_decrypts_to(kind, unused, trust_bound, tmp_path):
    ctx = rf.Context("int", depth=2, range=(0, 16)) if kind == "int" else rf.Context(depth=2)
    keys = ctx.keygen()
    x = ctx.encrypt(np.arange(ctx.slots) % 13 + 1, keys.public)  # the files below claim copies or zeros here
    z = ctx.encrypt([[1, 2], [3, 4]], keys.public)
    for shape in ((), (1, 1), (2,)):
        claimed = Layout.of_shape(shape, x._packed.layout.slots)
        rf.save(
            tmp_path / "x.rfc", x=x._derived(shape, Packed(claimed, x._packed.ciphertexts[:1], unused), x._interval)
        )
        y = rf.load(tmp_path / "x.rfc", ctx, keys=keys.public, trust_bound=trust_bound)["x"]
        shown = y.decrypt(keys)
        for found, expected in ((z + y, z.decrypt(keys) + shown), (y * z, z.decrypt(keys) * shown)):
            assert np.allclose(found.decrypt(keys), expected, atol=1e-2), (shape, found)


def test_copies_of_a_computed_sum_take_no_level(tmp_path):
    ctx = rf.Context(depth=2)
    keys = ctx.keygen()
    x = ctx.encrypt(np.ones((ctx.slots // 4, 4)), keys.public)
    rf.save(tmp_path / "x.rfc", x=x.sum(axis=0))
    y = rf.load(tmp_path / "x.rfc", ctx, keys=keys.public)["x"]
    assert (x + y).depth_left == 2
    assert y.bound_is_untrusted


@pytest.mark.parametrize(
    ("shape", "table"),
    [
        ((), (1, 2, 1)),
        ((), (1, 3, 4)),
        ((1, 1), (2, 1, 2048)),
        ((4,), (9, 1, 512)),
        ((2, 2), (3, 2, 2)),
        ((6,), (1, 7, 8)),
    ],
)
@pytest.mark.parametrize("unused", [UnusedSlots.CLAIMED, UnusedSlots.ROWS, UnusedSlots.ANY])
def test_a_table_with_more_places_than_elements_is_refused(shape, table, unused, tmp_path):
    ctx = rf.Context(depth=1, n=4096, insecure="a test")
    keys = ctx.keygen()
    x = ctx.encrypt(np.ones((12, ctx.slots)), keys.public)
    claimed = Layout(x._packed.layout.slots, math.prod(shape), *table)
    rf.save(
        tmp_path / "x.rfc",
        x=x._derived(shape, Packed(claimed, x._packed.ciphertexts[: claimed.ciphertexts], unused), None),
    )
    with pytest.raises(errors.ParametersMismatch, match="does not fit its ciphertexts"):
        rf.load(tmp_path / "x.rfc", ctx, keys=keys.public)


def test_a_file_with_a_slow_table_is_refused_before_any_work(tmp_path):
    ctx = rf.Context(depth=1, n=8192)
    keys = ctx.keygen()
    x = ctx.encrypt(np.zeros(4096), keys.public)
    slow = Layout(x._packed.layout.slots, 2048, 2048, 1, 2)  # each row has one element in two slots
    rf.save(tmp_path / "x.rfc", x=x._derived((128, 16), Packed(slow, x._packed.ciphertexts), None))
    y = rf.load(tmp_path / "x.rfc", ctx, keys=keys.public)["x"]
    with (
        ctx.profile() as seen,
        pytest.raises(errors.Unsupported, match=r"sum over axis \(0,\) would take 2048 different"),
    ):
        y.sum(axis=0)
    assert not seen.records


def test_objects_of_two_ranges_are_not_saved_or_loaded_together(tmp_path):
    common = {"depth": 0, "plain_modulus": 65537}
    narrow, wide = (rf.Context("int", range=(-m, m), **common) for m in (5, 50))
    keys, others = narrow.keygen(rotations=[]), wide.keygen(rotations=[])
    with pytest.raises(errors.ParametersMismatch, match="different ranges"):
        rf.save(tmp_path / "x.rfc", a=keys.public, b=others.public)
    rf.save(tmp_path / "x.rfc", a=keys, passphrase="four words of mine", strength=0)
    for ctx in (wide, rf.Context("int", modular=True, **common)):
        with pytest.raises(errors.ParametersMismatch, match=r"keys for integers of the range \(-5, 5\)"):
            rf.load(tmp_path / "x.rfc", ctx, passphrase="four words of mine")
    assert (
        rf.load(tmp_path / "x.rfc", narrow, passphrase="four words of mine")["a"].public.fingerprint
        == keys.public.fingerprint
    )
