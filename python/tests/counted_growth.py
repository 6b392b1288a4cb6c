# SPDX-License-Identifier: Apache-2.0
"""Families of inputs for the functions that read mail, texts, studies and tables, and a program that counts the
instructions of these readers. The inputs of a family differ only in their size.

cachegrind, a tool of valgrind, runs the program: python counted_growth.py FOLDER. The counts of cachegrind do not
depend on the speed or the load of the machine.

For each reader and family, the program forks three children: two read inputs of different sizes, and the third ends at
once. The count of the third is subtracted from the counts of the other two. The program prints the counts as one JSON
document.
"""

import contextlib
import gc
import json
import os
import sys
from pathlib import Path

from ringfort.cli.statistics import _records
from ringfort.errors import Error
from ringfort.search import read
from ringfort.search.mail import read_message
from ringfort.search.mime import DEPTH_LIMIT
from ringfort.search.readers import read_bytes
from ringfort.statistics import Study

FULL = os.environ.get("RINGFORT_COUNTS") == "full"
SIZES = 32_000, 128_000  # in bytes; a text of 32,000 characters has several pieces, of at most 16 Ki characters each
FEWER = 8_000, 32_000  # in bytes, for families with many instructions per byte; the sizes also differ by a factor of 4


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
    # csv refuses cells of more than 131,072 characters
    "number before a letter": lambda n: "a\n" + "9" * min(n, 130_000) + "x\n",
}


def mailbox(kind, size, folder):
    """Makes an mbox file or a maildir of short letters. Returns its path."""
    box = folder / f"{kind}-{size}"
    if kind == "mbox":
        box.write_bytes((b"From x\n\n" + b"word\n" * 18) * (size // 98))
        return box
    for name in ("cur", "new"):
        (box / name).mkdir(parents=True)
    for number in range(size // 200):
        (box / "new" / str(number)).write_bytes(b"\nword\n")
    return box


def table(name, size, folder):
    path = folder / f"{size}.csv"
    path.write_text(TABLES[name](size), encoding="utf-8")
    return path


def search_from_every_letter(raw):
    for at in range(0, len(raw), 200):
        raw.find(b"x", at)


def cut_the_beginning(raw):
    while raw:
        raw = raw[200:]


def look_through_a_list(raw):
    seen = []
    for at in range(0, len(raw), 100):
        if at not in seen:
            seen.append(at)


QUADRATIC = {
    "a search from every letter": search_from_every_letter,
    "a copy at every cut": cut_the_beginning,
    "a list of all that was seen": look_through_a_list,
}


def sizes_of(kind, name):
    """Returns the sizes of the two inputs. With RINGFORT_COUNTS=full, all families have the larger sizes."""
    costly = {
        "mail": ("kept header", "encoded words of two charsets", "escapes in an encoded word", "uuencode")
        + ("parameters without values", "boundaries that continue"),
        "texts": ("lines", "lines of carriage returns"),
        "mailboxes": ("mbox", "maildir"),
        "studies": ("columns",),
        "tables": ("lines",),
    }
    return FEWER if not FULL and name in costly.get(kind, ()) else SIZES


def form_of(name):
    return name.split()[0] if name.split()[0] in ("percent", "lines") else "text"


# Maps each kind of input and each family to a pair: a function that makes the input from a size and a folder, and the
# reader. Without RINGFORT_COUNTS=full, only a third of the families of mail are read, because each takes seconds.
READINGS = {
    "mail": {
        name: (lambda n, _, family=family: family(n), lambda raw: read_message(raw, "x", most_words=1 << 31))
        for name, family in list(MAIL.items())[:: 1 if FULL else 3]
    },
    "texts": {
        name: (lambda n, _, family=family: family(n), lambda raw, name=name: list(read_bytes(raw, "x", form_of(name))))
        for name, family in FILES.items()
    },
    "mailboxes": {
        kind: (
            lambda n, folder, kind=kind: mailbox(kind, n, folder),
            lambda path, kind=kind: list(read(path, kind)),
        )
        for kind in ("mbox", "maildir")
    },
    "studies": {name: (lambda n, _, family=family: family(n), Study.from_json) for name, family in STUDIES.items()},
    "tables": {
        name: (
            lambda n, folder, name=name: table(name, n, folder),
            lambda path: _records(path, Study({"a": (0, 9)})),
        )
        for name in TABLES
    },
    "quadratic": {name: (lambda n, _: b"a" * n, work) for name, work in QUADRATIC.items()},
}


def child_after(call):
    """Forks a child that ends after the call. Waits for it, and returns its number."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with contextlib.suppress(Error):
                call()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if status:
        raise ChildProcessError(f"the child ended with the status {status}")
    return child


def count_of(child, folder):
    """Returns the number of instructions of a child. The number includes those of this process before the fork."""
    return int((folder / f"counts.{child}").read_text().rpartition("summary: ")[2])


def counts_of(make, work, sizes, folder):
    inputs = [make(size, folder) for size in sizes]
    nothing = child_after(lambda: None)
    readings = [child_after(lambda given=given: work(given)) for given in inputs]
    return [count_of(reading, folder) - count_of(nothing, folder) for reading in readings]


def main(folder):
    gc.collect()
    gc.freeze()  # a child's collector would otherwise traverse the objects of this process
    found = {
        kind: {name: counts_of(*reading, sizes_of(kind, name), folder) for name, reading in readings.items()}
        for kind, readings in READINGS.items()
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
