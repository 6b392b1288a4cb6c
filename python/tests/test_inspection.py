# SPDX-License-Identifier: Apache-2.0
"""Tests what files show without a key: names, kinds, shapes and ids, and whether they contain a secret. Also tests
hostile bytes."""

from __future__ import annotations

import io
import json
import shutil

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors
from ringfort._core import files as core

CTX = rf.Context(depth=1, n=2048, precision=8, magnitude=4, insecure="a test")
KEYS = CTX.keygen(rotations=[1])
X = CTX.encrypt(np.ones((2, 3)), KEYS)
SEAL = {"passphrase": "w", "strength": 0}


@pytest.fixture(scope="module")
def data():
    return rf.dumps(x=X, y=X * X, keys=KEYS.public)


def test_a_container_shows_names_kinds_shapes_and_ids(data, tmp_path):
    (tmp_path / "x.rfc").write_bytes(data)
    found = rf.inspect(data)
    assert (
        found == rf.inspect(tmp_path / "x.rfc") == rf.inspect(str(tmp_path / "x.rfc")) == rf.inspect(io.BytesIO(data))
    )
    assert found.facts == {
        "type": "container",
        "format_version": 2,
        "bytes": len(data),
        "dtype": "float64",
        "scheme": "ckks",
        "n": 2048,
        "depth": 1,
        "security": CTX.explain().facts.security,
        "below_128_bits": "yes",
    }
    assert not found.holds_secret
    assert {name: entry.kind for name, entry in found.entries.items()} == {
        "x": "array",
        "y": "array",
        "keys": "public keys",
    }
    assert {entry.key_id for entry in found.entries.values()} == {KEYS.public.id}
    assert found.entries["x"].facts == {"shape": [2, 3], "ciphertexts": 1}
    assert found.entries["keys"].facts["fingerprint"] == KEYS.public.fingerprint
    assert found.entries["keys"].facts["parts"] == "public key, relinearization key, Galois keys"
    assert sum(entry.bytes for entry in found.entries.values()) < len(data)
    assert json.loads(json.dumps(found.as_dict()))["entries"]["y"]["key_id"] == KEYS.public.id
    for shown in (str(found), found._repr_html_()):
        assert "float64" in shown
        assert KEYS.public.id in shown


def test_integers_show_their_range_and_the_same_fingerprint():
    ctx = rf.Context("int", depth=1, range=(-9, 9))
    keys = ctx.keygen(rotations=[])
    found = rf.inspect(rf.dumps(keys=keys.public, x=ctx.encrypt([1], keys)))
    assert (found.facts["dtype"], found.facts["range"], found.facts["scheme"]) == ("int64", (-9, 9), "bgv")
    assert found.facts["below_128_bits"] == "no"
    assert found.facts["security"].startswith("128 bits")
    assert found.entries["keys"].facts["fingerprint"] == keys.public.fingerprint


@pytest.mark.parametrize(
    ("options", "sealed"), [({"unsealed": True}, False), ({"passphrase": "w", "strength": 0}, True)]
)
def test_a_secret_is_named_sealed_or_not(options, sealed, tmp_path):
    found = rf.inspect(rf.dumps(x=X, owner=KEYS, **options))
    assert found.holds_secret
    assert [name for name, entry in found.entries.items() if entry.holds_secret] == ["owner"]
    assert found.entries["owner"].kind == "secret keys"
    assert found.entries["owner"].facts["sealed"] is sealed
    assert str(found).startswith("secret inside")
    assert "YES" in str(found).splitlines()[0]


def test_a_secret_under_any_other_name_is_named_too():
    members = core.unpack(np.frombuffer(rf.dumps(owner=KEYS, unsealed=True), np.uint8))
    secret = dict(members)["owner.secret"]
    for name in ("x", "owner.public", "a.b.secret", "@range.x", "owner.other"):
        found = rf.inspect(core.pack([(name, secret)]).tobytes())
        assert found.holds_secret, name
    assert rf.inspect(secret.tobytes()).holds_secret


def test_single_objects_and_files_of_a_search_are_shown(tmp_path, mailbox, data):
    for name, file in core.unpack(np.frombuffer(data, np.uint8)):
        (tmp_path / "part").write_bytes(file.tobytes())
        found = rf.inspect(file.tobytes())
        assert found.facts == rf.inspect(tmp_path / "part").facts, name
        assert not found.holds_secret
    rf.search.query("fox", rf.search.load_keys(mailbox.folder / "keys")).save(str(tmp_path / "q"))
    for path in [tmp_path / "q", *mailbox.index.glob("*.rf?"), *(mailbox.folder / "keys").glob("*.rfk")]:
        found = rf.inspect(path)
        assert found == rf.inspect(path.read_bytes()), path
        assert found.holds_secret == (path.name == "secret.rfk")
    assert rf.inspect(tmp_path / "q").facts["type"] == "query token"


def test_arrays_of_two_secrets_in_one_record_are_said_to_have_several():
    ciphertexts = [
        each for keys in (KEYS, CTX.keygen(rotations=[])) for each in ciphertexts_of(CTX.encrypt([1.0], keys))
    ]
    record = core.Array()
    record.shape, record.rows, record.cols, record.stride, record.unused_slots = [2], 1, 2, 1, 0
    record.interval, record.ciphertexts = None, ciphertexts
    assert rf.inspect(core.pack([("x", core.encode_array(record))]).tobytes()).entries["x"].key_id == "several"


def ciphertexts_of(array):
    return [core.encode_ciphertext(array._session.on.context, ciphertext) for ciphertext in array._packed.ciphertexts]


def test_hostile_bytes_have_codes_and_nothing_else(data, tmp_path):
    rng, codes = np.random.default_rng(3), set()
    lengths = [*range(0, 300, 3), *rng.integers(300, len(data), 40)]
    hostile = [data[:length] for length in lengths] + [data + b"x"]
    for at in [*range(0, 260), *rng.integers(0, len(data), 60)]:
        hostile.append(data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :])
    for each in hostile:
        (tmp_path / "h").write_bytes(each)
        for source in (each, io.BytesIO(each), tmp_path / "h"):
            with pytest.raises(errors.Error) as refused:
                rf.inspect(source)
            codes.add(refused.value.code)
    assert codes == {"io_truncated", "io_magic", "io_checksum", "io_length"}


def test_members_that_lie_are_refused_or_shown_as_what_they_are(data):
    members = dict(core.unpack(np.frombuffer(data, np.uint8)))
    swapped = rf.inspect(core.pack([("k.public", members["x"]), ("x", members["keys.public"])]).tobytes())
    assert swapped.entries["k"].facts["parts"] == "array"
    assert swapped.entries["x"].kind == "public key"
    with pytest.raises(errors.IoType):
        rf.inspect(core.pack([("@f", members["x"])]).tobytes())


def test_larger_files_than_the_limit_and_other_objects_are_refused(data, tmp_path):
    (tmp_path / "x.rfc").write_bytes(data)
    file = dict(core.unpack(np.frombuffer(data, np.uint8)))["x"].tobytes()
    (tmp_path / "x").write_bytes(file)
    for source in (data, io.BytesIO(data), tmp_path / "x.rfc"):
        with pytest.raises(errors.IoLimit):
            rf.inspect(source, max_bytes=len(data) - 1)
    with pytest.raises(errors.IoLimit):
        rf.inspect(tmp_path / "x", max_bytes=len(file) - 1)
    for wrong in (7, None, [1], ""):
        with pytest.raises(errors.InvalidArgument):
            rf.inspect(wrong)
    with pytest.raises(errors.IoOpen):
        rf.inspect(tmp_path / "nothing")


def test_the_command_shows_the_same(command, tmp_path, data):
    (tmp_path / "x.rfc").write_bytes(data)
    found = command("inspect", "x.rfc", "--json")
    assert found.code == 0, found.err
    assert found.json["files"]["x.rfc"] == json.loads(json.dumps(rf.inspect(data).as_dict()))
    text = command("inspect", "x.rfc").out
    assert "secret inside" in text
    assert KEYS.public.id in text
    rf.save(tmp_path / "s.rfc", keys=KEYS, unsealed=True)
    assert command("inspect", "s.rfc", "--json").json["files"]["s.rfc"]["holds_secret"] is True
    (tmp_path / "junk").write_bytes(b"junk" * 50)
    assert (command("inspect", "junk", "--json").json["error"]["code"]) == "io_magic"
    shutil.copy("x.rfc", "y.rfc")
    assert len(command("search", "inspect", "x.rfc", "y.rfc", "--json").json["files"]) == 2


def test_the_command_names_each_bad_file_and_shows_the_good_ones(command, tmp_path, data):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/a.rfc").write_bytes(b"junk" * 50)
    (tmp_path / "kept/x.rfc").write_bytes(data)
    (tmp_path / "empty").mkdir()
    found = command("inspect", "kept", "empty", "nothing")
    assert (found.code, KEYS.public.id in found.out) == (1, True)
    for path, problem in (("kept/a.rfc", "kept/a.rfc: "), ("empty", "empty: the folder has no file"), ("nothing", "")):
        assert f"warning: {problem}" in found.err, path
        assert found.err.count(path) == 1
    document = command("inspect", "kept", "--json").json
    assert list(document["files"]) == ["kept/x.rfc"]
    assert document["refused"]["kept/a.rfc"]["code"] == "io_magic"
    for path, problem in (("empty", "empty: the folder has no file"), ("kept/a.rfc", "kept/a.rfc: ")):
        found = command("inspect", path)
        assert (found.code, found.err.startswith(f"error: {problem}")) == (1, True)
    found = command("inspect", "empty", "nothing")
    assert (found.code, found.err.count("warning: ")) == (1, 2)
    refused = command("inspect", "empty", "nothing", "--json").json["refused"]
    assert {name: error["code"] for name, error in refused.items()} == {"empty": "io_type", "nothing": "io_open"}


def test_a_member_named_like_a_fact_hides_no_fact():
    ctx = rf.Context(depth=1, n=1024, insecure="a weak ring")
    keys = ctx.keygen(rotations=[])
    names = ("secret inside", "security", "below_128_bits", "bytes")
    found = rf.inspect(rf.dumps(keys=keys, unsealed=True, **{name: ctx.encrypt([1.0], keys) for name in names}))
    rows = dict(found.rows())
    assert rows["secret inside"] == "YES"
    assert rows["below_128_bits"] == "yes"
    assert set(rows) >= {f'"{name}"' for name in (*names, "keys")}
    assert len(rows) == len(found.rows())
    assert found._repr_html_().count("<tr>") == len(rows)


def test_rotation_keys_are_listed():
    ctx = rf.Context("complex", depth=1, n=2048, insecure="a test")
    some = ctx.keygen(rotations=[5, -3])
    found = rf.inspect(rf.dumps(k=some.public)).entries["k"]
    assert sorted(found.facts["rotations"]) == [-3, 5]
    assert found.facts["conjugation"] == "no"
    every = ctx.keygen()
    shown = rf.inspect(rf.dumps(k=every.public))
    assert sorted(shown.entries["k"].facts["rotations"]) == sorted(every.public._galois.plan.steps)
    assert shown.entries["k"].facts["conjugation"] == "yes"
    assert "and 3 more]" in str(shown)
    json.dumps(shown.as_dict())
