# SPDX-License-Identifier: Apache-2.0
"""Tests that the time of every reader grows linearly with the size of the input, also for hostile input.

An input of 16 times the size takes 16 times the processor time if the work is linear, and 256 times if it is quadratic.
The tests allow 64 times. Therefore they detect only a change of complexity. A run below 2 ms counts as 2 ms. This hides
fixed costs.
"""

import contextlib
import re
import time
import tracemalloc

import pytest

from ringfort.cli.statistics import _records
from ringfort.errors import Error
from ringfort.search import Document, read
from ringfort.search.charsets import CODECS, codec_of, decode, decoded_pieces
from ringfort.search.mail import read_message
from ringfort.search.mime import DEPTH_LIMIT
from ringfort.search.readers import read_bytes
from ringfort.search.text import cut_anew, split_words
from ringfort.statistics import Study

SMALL, TIMES, MOST = 12_000, 16, 64


def text(charset, body=b""):
    return b"Content-Type: text/plain; charset=" + charset + b"\n\n" + body


def html(body):
    return b"Content-Type: text/html; charset=utf-8\n\n" + body


def nested(size, kind=b"Content-Type: multipart/mixed; boundary=%s\n\n--%s\n", line=b"x\n"):
    heads = b"".join(kind.replace(b"%s", b"b" * (i + 1)) for i in range(DEPTH_LIMIT - 1))
    return heads + b"\n" + line * (size // len(line))


MAIL = {
    "punycode digits": lambda n: text(b"punycode", b"-" + b"99" * (n // 2)),
    "punycode letters": lambda n: text(b"punycode", b"a-" + b"z" * n),
    "idna labels": lambda n: text(b"idna", (b"xn--" + b"a" * 50 + b".") * (n // 55)),
    "idna label": lambda n: text(b"IDNA", b"xn--a-" + b"z" * n),
    "escapes": lambda n: text(b"unicode_escape", b"\\U0010ffff" * (n // 10)),
    "punycode in a header": lambda n: b"Subject: =?punycode?q?a-" + b"z" * n + b"?=\n\nword\n",
    "charset's name": lambda n: text(b"x" * n, b"word"),
    "stateful charset": lambda n: text(b"iso-2022-jp", b"\x1b$B!!\x1b(B" * (n // 8)),
    "broken charset": lambda n: text(b"gb18030", b"\x81\x30" * (n // 2)),
    "damaged UTF-8": lambda n: b"\n\n\xef\xbb\xbf" + b"\xff" * n,
    "damaged UTF-16": lambda n: b"\n\n\xff\xfe" + b"\x00\xd8" * (n // 2),
    "parts": lambda n: b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\n" * (n // 5),
    "parts within a thousand": lambda n: (
        b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\n" * 500 + b"--bb\n" * (n // 5)
    ),
    "nested parts": nested,
    "nested messages": lambda n: nested(n, b"Content-Type: message/rfc822\n\n"),
    "boundaries that continue": lambda n: nested(n, line=b"--" + b"b" * 40 + b"\n"),
    "dashes": lambda n: b"Content-Type: multipart/mixed; boundary=-\n\n" + b"-" * n,
    "long boundary": lambda n: (
        b"Content-Type: multipart/mixed; boundary=" + b"-" * (n // 2) + b"\n\n" + b"\n--" * (n // 6)
    ),
    "deeper than is read": lambda n: b"Content-Type: message/rfc822\n\n" * (n // 30),
    "headers": lambda n: b"X-A: b\n" * (n // 7) + b"\nword\n",
    "folded header": lambda n: b"Subject: a\n" + b" b\n" * (n // 3) + b"\nword\n",
    "kept header": lambda n: b"Status: a\n" + b" \n" * (n // 2) + b"X: a\n\nword\n",
    "kept headers": lambda n: b"Lines:\n" * (n // 7) + b"\nword\n",
    "quoted lines": lambda n: b"\nword\n" + b">From \n" * (n // 7),
    "quotes": lambda n: b"\nword\n" + b">" * n + b"\n",
    "long header": lambda n: b"Subject: " + b"a " * (n // 2) + b"\n\nword\n",
    "recipients": lambda n: b"To: " + b"Ann <a@b>, " * (n // 11) + b"\n\nword\n",
    "quotes of recipients": lambda n: b'To: "' + b'\\"' * (n // 2) + b"\n\nword\n",
    "name without a colon": lambda n: b"Subject: a\n" + b"x" * n + b"\n\nword\n",
    "encoded words": lambda n: b"Subject: " + b"=?utf-8?q?a?= " * (n // 14) + b"\n\nword\n",
    "encoded words of two charsets": lambda n: (
        b"Subject: " + b"=?utf-8?q?a?= =?ascii?b?YQ==?= " * (n // 31) + b"\n\nword\n"
    ),
    "encoded words without an end": lambda n: b"Subject: " + b"=?a?q?x" * (n // 7) + b"\n\nword\n",
    "text behind an encoded word": lambda n: (
        b"Subject: =?utf-8?q?a?= \xf0\x9f\x98\x80" + b". " * (n // 2) + b"\n\nword\n"
    ),
    "escapes in an encoded word": lambda n: b"Subject: =?utf-8?q?" + b"=2E" * (n // 3) + b"?=\n\nword\n",
    "beginnings of encoded words": lambda n: b"Subject: " + b"=?" * (n // 2) + b"\n\nword\n",
    "parameters": lambda n: b"Content-Type: text/plain" + b"; a=b" * (n // 5) + b"\n\nword\n",
    "parameters without values": lambda n: b"Content-Type: text/plain" + b";\n a" * (n // 4) + b"\n\nword\n",
    "quote without an end": lambda n: b'Content-Type: text/plain; x="' + b";" * n + b"\n\nword\n",
    "escapes in a quote": lambda n: b'Content-Type: text/plain; charset="' + b"\\a" * (n // 2) + b"\n\nword\n",
    "blanks in parameters": lambda n: b"Content-Type: text/plain;" + b" " * n + b"=\n\nword\n",
    "sections": lambda n: b"Content-Type: text/plain" + b"; charset*7*=a%20" * (n // 17) + b"\n\nword\n",
    "base64": lambda n: b"Content-Transfer-Encoding: base64\n\n" + b"aGVsbG8g" * (n // 8),
    "no base64": lambda n: b"Content-Transfer-Encoding: base64\n\n" + b"=\xff" * (n // 2),
    "quoted-printable": lambda n: b"Content-Transfer-Encoding: quoted-printable\n\n" + b"=" * n,
    "quoted blanks": lambda n: b"Content-Transfer-Encoding: quoted-printable\n\n" + b" " * n + b"x",
    "uuencode": lambda n: b"Content-Transfer-Encoding: uuencode\n\nbegin 644 a\n" + b"M\n" * (n // 2),
    "tags without an end": lambda n: html(b"word" + b"<a " * (n // 3)),
    "brackets": lambda n: html(b"word" + b"<" * n),
    "comments": lambda n: html(b"word" + b"<!--" * (n // 4)),
    "scripts without an end": lambda n: html(b"word" + b"<script " * (n // 8)),
    "scripts and styles": lambda n: html(b"word" + b"<script></style>" * (n // 16)),
    "closed scripts": lambda n: html(b"word" + b"<script></script>" * (n // 17)),
    "texts between closed scripts before a long word": lambda n: html(
        b"word" + (b"<style/</style/a" * 512 + b"x" * 17_000 + b" ") * (n // 25_193) + b" <style/</style/" * (n // 16)
    ),
    "entities": lambda n: html(b"word" + b"&#65;" * (n // 5)),
    "ampersands": lambda n: html(b"word" + b"&" * n),
    "names of entities": lambda n: html(b"word" + b"&notanentityatallnotanentityatall" * (n // 33)),
    "long number": lambda n: html(b"word &#" + b"9" * n + b";"),
    "long hexadecimal number": lambda n: html(b"word &#x" + b"f" * n + b";"),
    "marks out of order": lambda n: text(b"utf-8", ("e" + "\u0301\u0316" * (n // 4)).encode()),
    "marks that decompose": lambda n: text(b"utf-8", ("e" + "\u0f73" * (n // 3)).encode()),
    "compositions": lambda n: text(b"utf-8", ("\u0344" * (n // 2)).encode()),
    "expansions": lambda n: text(b"utf-8", ("\ufdfa" * (n // 3)).encode()),
    "one word": lambda n: b"\n" + b"a" * n,
    "words": lambda n: b"\n" + b"a " * (n // 2),
    "carriage returns": lambda n: b"Subject: a\n\n" + b"\r" * n + b"word",
    "blank": lambda n: b" " * n + b"x",
}
EXPANDING = {
    "expansions in a subject": lambda n: b"Subject: " + "\ufdfa ".encode() * (n // 4) + b"\n\nword\n",
    "one word that expands": lambda n: text(b"utf-8", "\u3300".encode() * (n // 3)),
    "wide characters": lambda n: text(b"utf-8", "\U0001f600".encode() + b"x" * n),
    "short encoded words": lambda n: b"Subject: " + b"=?a?q?A?=" * (n // 9) + b"\n\nword\n",
    "words of three letters": lambda n: b"\n" + b" ".join(b"%04x" % i for i in range(min(n // 5, 20_000))),
}
FILES = {
    "percent": lambda n: b"%\n" * (n // 2),
    "texts and percents": lambda n: b"a\n%\n" * (n // 4),
    "lines": lambda n: b"\n" * n + b"word",
    "lines of carriage returns": lambda n: b"\r" * n + b"word",
    "text": lambda n: b"\n" * n + b"word",
}
STUDIES = {
    "deep": lambda n: '{"columns":' + "[" * n,
    "long number": lambda n: '{"columns":{"a":[0,' + "9" * n + "]}}",
    "long fraction": lambda n: '{"columns":{"a":[0,1.' + "9" * n + "]}}",
    "long exponent": lambda n: '{"columns":{"a":[0,1e' + "9" * n + "]}}",
    "text without an end": lambda n: '{"columns":{"' + "\\u" * (n // 2),
    "decimals": lambda n: f'{{"columns":{{"a":[0,1,{n}]}}}}',
    "columns": lambda n: (
        '{"columns":{' + ",".join(f'"c{i}":[0,1]' for i in range(n // 12)) + '},"wanted":"regressions"}'
    ),
}
TABLES = {
    "quote without an end": lambda n: 'a\n"' + "\n" * n,
    "fields": lambda n: "a" + ",a" * (n // 2) + "\n1\n",
    "lines": lambda n: "a\n" + "1\n" * (n // 2),
    "long number": lambda n: "a\n" + "9" * n + "\n",
    "number before a letter": lambda n: "a\n" + "9" * min(n, 130_000) + "x\n",  # csv refuses cells of 131,072
}


def seconds(work, data):
    begun = time.process_time()
    with contextlib.suppress(Error):
        work(data)
    return time.process_time() - begun


def require_linear(work, family):
    small = max(min(seconds(work, family(SMALL)) for _ in range(2)), 0.002)
    assert seconds(work, family(SMALL * TIMES)) < MOST * small


@pytest.mark.parametrize("name", MAIL)
def test_mail_takes_time_in_proportion_to_its_size(name):
    require_linear(lambda raw: read_message(raw, "x", most_words=1 << 31), MAIL[name])


@pytest.mark.parametrize("name", [*MAIL, *EXPANDING])
def test_mail_takes_memory_in_proportion_to_its_size(name):
    raw = {**MAIL, **EXPANDING}[name](1 << 20)
    tracemalloc.start()
    try:
        read_message(raw, "x")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 10 * len(raw) + (8 << 20), f"{most / len(raw):.0f} times its {len(raw)} bytes"


@pytest.mark.parametrize("name", FILES)
def test_texts_take_time_in_proportion_to_their_size(name):
    format = name.split()[0] if name.split()[0] in ("percent", "lines") else "text"
    require_linear(lambda raw: list(read_bytes(raw, "x", format)), FILES[name])


@pytest.mark.parametrize("kind", ["mbox", "maildir"])
def test_mailboxes_take_time_in_proportion_to_their_size(kind, tmp_path):
    def boxed(size):
        folder = tmp_path / str(size)
        (folder / "cur").mkdir(parents=True, exist_ok=True)
        (folder / "new").mkdir(exist_ok=True)
        (folder / "x.mbox").write_bytes(b"From x\n\nword\n" * (size // 13))
        for number in range(size // 200):
            (folder / "new" / str(number)).write_bytes(b"\nword\n")
        return folder

    require_linear(lambda folder: list(read(folder / "x.mbox" if kind == "mbox" else folder, kind)), boxed)


@pytest.mark.parametrize("name", STUDIES)
def test_studies_take_time_in_proportion_to_their_size(name):
    require_linear(Study.from_json, STUDIES[name])


@pytest.mark.parametrize("name", TABLES)
def test_tables_take_time_in_proportion_to_their_size(name, tmp_path):
    study = Study({"a": (0, 9)})

    def written(size):
        path = tmp_path / f"{size}.csv"
        path.write_text(TABLES[name](size), encoding="utf-8")
        return path

    require_linear(lambda path: _records(path, study), written)


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
