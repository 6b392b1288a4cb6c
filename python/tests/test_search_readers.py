# SPDX-License-Identifier: Apache-2.0
"""Tests the functions that read documents for an index: every format, and mail from attackers."""

import io
import mailbox
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ringfort as rf
from ringfort.errors import IoOpen
from ringfort.search import Document, Skipped, mail, read, readers
from ringfort.search.mail import read_message
from ringfort.search.mime import DEPTH_LIMIT, PART_LIMIT

LETTER = (
    b"From: Ada <ada@example.org>\nTo: Charles\nSubject: =?utf-8?q?The_caf=C3=A9?=\nMessage-ID: <1@example.org>\n"
    b"Content-Type: text/plain; charset=iso-8859-1\n\nAn engine na\xefve, an engine.\n"
)


def only(found):
    found = list(found)
    assert len(found) == 1
    return found[0]


def name_of(document):
    """Returns the id without the digest of the content."""
    return re.sub("-[0-9a-f]{8}$", "", document.id)


def test_a_letter_has_id_subject_words_and_fields():
    letter = read_message(LETTER, "x", keep_body=True)
    assert isinstance(letter, Document)
    assert (letter.id, letter.subject, letter.body) == ("<1@example.org>", "The café", LETTER)
    assert letter.count("engine") == 2
    assert letter.count("engine", repeats=1) == 1
    assert letter.count("naïve") == letter.count("charles") == letter.count("café") == 1
    assert letter.count("subject:café", fields=True) == 1
    assert letter.count("subject:engine", fields=True) == letter.count("subject:café") == 0


def test_html_part_is_read_without_tags_scripts_and_styles():
    letter = read_message(
        b"Content-Type: text/html\n\n<style>p{hidden}</style><p>shown&eacute;</p><script>also hidden</script>last<br>",
        "x",
    )
    assert list(letter.words) == ["showné", "last"]


def test_base64_attachment_is_not_indexed_and_text_attachment_is():
    letter = read_message(
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n"
        b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n"
        b"aGlkZGVu\n--b\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\nc2hvd24=\n--b--\n",
        "x",
    )
    assert list(letter.words) == ["shown"]


HOSTILE = {
    "boundary that never comes": b"Content-Type: multipart/mixed; boundary=never\n\nword\n",
    "no boundary at all": b"Content-Type: multipart/mixed\n\nword\n",
    "unknown charset": b"Content-Type: text/plain; charset=x-none\n\nword \xff\xfe\n",
    "charset that is not text": b"Content-Type: text/plain; charset=base64\n\nword\n",
    "charset with NUL": b'Content-Type: text/plain; charset="utf\0-8"\n\nword\n',
    "wrong charset": b"Content-Type: text/plain; charset=ascii\n\nword caf\xc3\xa9\n",
    "broken base64": b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\nd29yZA\nword!*\n",
    "unknown transfer encoding": b"Content-Transfer-Encoding: rot13\n\nword\n",
    "broken quoted-printable": b"Content-Transfer-Encoding: quoted-printable\n\nword =ZZ =\n",
    "broken encoded word": b"Subject: =?utf-8?b?!!!!?= =?x?q?a?= =?utf-8?q?=C3?=\n\nword\n",
    "NUL bytes": b"Subject: a\0b\n\nword\0word\n",
    "huge header": b"Subject: " + b"a " * 2_000_000 + b"\n\nword\n",
    "huge encoded header": b"Subject: " + b"=?utf-8?q?a?= " * 200_000 + b"\n\nword\n",
    "many headers": b"X-A: b\n" * 200_000 + b"\nword\n",
    "folded for ever": b"Subject: a\n" + b" b\n" * 200_000 + b"\nword\n",
    "no headers": b"word\n",
    "only a colon": b":\n\nword\n",
    "bare carriage returns": b"Subject: a\r\rword\r",
    "16-bit text": b"Content-Type: text/plain; charset=utf-16\n\n" + "word".encode("utf-16"),
    "broken RFC 2231": b"Content-Type: text/plain; charset*0*=x'y'%ZZ; charset*2=b\n\nword\n",
    "surrogates": b"Subject: \xed\xa0\x80\xff\n\nword\n",
    "a million tags": b"Content-Type: text/html\n\nword" + b"<" * 1_000_000,
    "opened scripts": b"Content-Type: text/html\n\nword" + b"<script></style>" * 600_000,
    "closed scripts": b"Content-Type: text/html\n\nword" + b"<script></script>" * 600_000,
    "one style after scripts": b"Content-Type: text/html\n\nword" + b"<script></script>" * 600_000 + b"<style>",
    "many parameters": b'Content-Type: text/plain; x="' + b";" * 8000 + b"\n\nword\n",
    "a million scripts": b"Content-Type: text/html\n\nword" + b"<script" * 200_000,
    "deep MIME": b"".join(b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (i, i) for i in range(3000))
    + b"\nword\n",
    "wide MIME": b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nword\n" * 20_000 + b"--b--\n",
    "message in message": b"Content-Type: message/rfc822\n\n" * 2000 + b"word\n",
    "empty": b"",
    "only NUL": b"\0" * 1000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_mail_is_indexed_or_skipped_with_a_reason(name):
    found = read_message(HOSTILE[name], name)
    if isinstance(found, Skipped):
        assert found.reason
        assert str(found).startswith(f"skipped {name}: ")
    else:
        assert found.words
        assert found.id.isprintable()
        assert found.subject.isprintable()
        "".join(found.words).encode()


@pytest.mark.parametrize(
    "name",
    [
        "unknown charset",
        "wrong charset",
        "broken quoted-printable",
        "broken encoded word",
        "NUL bytes",
        "huge header",
        "no boundary at all",
        "bare carriage returns",
        "broken RFC 2231",
        "a million tags",
        "closed scripts",
        "many parameters",
        "16-bit text",
    ],
)
def test_the_readable_part_of_broken_mail_is_read(name):
    assert "word" in read_message(HOSTILE[name], name, most_words=1 << 31).words


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400), st.integers(0, len(LETTER)))
def test_any_bytes_become_a_document_or_are_skipped_with_a_reason(noise, at):
    for raw in (noise, LETTER[:at] + noise + LETTER[at:]):
        found = read_message(raw, "noise")
        assert isinstance(found, (Document, Skipped))


def test_every_letter_of_an_mbox_file_is_read_and_empty_letters_are_reported(tmp_path):
    box = tmp_path / "in.mbox"
    box.write_bytes(b"From a\n" + LETTER + b"\nFrom b\n\n\nFrom c\nSubject: last\n\nword\n")
    first, empty, last = read(box)
    assert first.id == "<1@example.org>"
    assert str(empty) == "skipped in.mbox#2: empty"
    assert (name_of(last), last.subject) == ("in.mbox#3", "last")


@given(st.lists(st.sampled_from([b"From a", b"From", b"\n", b"\n", b"x", b"\r", b"Subject: s"])))
@settings(max_examples=60, deadline=None)
def test_letters_of_an_mbox_equal_those_of_pythons_reader(pieces):
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"".join(pieces))
        file.flush()
        box = mailbox.mbox(file.name, create=False)
        expected = [box.get_bytes(key) for key in box.iterkeys()]
        file.seek(0)
        assert list(readers._letters(file)) == expected


def test_a_letter_of_too_many_words_is_skipped_and_the_others_are_read(tmp_path):
    letters = (b"Subject: x\n\nsoup\n", b"Subject: x\n\n" + b"soup " * 30_000 + b"\n", b"Subject: x\n\ntea\n")
    (tmp_path / "in.mbox").write_bytes(b"".join(b"From x\n" + letter for letter in letters))
    first, long, last = read(tmp_path / "in.mbox")
    assert (first.words, str(long), last.words) == (
        ("x", "soup"),
        "skipped in.mbox#2: more than 20,000 words",
        ("x", "tea"),
    )
    assert len(list(read(tmp_path / "in.mbox", most_words=30_001))[1].words) == 30_001
    (tmp_path / "text").write_bytes(b"soup " * 30)
    assert [str(item) for item in read(tmp_path / "text", most_words=29)] == ["skipped text: more than 29 words"]


def letter_of_parts(count):
    item = b"--b\n\nsoup\n"
    # The message itself is one of the parts.
    return b"Content-Type: multipart/mixed; boundary=b\n\n" + item * (count - 1) + b"--b--\n"


def letter_of_levels(count):
    heads = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(count - 1))
    return heads + b"\nsoup\n"


@pytest.mark.parametrize(
    ("letter", "most", "reason"),
    [
        (letter_of_parts, PART_LIMIT, "more than 1000 MIME parts"),
        # The letter itself is above the first level.
        (letter_of_levels, DEPTH_LIMIT + 1, "MIME parts nested too deeply"),
    ],
)
def test_a_letter_of_too_many_parts_or_levels_is_skipped(letter, most, reason):
    assert "soup" in read_message(letter(most), "x").words
    skipped = read_message(letter(most + 1), "x")
    assert isinstance(skipped, Skipped)
    assert str(skipped) == f"skipped x: {reason}"


def test_a_letter_above_the_limit_is_skipped_and_read_no_further(tmp_path, monkeypatch):
    monkeypatch.setattr(readers, "MESSAGE_LIMIT_BYTES", 1000)
    monkeypatch.setattr(mail, "MESSAGE_LIMIT_BYTES", 1000)
    box = tmp_path / "in.mbox"
    for filling in (b"\0" * 10**6, b"word\n" * 10**5, b"x" * 10**5 + b"From b\n" * 10):
        box.write_bytes(b"From a\n" + filling + b"\nFrom c\nSubject: last\n\nword\n")
        with box.open("rb") as file:
            assert max(map(len, readers._letters(file))) <= 2000
        found = list(read(box))
        assert "over the limit" in found[0].reason
        assert found[-1].subject == "last"


def test_standard_input_has_a_limit(monkeypatch):
    monkeypatch.setattr(readers, "COLLECTION_LIMIT_BYTES", 1000)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x" * 2000)))
    with pytest.raises(rf.errors.IoLimit, match="standard input"):
        list(read("-"))


def test_a_file_that_is_not_an_mbox_is_skipped_with_the_reason(tmp_path):
    (tmp_path / "x.mbox").write_bytes(b"\0\1\2")
    assert "From " in only(read(tmp_path / "x.mbox")).reason


def test_letters_of_a_maildir_are_read_in_order_of_their_names(tmp_path):
    for folder in ("cur", "new", "tmp"):
        (tmp_path / folder).mkdir()
    (tmp_path / "new/2.host").write_bytes(LETTER)
    (tmp_path / "cur/1.host:2,S").write_bytes(b"Subject: one\n\nword\n")
    assert [letter.subject for letter in read(tmp_path)] == ["one", "The café"]


def test_each_part_of_a_percent_file_is_a_document_and_tables_are_skipped(tmp_path):
    (tmp_path / "wise").write_bytes(b"One thing.\n%\n\n%\n100% sure\n  %\nstill\n%\n")
    (tmp_path / "wise.dat").write_bytes(b"\0\0\0")
    found = list(read(tmp_path, "percent"))
    assert [(name_of(d), d.subject) for d in found] == [("wise#1", "One thing."), ("wise#2", "100% sure")]
    assert list(found[1].words) == ["100", "sure", "still"]


def test_each_file_of_a_text_folder_is_a_document_and_pipes_are_skipped(tmp_path):
    (tmp_path / "a.txt").write_text("Title\nbody", "utf-16")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b").write_bytes(b"latin \xe9t\xe9")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dead").symlink_to("nowhere")
    found = {name_of(d) if isinstance(d, Document) else d.source: d for d in read(tmp_path)}
    assert list(found["a.txt"].words) == ["title", "body"]
    assert list(found["sub/b"].words) == ["latin", "été"]
    assert found["pipe"].reason == "not a regular file"
    assert "cannot be read" in found["dead"].reason


def test_reading_a_folder_equals_reading_its_files(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/1.eml").write_bytes(b"Subject: lunch\nContent-Transfer-Encoding: base64\n\nc291cA==\n")
    (tmp_path / "17").write_bytes(LETTER)
    (tmp_path / "in.mbox").write_bytes(b"From a\nSubject: boxed\n\nword\n")
    (tmp_path / "note.txt").write_bytes(b"From: nobody, a note\n\nplain\n")
    (tmp_path / "wise").write_bytes(b"one\n%\ntwo\n")
    (tmp_path / "query.rfq").write_bytes(b"ours")
    assert [str(d) for d in read(tmp_path) if isinstance(d, Skipped)] == ["skipped query.rfq: a file of ringfort"]
    (tmp_path / "query.rfq").unlink()
    found = {name_of(d): d for d in read(tmp_path)}
    assert found["sub/1.eml"].count("soup") == found["sub/1.eml"].count("subject:lunch", fields=True) == 1
    assert found["<1@example.org>"].count("subject:café", fields=True) == 1
    assert found["in.mbox#1"].subject == "boxed"
    assert found["note.txt"].count("from") == 1
    assert len(found) == 6
    assert {"wise#1", "wise#2"} <= found.keys()
    assert [d.id for d in read(tmp_path, "folder")] == [d.id for d in read(tmp_path)]


def test_only_hidden_files_and_tables_are_skipped_silently(tmp_path, monkeypatch):
    for name in ("notes.dat", "wise", "wise.dat", "wise.u8", ".hidden", "other.u8"):
        (tmp_path / name).write_bytes(b"word\n")
    for name in ("closed", "open", ".closed"):
        (tmp_path / name).mkdir()
    scandir = os.scandir

    def refuse(folder):
        if os.fspath(folder).endswith("closed"):
            raise PermissionError(13, "Permission denied", os.fspath(folder))
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", refuse)  # root can read files of any mode
    documents = list(read(tmp_path, "text"))
    assert [name_of(d) for d in documents if isinstance(d, Document)] == ["notes.dat", "other.u8", "wise"]
    assert [str(d) for d in documents if isinstance(d, Skipped)] == [
        "skipped closed: cannot be read (Permission denied)"
    ]


def test_the_id_of_a_message_without_one_depends_on_its_content(tmp_path):
    names = set()
    for folder, text in (("a", b"first"), ("b", b"second"), ("c", b"first")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "1.eml").write_bytes(b"Subject: x\n\n" + text)
        names.add(only(read(tmp_path / folder)).id)
    assert len(names) == 2
    long = read_message(b"Subject: x\n\nword", "\u00e9" * 300)
    assert len(long.id.encode()) <= 250
    assert long.id != read_message(b"Subject: x\n\nother", "\u00e9" * 300).id


def test_files_whose_names_are_not_text_are_read_and_shown_with_replacements(tmp_path):
    raw = os.path.join(os.fsencode(tmp_path), b"caf\xe9\x1b[2J.txt")
    with open(raw, "wb") as file:
        file.write(b"word")
    found = only(read(tmp_path))
    assert name_of(found) == "caf\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}[2J.txt"
    assert name_of(only(read(os.fsdecode(raw)))) == name_of(found)


def test_tags_whose_names_only_begin_like_script_are_read():
    letter = read_message(
        b"Content-Type: text/html\n\n<scripture>shown</scripture><style>no</style >end<SCRIPT x>no", "x"
    )
    assert list(letter.words) == ["shown", "end"]


@pytest.mark.parametrize(
    ("raw", "format", "ids"),
    [
        (LETTER, "auto", ["<1@example.org>"]),
        (b"From a\n" + LETTER + b"\nFrom b\n\nword\n", "mbox", ["<1@example.org>", "stdin#2"]),
        (b"one\n\ntwo\n", "lines", ["stdin#1", "stdin#3"]),
        (b"one\n%\ntwo\n", "percent", ["stdin#1", "stdin#2"]),
        (b"one\ntwo\n", "text", ["stdin"]),
    ],
)
def test_standard_input_is_mail_or_lines(raw, format, ids, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    assert [name_of(d) for d in read("-", format)] == ids


@pytest.mark.parametrize(
    ("source", "format", "error"),
    [("/nowhere", "auto", rf.IoOpen), (".", "maildir", rf.IoOpen), (".", "pdf", rf.InvalidArgument)],
)
def test_source_that_cannot_be_opened_is_a_coded_error(source, format, error, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error) as raised:
        list(read(source, format))
    assert raised.value.fix


def test_an_unreadable_folder_of_a_maildir_is_reported_and_the_other_is_read(tmp_path, monkeypatch):
    for folder in ("cur", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"1.{folder}").write_bytes(b"Subject: one\n\nword\n")
    listed = Path.iterdir

    def refused(path):
        if path.name == "cur":
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", refused)
    skipped, document = read(tmp_path)
    assert str(skipped) == "skipped cur: cannot be read (Permission denied)"
    assert document.words == ("one", "word")
    monkeypatch.setattr(readers, "_is_maildir", lambda path: refused(path / "cur"))
    with pytest.raises(IoOpen):
        read(tmp_path, "maildir")


def test_folders_of_any_depth_are_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(1100):
        os.mkdir("d")
        os.chdir("d")
    Path("last").write_text("word")
    os.chdir(tmp_path)
    try:
        (found,) = read(tmp_path)
        assert found.words == ("word",)
    finally:  # removed here, because the cleanup of pytest recurses once for each folder
        subprocess.run(["rm", "-rf", "d"], check=True)
