# SPDX-License-Identifier: Apache-2.0
"""Tests the readers of mail, texts, mailboxes, studies and tables, mostly with hostile input.

The work of all these readers, and the memory of the reader of mail, must grow linearly with the size of the input. The
work is the number of instructions that valgrind counts (counted_growth.py), because times depend on the machine. An
input of four times the size takes about 4 times the instructions if the work is linear, and up to 16 times if it is
quadratic. The tests allow 6 times. Without RINGFORT_COUNTS=full, the tests read only every third family of
counted_growth.MAIL.

The other tests check the results of reading: the accepted names of charsets, texts that are decoded in pieces, words
across pieces, combining marks, nested MIME parts, and encoded words in headers.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tracemalloc

import counted_growth
import pytest
from counted_growth import EXPANDING, FULL, MAIL, READINGS

from ringfort.search import Document
from ringfort.search.charsets import CODECS, codec_of, decode, decoded_pieces
from ringfort.search.mail import read_message
from ringfort.search.text import cut_anew, split_words

MOST = 6


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    """Returns the numbers of instructions of all readings, for both sizes."""
    if shutil.which("valgrind") is None:
        pytest.skip("no valgrind here: apt-get install valgrind")
    folder = tmp_path_factory.mktemp("growth")
    tool = ["valgrind", "-q", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={folder}/counts.%p"]
    settings = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [*tool, sys.executable, counted_growth.__file__, folder],
        env={**os.environ, **settings, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def growth_of(counts, kind, name):
    small, large = counts[kind][name]
    return large / small


@pytest.mark.parametrize("name", READINGS["quadratic"])
def test_the_check_detects_quadratic_work(counts, name):
    assert growth_of(counts, "quadratic", name) > MOST


@pytest.mark.parametrize("name", READINGS["mail"])
def test_mail_takes_time_in_proportion_to_its_size(counts, name):
    assert growth_of(counts, "mail", name) < MOST


@pytest.mark.parametrize("name", [*READINGS["mail"], *EXPANDING])
def test_mail_takes_memory_in_proportion_to_its_size(name):
    # With full counts, the inputs have 1 MiB, and otherwise 256 KiB. The exception is `expansions`, which always has
    # 1 MiB: a piece of 2^14 characters of this text becomes 294,912 characters. Normalising one piece takes 4.75 MB,
    # whatever the size of the text. The limit for a text of 256 KiB is below 4.75 MB.
    size = 1 << 20 if FULL or name == "expansions" else 1 << 18
    raw = {**MAIL, **EXPANDING}[name](size)
    tracemalloc.start()
    try:
        read_message(raw, "x")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 10 * len(raw) + 8 * size, (
        f"reading {len(raw)} bytes took {most} bytes of memory; the limit is {10 * len(raw) + 8 * size}"
    )


@pytest.mark.parametrize("name", READINGS["texts"])
def test_texts_take_time_in_proportion_to_their_size(counts, name):
    assert growth_of(counts, "texts", name) < MOST


@pytest.mark.parametrize("kind", READINGS["mailboxes"])
def test_mailboxes_take_time_in_proportion_to_their_size(counts, kind):
    assert growth_of(counts, "mailboxes", kind) < MOST


@pytest.mark.parametrize("name", READINGS["studies"])
def test_studies_take_time_in_proportion_to_their_size(counts, name):
    assert growth_of(counts, "studies", name) < MOST


@pytest.mark.parametrize("name", READINGS["tables"])
def test_tables_take_time_in_proportion_to_their_size(counts, name):
    assert growth_of(counts, "tables", name) < MOST


@pytest.mark.parametrize(
    ("charset", "codec"),
    [
        ("UTF-8", "utf_8"),
        (" us-ascii ", "ascii"),
        ("ISO-8859-1", "latin_1"),
        ("iso-8859-15", "iso8859_15"),
        ("windows-1252", "cp1252"),
        ("KOI8-R", "koi8_r"),
        ("gb2312", "gb2312"),
        ("GB18030", "gb18030"),
        ("Big5", "big5"),
        ("Shift_JIS", "shift_jis"),
        ("euc-jp", "euc_jp"),
        ("iso-2022-jp", "iso2022_jp"),
        ("ks_c_5601-1987", "euc_kr"),
        ("tis-620", "tis_620"),
        *((bad, None) for bad in ("punycode", "idna", "unicode_escape", "raw-unicode-escape", "undefined", "rot13")),
        *((bad, None) for bad in ("hex", "zlib", "bz2", "base64", "quopri", "uu", "mbcs", "oem", "utf-7", "x" * 50)),
        *((bad, None) for bad in ("", ".", "..", "os", "\u0131so-8859-1", "encodings.punycode", "pUnyCode")),
    ],
)
def test_only_charsets_in_the_list_are_accepted(charset, codec):
    assert codec_of(charset) == codec


def test_every_codec_of_the_list_decodes():
    for name in CODECS:
        assert re.fullmatch("word", "word".encode(name).decode(name))
        assert decode("word".encode(name), name).removeprefix("\ufeff") == "word"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 16])
def test_text_decoded_in_pieces_equals_text_decoded_at_once(size, monkeypatch):
    monkeypatch.setattr("ringfort.search.charsets._PIECE", size)
    words = "cafe plain", "caf\u00e9", "\u65e5\u672c", "\u0436\u0430 \U0001f600"
    for name in CODECS:
        whole = " ".join(word for word in words if word.encode(name, "replace").decode(name) == word).encode(name)
        marks = b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff", b"\xff\xfe\0\0", b"\xef\xbb\xbf"
        for raw in (whole, whole + b"\xff", *(mark + whole for mark in marks), b"\xff" * 9, b"\xe2\x82", b"\0a"):
            assert "".join(decoded_pieces(raw, name)) == decode(raw, name), (name, raw)


@pytest.mark.parametrize("size", [1, 7, 100, 1000, 30_000])
def test_words_continue_from_one_piece_of_a_text_to_the_next(size):
    text = ("one" + "\u0301 two\u3316 " + "x" * 300 + ", ") * 200
    cut = [text[at : at + size] for at in range(0, len(text), size)]
    found = list(cut_anew(cut))
    assert "".join(found) == text
    assert max(map(len, found)) < 20_000
    assert [word for piece in found for word in split_words(piece)] == split_words(text)


def test_excess_combining_marks_are_removed():
    (word,) = split_words("e" + "\u0301\u0316" * 500 + "nd")
    assert len(word) < 40
    assert word.endswith("nd")
    assert split_words("e" + "\u0316\u0301" * 3) == split_words("e" + "\u0301\u0316" * 3)
    assert split_words(word) == [word]


def test_nested_parts_are_read_and_an_outer_boundary_ends_inner_parts():
    raw = (
        b"Content-Type: multipart/mixed; boundary*0=out; boundary*1=er\r\n\r\npreamble\r\n--outer\r\n"
        b'Content-Type: multipart/alternative;\r\n\tboundary="in\\ner"\r\n\r\n--inner\r\n\r\none\r\n--inner--\r\nend'
        b"\r\n--outer  \r\nContent-Type: message/rfc822\r\n\r\nSubject: hidden\r\n\r\ntwo\r\n--outer\r\n"
        b"content-type: TEXT/plain; charset*=utf-8''utf-16\r\ncontent-transfer-encoding: base64\r\n\r\n//50AGgAcgBlAGUA"
        b"\r\n--outer--\r\nleft out\r\n"
    )
    for message in (raw, raw.replace(b"\r\n", b"\n"), raw.replace(b"\r\n", b"\r")):
        found = read_message(message, "x")
        assert isinstance(found, Document)
        assert found.words == ("one", "two", "three")


@pytest.mark.parametrize(
    ("value", "subject"),
    [
        (b"=?utf-8?q?caf=C3=A9?= =?utf-8?q?s?=\n =?utf-8?b?IGFuZA==?= tea", "cafés and tea"),
        (b"=?utf-8?q?caf=C3?= =?utf-8?q?=A9?=", "café"),
        (b"=?iso-8859-1*fr?Q?caf=E9_cr=E8me?=", "café crème"),
        (b"caf\xc3\xa9 =?x-none?q?a?= =?utf-8?b?Y?= =?utf-8?q?open", "café a=?utf-8?b?Y?= =?utf-8?q?open"),
        (b"plain ?= =? text", "plain ?= =? text"),
        (b"=?utf-8?q?=3D=5f=5F_=c3=A9=?= =?utf-8?q?=4?=", "=__ \u00e9==4"),
    ],
)
def test_encoded_words_of_headers_are_decoded(value, subject):
    found = read_message(b"Subject: " + value + b"\n\nword\n", "x")
    assert found.subject == subject
    assert found.words == (*split_words(subject), "word")
    assert dict(found.fields)["subject"] == tuple(split_words(subject))


def test_a_word_of_two_charsets_is_one():
    found = read_message(b"Subject: =?utf-8?q?caf?= =?iso-8859-1?q?=E9s?=\n\n\n", "x")
    assert (found.subject, found.words) == ("caf\u00e9s", ("caf\u00e9s",))
