# SPDX-License-Identifier: Apache-2.0
"""Tests which messages count as equal: those with equal content, from mailboxes of any kind. Line ends, headers of mail
programs and the ">" before "From " may differ. Messages with equal ids and subjects alone do not count as equal."""

import io
import mailbox
import sys

import pytest

import ringfort as rf
from ringfort import search as rs
from ringfort.search.mail import read_message

LETTER = (
    b"Received: from mx (mx [192.0.2.1]) id 4F2A\nFrom: Ada <ada@example.org>\nTo: Charles\nSubject: the engine\n"
    b"Date: Mon, 2 Mar 2026 10:00:00 +0000\nMessage-ID: <1@example.org>\nContent-Type: multipart/mixed; boundary=b\n\n"
    b"--b\n\nFrom here on\nit counts.\n--b\nContent-Type: image/png\n\nab12\n--b--\n"
)


def put_checksum(data, begin, end):
    crc = 0xFFFFFFFF
    for byte in data[begin:end]:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    data[end : end + 4] = (crc ^ 0xFFFFFFFF).to_bytes(4, "little")


def digest_of(raw):
    return read_message(raw, "x").digest


def read_from(source, format="auto"):
    found = list(rs.read(source, format))
    assert all(isinstance(document, rs.Document) for document in found)
    return [document.digest for document in found]


def test_a_letter_has_the_same_digest_in_every_kind_of_source(tmp_path, monkeypatch):
    wanted = digest_of(LETTER)
    assert len(wanted) == 32
    (tmp_path / "1.eml").write_bytes(LETTER)
    (tmp_path / "2.eml").write_bytes(LETTER.replace(b"\n", b"\r\n") + b"\r\n\r\n")
    (tmp_path / "3.eml").write_bytes(b"From ada@example.org Mon Mar  2 10:00:00 2026\n" + LETTER)
    assert read_from(tmp_path, "mail") == [wanted] * 3
    box = mailbox.mbox(tmp_path / "in.mbox")
    for status in ("", "R", "RO"):
        letter = mailbox.mboxMessage(LETTER)
        letter.set_flags(status)
        box.add(letter)
    box.close()
    stored = (tmp_path / "in.mbox").read_bytes()
    assert stored.count(b"\n>From here") == 3
    assert stored.count(b"\nStatus: R") == 2
    assert read_from(tmp_path / "in.mbox") == [wanted] * 3
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdin", type("Input", (), {"buffer": io.BytesIO(stored)}))
        assert read_from("-") == [wanted] * 3
    folder = mailbox.Maildir(tmp_path / "Mail")
    folder.add(LETTER)
    assert read_from(tmp_path / "Mail") == [wanted]
    kept = b"X-Mozilla-Status: 0001\nX-Keywords: a\n b\n\tc\ncontent-length: 12\nLines: 4\n"
    for offset in (0, LETTER.index(b"From: "), LETTER.index(b"\n\n") + 1):
        assert digest_of(LETTER[:offset] + kept + LETTER[offset:]) == wanted


@pytest.mark.parametrize("offset", range(0, len(LETTER), 7))
def test_a_letter_with_one_changed_byte_has_another_digest(offset):
    """The digest includes the bytes of all headers of this letter, and of all parts, also those that are not
    indexed."""
    other = LETTER[:offset] + bytes([LETTER[offset] ^ 1]) + LETTER[offset + 1 :]
    assert digest_of(other) != digest_of(LETTER)


def test_lines_that_only_resemble_excluded_headers_change_the_digest():
    for added in (b"Status: R\n", b"X-Status: R\n"):
        assert digest_of(LETTER + added) != digest_of(LETTER)  # the added line is after the headers
        assert digest_of(b"\n" + added + LETTER) != digest_of(b"\n" + LETTER)
        assert digest_of(b"Not-" + added + LETTER) != digest_of(LETTER)
    assert digest_of(LETTER + b">Fromage\n") != digest_of(LETTER + b"Fromage\n")
    assert digest_of(LETTER + b"a >From b\n") != digest_of(LETTER + b"a From b\n")


def test_a_quoted_line_is_the_same_in_html_too():
    """The digest ignores the ">" that an mbox file adds. It cannot tell this ">" from one that the sender wrote. In
    HTML, ">" may end a tag. Therefore messages with equal digests may have different words."""
    head, lines = b"Content-Type: text/html\n\n<b\n", b"From here> on\n"
    ended, open_tag = (read_message(head + quote + lines, "x") for quote in (b">", b""))
    assert ended.digest == open_tag.digest
    assert (ended.words, open_tag.words) == (("from", "here", "on"), ("on",))
    assert digest_of(head + b" " + lines) != ended.digest


def test_texts_are_equal_only_under_the_same_name(tmp_path):
    for folder, name, content in (
        ("a", "1.txt", "word"),
        ("b", "1.txt", "word"),
        ("c", "1.txt", "words"),
        ("d", "2.txt", "word"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(content)
    same, again, other, named = (read_from(tmp_path / folder)[0] for folder in "abcd")
    assert same == again
    assert len({same, other, named}) == 3
    assert len(set(read_from(tmp_path / "a", "mail") + [same])) == 2


def test_an_index_recognises_documents_only_by_their_digests(tmp_path):
    keys = rs.keygen(tmp_path / "keys", constant_weight=True, unsealed=True)
    hers, guessed, without = (
        rs.Document("<1@x>", "s", ("word",), digest=digest) for digest in (b"h" * 32, b"g" * 32, b"")
    )
    with rs.Index.create(tmp_path / "idx", keys) as index:
        index.add([guessed, without], keys)
        assert index.contains([hers, guessed, without], keys) == [False, True, False]
        index.add([hers], keys, as_sender=True)
        assert index.contains([hers, guessed, without], keys) == [True, True, False]
        with pytest.raises(rf.errors.KeyMissing):
            index.contains([hers], rs.load_keys(tmp_path / "keys/public.rfk"))
        for wrong in (b"short", "h" * 32, None):
            with pytest.raises(rf.errors.InvalidArgument, match="digest"):
                index.contains([rs.Document("<1@x>", "s", ("word",), digest=wrong)], keys)


RECORD = 596  # bytes of a document's record: 32 in the clear, the sealed box, and 4 of CRC-32C


@pytest.mark.parametrize(("number", "copied"), [(1, 0), (0, 1), (2, 0)])
def test_a_record_that_was_moved_inside_its_index_is_not_the_owners(number, copied, tmp_path):
    """An attacker who can write to the folder copies the sealed part of a record into another record, and corrects the
    checksum of this other record."""
    keys = rs.keygen(tmp_path / "keys", constant_weight=True, unsealed=True)
    letters = [rs.Document(f"<{i}@x>", "s", ("word",), digest=bytes([i + 1]) * 32) for i in range(3)]
    with rs.Index.create(tmp_path / "idx", keys) as index:
        index.add(letters, keys)
    with rs.Index.open(tmp_path / "idx") as index:
        assert (
            index.contains(letters, keys)
            == [document.added_by_owner for document in index.read_documents(range(3), keys)]
            == [True] * 3
        )
    path = tmp_path / "idx/documents.rfd"
    stored = bytearray(path.read_bytes())
    begins = [len(stored) - (3 - i) * RECORD for i in range(3)]
    sealed = slice(begins[copied] + 32, begins[copied] + RECORD - 4)
    stored[begins[number] + 32 : begins[number] + RECORD - 4] = stored[sealed]
    put_checksum(stored, begins[number], begins[number] + RECORD - 4)
    path.write_bytes(stored)
    with rs.Index.open(tmp_path / "idx") as index:
        own = [i < number for i in range(3)]  # the tag of a record is valid only if no record before it has changed
        found = index.read_documents(range(3), keys)
        assert [document.added_by_owner for document in found] == index.contains(letters, keys) == own
        assert not any(document.has_unplaced_tag for document in found)


@pytest.mark.parametrize(
    "letter",
    [
        b"Ticket 42\nStatus: %s\n",
        b"Subject: a\nStatus : %s\n\nbody\n",
        b"Subject: a\n>From b@c\nStatus: %s\n\nbody\n",
        b"From: a@b.org\nno header\nLines: %s\n\nbody\n",
    ],
)
def test_lines_after_the_headers_change_the_digest(letter):
    """The first line that is not a header ends the headers. The lines after it are indexed."""
    assert digest_of(letter % b"open") != digest_of(letter % b"closed")
