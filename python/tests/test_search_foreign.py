# SPDX-License-Identifier: Apache-2.0
"""Tests an index whose folder other people have changed. The owner must lose no document except the changed ones."""

import hashlib
import os

import pytest
from checksums import put_checksum

import ringfort as rf
from ringfort import search as rs

# Bytes of a document's record: fields in the clear, the sealed box, and 4 bytes of CRC-32C.
HEAD, SEALED, RECORD = 32, 560, 596


@pytest.fixture
def shared(tmp_path):
    """Makes an index with a letter of the owner and a letter of a sender. The index contains both bodies."""
    keys = rs.keygen(tmp_path / "keys", constant_weight=True, unsealed=True)
    public = rs.load_keys(tmp_path / "keys/public.rfk")
    with rs.Index.create(tmp_path / "idx", keys) as index:
        index.add([rs.Document("<1@x>", "mine", ("soup",), body=b"my soup", digest=b"\1" * 32)], keys)
    with rs.Index.open(tmp_path / "idx", append=True) as index:
        index.add([rs.Document("<2@x>", "theirs", ("soup",), body=b"their soup")], public)
    return keys


def spoil_record(folder):
    data = bytearray((folder / "documents.rfd").read_bytes())
    begin = len(data) - RECORD
    data[begin + HEAD : begin + HEAD + SEALED] = os.urandom(SEALED)
    put_checksum(data, begin, begin + HEAD + SEALED)
    (folder / "documents.rfd").write_bytes(data)


def spoil_body(folder):
    record = (folder / "documents.rfd").read_bytes()[-RECORD:]
    offset, size = (int.from_bytes(record[at : at + 8], "little") for at in (16, 24))
    data = bytearray((folder / "bodies.rfb").read_bytes())
    data[offset : offset + size] = os.urandom(size)
    put_checksum(data, offset, offset + size)
    (folder / "bodies.rfb").write_bytes(data)


@pytest.mark.parametrize("spoil", [spoil_record, spoil_body])
def test_a_document_that_a_sender_sealed_wrongly_affects_no_other_document(command, tmp_path, shared, spoil):
    spoil(tmp_path / "idx")
    assert rs.Index.verify(tmp_path / "idx").problems == []
    for arguments in (
        ("query", "soup", "-k", "keys", "-o", "q"),
        ("search", "-i", "idx", "-q", "q", "-o", "a"),
    ):
        assert command("search", *arguments).code == 0
    read = command("search", "decrypt", "a", "-k", "keys", "-i", "idx", "--bodies", "--json")
    assert read.code == 0, read.err
    mine, theirs = read.json["matches"]
    assert (mine["subject"], mine["body"], mine["readable"]) == ("mine", "my soup", True)
    titles = ("<2@x>", "theirs", True) if spoil is spoil_body else ("", "", False)
    assert (theirs["message_id"], theirs["subject"], theirs["readable"], theirs["body"]) == (*titles, None)
    shown = command("search", "decrypt", "a", "-k", "keys", "-i", "idx", "--bodies")
    assert shown.code == 0, shown.err
    assert "my soup" in shown.out
    assert "unreadable" in shown.out
    (tmp_path / "new.eml").write_text("Subject: new\n\nsoup\n")
    added = command("search", "index", "new.eml", "-k", "keys", "-o", "idx", "--json")
    assert (added.code, added.json["index_documents"]) == (0, 3), added.err
    again = command("search", "index", "new.eml", "-k", "keys", "-o", "idx", "--json")
    assert (again.code, again.json["already_held"]) == (0, 1), again.err
    with rs.Index.open(tmp_path / "idx") as index:
        assert index.contains([rs.Document("", "", (), digest=b"\1" * 32)], shared) == [True]


HEADER, PROFILE, DIGEST = 64, 128, 32


def change_parameters(folder, at, value):
    """Changes a byte of parameters.rfp, and corrects the checksums. Whoever can write to the folder can do this."""
    path = folder / "parameters.rfp"
    data = bytearray(path.read_bytes())
    data[at] = value
    put_checksum(data, HEADER, HEADER + PROFILE - 4)
    data[-DIGEST:] = hashlib.blake2b(data[:-DIGEST], digest_size=DIGEST).digest()
    path.write_bytes(data)


def test_an_owner_who_repeats_the_option_does_not_store_every_occurrence(command, tmp_path):
    rs.keygen(tmp_path / "keys", hash_bits=8, unsealed=True)
    (tmp_path / "1.txt").write_text("no no no")
    (tmp_path / "2.txt").write_text("no no no no")
    to = ("-k", "keys", "-o", "idx", "--json")
    assert command("search", "index", "1.txt", *to, "--distinct").json["words"] == 1
    most_repeats = len((tmp_path / "idx/parameters.rfp").read_bytes()) - DIGEST - 4
    change_parameters(tmp_path / "idx", most_repeats, 0)
    refused = command("search", "index", "2.txt", *to, "--distinct")
    assert (refused.code, refused.json["error"]["code"]) == (1, "parameters_mismatch")
    assert "somebody changed its folder" in refused.json["error"]["fix"]
    with pytest.raises(rf.errors.ParametersMismatch, match="all copies"):
        rs.Index.open(tmp_path / "idx", append=True, repeats=1)
    rs.Index.open(tmp_path / "idx", append=True, repeats=0).close()  # the refusal released the lock


@pytest.mark.parametrize(
    ("preset", "switch"),
    [("gsw128", 49), ("paper-gsw", 50)],
    ids=["public keys", "literal engine"],
)
def test_an_index_whose_switches_were_changed_is_not_appended_to_and_its_answers_are_not_read(tmp_path, preset, switch):
    """If there are public keys, strangers can make words whose hashes nearly equal the hash of a query. The plan of a
    search must then allow for the noise of such words. Somebody changed the byte of parameters.rfp on which the plan
    depends.
    """
    insecure = {"allow_insecure": preset != "gsw128"}
    owner = rs.keygen(tmp_path / "keys", preset, hash_bits=8, unsealed=True, **insecure)
    folder = tmp_path / "idx"
    with rs.Index.create(folder, owner) as index:
        index.add([rs.Document("<1@x>", "", ("soup",))], owner)
    was = (folder / "parameters.rfp").read_bytes()[HEADER + switch]
    change_parameters(folder, HEADER + switch, 1 - was)
    assert rs.Index.verify(folder).problems == []
    for keys in (owner, rs.load_keys(tmp_path / "keys/public.rfk", **insecure)):
        with (
            rs.Index.open(folder, append=True, **insecure) as index,
            pytest.raises(rf.errors.ParametersMismatch, match="was changed"),
        ):
            index.add([rs.Document("<3@x>", "", ("soup",))], keys)
    answer = rs.search(folder, rs.query("soup", owner), **insecure)
    with pytest.raises(rf.errors.ParametersMismatch):
        rs.decrypt(answer, owner)


@pytest.mark.parametrize(
    ("preset", "at", "size", "value"),
    [("gsw128", 56, 4, 8), ("gsw128", 0, 6, int.from_bytes(b"other1", "little")), ("paper-gsw", 50, 1, 0)],
    ids=["hash bits", "name", "literal engine"],
)
def test_public_keys_that_were_changed_on_their_way_have_another_fingerprint(tmp_path, preset, at, size, value):
    """The test changes the keys as an attacker could: it corrects the digest in the header, and keeps the key id."""
    insecure = {"allow_insecure": preset != "gsw128"}
    keys = rs.keygen(tmp_path / "keys", preset, unsealed=True, **insecure)
    path = tmp_path / "keys/public.rfk"
    data = bytearray(path.read_bytes())
    data[HEADER + at : HEADER + at + size] = value.to_bytes(size, "little")
    put_checksum(data, HEADER, HEADER + PROFILE - 4)
    profile = data[HEADER : HEADER + PROFILE]
    numbers = [
        (24, 4),
        (28, 8),
        (36, 4),
        (40, 4),
        (44, 4),
        (48, 1),
        (52, 4),
    ]  # n, q, base, digits, shift, centred, bits
    named = b"ringfort rgsw parameters 1: ternary secret, binomial 21 error" + b"".join(
        bytes(profile[begin : begin + length]).ljust(8, b"\0") for begin, length in numbers
    )
    parameters = hashlib.blake2b(named, digest_size=DIGEST).digest()
    named = parameters + profile[56:60] + profile[51:52] + profile[60:76]
    data[16:48] = hashlib.blake2b(named, digest_size=DIGEST).digest()
    put_checksum(data, 0, HEADER - 4)
    data[-DIGEST:] = hashlib.blake2b(data[:-DIGEST], digest_size=DIGEST).digest()
    path.write_bytes(data)
    changed = rs.load_keys(path, **insecure)
    assert changed.key_id == keys.key_id
    assert changed.fingerprint != keys.fingerprint
