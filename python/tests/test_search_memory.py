# SPDX-License-Identifier: Apache-2.0
"""Tests the memory that readers of files take. For each tested input, this memory must be at most 10 times the size of
the input plus twice SIZE.

Python itself counts the memory. The count includes the bytes of the file. The tests free each document as it arrives.
SIZE is 4 MiB with RINGFORT_COUNTS=full, and otherwise a seventh of this. The inputs have one or two times SIZE, which
is much more than the 64 KiB that a reader takes at a time.
"""

import io
import os
import sys
import tracemalloc

import pytest

from ringfort.search import read
from ringfort.search.mail import read_message

SIZE = 4 << 20 if os.environ.get("RINGFORT_COUNTS") == "full" else 600_000
TIMES, BESIDES = 10, 2 * SIZE

CONTENTS = {
    "carriage returns": b"--\r",
    "lines without letters": b"--\n",
    "blanks": b". ",
    "one-letter words": b"a ",
    "one-letter lines": b"a\n",
    "line separators": "\u2028.".encode(),
    "zeros": b"\0",
    "wide": "\U0001f600 . . . . ".encode(),
    "expanding": "\ufdfa".encode(),
    "marks": "\u0301 \u0316".encode(),
    "percent escapes": b"%2D",
    "quoted": b"=2D=\n",
    "tags": b"<b>\xe2\x82\xac",
    "named": b"&amp&zwj;",
    "encoded": b"=?a?q?-+?= ",
    "encoded by turns": b"=?a?q?-+?==?b?q?.,?=",
    "letters begin": b"\nFrom ",
    "escapes": b"=2E",
    "Latin": b"\xe9",
}
HEADS = {
    "mail": b"From: a\n\n",
    "html": b"Content-Type: text/html; charset=utf-8\n\n",
    "quoted-printable": b"Content-Transfer-Encoding: quoted-printable\n\n",
    "base64": b"Content-Transfer-Encoding: base64\n\n",
    "subject": b"Subject: ",
    "subject behind an encoded word": b"Subject: =?utf-8?q?a?= \xf0\x9f\x98\x80",
    "subject of one encoded word": b"Subject: =?utf-8?q?\xf0\x9f\x98\x80",
    "message-id": b"Subject: a\nMessage-ID: ",
    "transfer encoding": b"Subject: a\nContent-Transfer-Encoding: ",
    "type": b"Subject: a\nContent-Type: ",
    "charset": b"Subject: a\nContent-Type: text/plain; charset=",
    "other header": b"Subject: a\nX-Mailer: ",
    "boundary": b"Subject: a\nContent-Type: multipart/mixed; boundary=",
    "parameter": b"Content-Type: text/plain; charset*=",
    "parts": b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\n",
    "mbox": b"From x\n\n",
    "text": b"",
    "percent": b"",
    "lines": b"",
    "stdin": b"From x\n\n",
}
TWICE = ("subject behind an encoded word", "subject of one encoded word")
TAILS = {"subject of one encoded word": b"?=\n"}
PLAIN = ("mbox", "text", "percent", "lines", "stdin")
CASES = {
    "text": ("lines without letters", "marks", "wide"),
    "percent": ("lines without letters", "one-letter words"),
    "lines": ("blanks", "zeros"),
    "mbox": ("lines without letters", "carriage returns"),
    "stdin": ("lines without letters", "letters begin"),
    "mail": ("lines without letters", "one-letter words", "line separators", "wide", "expanding"),
    "html": ("tags", "named"),
    "subject": ("blanks", "encoded"),
    "subject behind an encoded word": ("blanks", "one-letter words"),
    "subject of one encoded word": ("blanks", "escapes"),
    "message-id": ("blanks", "encoded by turns"),
    "transfer encoding": ("Latin",),
    "type": ("Latin",),
    "charset": ("Latin",),
    "boundary": ("Latin",),
    "other header": ("Latin",),
    "quoted-printable": ("quoted",),
    "base64": ("one-letter lines",),
    "parts": ("lines without letters",),
    "parameter": ("percent escapes",),
}


def peak_of(path, kind):
    tracemalloc.start()
    try:
        for _ in read(path, kind):
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("kind", "content"), [(kind, name) for kind, names in CASES.items() for name in names])
def test_readers_need_at_most_ten_times_the_memory_of_their_input(kind, content, tmp_path, monkeypatch):
    unit = CONTENTS[content]
    if kind in ("subject", "message-id", "parameter"):  # one header, of many lines
        unit = unit.replace(b"\n", b"\n ").replace(b"\r", b"\r ")
    size = 2 * SIZE if kind in TWICE else SIZE  # then BESIDES is at most the size
    raw = (HEADS[kind] + unit * (size // len(unit) + 1))[:size] + TAILS.get(kind, b"")
    path = tmp_path / "in"
    path.write_bytes(raw)
    del raw
    format = kind if kind in PLAIN else "mail"
    if kind == "stdin":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(path.open("rb")))
        path, format = "-", "auto"
    most = peak_of(path, format)
    assert most <= TIMES * size + BESIDES, f"reading {size} bytes took {most}; the limit is {TIMES * size + BESIDES}"


LONG_WORDS = {
    "text": b"\xff\xfe",
    "mail": b"Content-Type: text/plain; charset=utf-16-le\n\n",
    "subject": b"Subject: \xff\xfe",
}


@pytest.mark.parametrize("kind", LONG_WORDS)
def test_long_words_that_expand_take_less_memory_than_their_text(kind, tmp_path):
    # U+3316 becomes six characters. In a str with the wide character U+10428, every character takes four bytes.
    letters = "\U00010428" + "\u3316" * 1000
    raw = LONG_WORDS[kind] + " ".join(f"{number}{letters}" for number in range(20)).encode("utf-16-le")
    path = tmp_path / "in"
    path.write_bytes(raw)
    (document,) = read(path, "text" if kind == "text" else "mail")
    objects = {id(word): word for words in (document.words, *dict(document.fields).values()) for word in words}
    assert len(objects) == len(set(document.words)) == 20
    assert sum(map(sys.getsizeof, objects.values())) <= len(raw)


@pytest.mark.parametrize("piece", [1, 2, 3, 7])
def test_html_is_read_the_same_for_every_cut_into_pieces(piece, monkeypatch):
    text = "caf&eacute;&#233;s <b class='a'>two</b>&Abreve;c &amp;x &#12345678901; <a 1 < 2 > <script>no</script> end"
    raw = HEADS["html"] + text.encode()
    whole = read_message(raw, "x").words
    assert whole[:2] == ("caféés", "two")
    monkeypatch.setattr("ringfort.search.mail._HTML_PIECE", piece)
    assert read_message(raw, "x").words == whole
