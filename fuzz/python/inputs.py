# SPDX-License-Identifier: Apache-2.0
"""First inputs of the Python targets. They pass the first checks of their readers. Most of them are valid."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import targets

from ringfort._core import files as core
from ringfort.encrypted import records
from ringfort.encrypted.members import numbered

LETTERS = (
    b"From: Ada <ada@example.org>\nTo: Charles\nSubject: =?utf-8?q?The_caf=C3=A9?=\nMessage-ID: <1@example.org>\n"
    b"Content-Type: text/plain; charset=iso-8859-1\n\nAn engine na\xefve, an engine.\n",
    b"Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n"
    b"<style>p{}</style><p>shown&eacute;=\n=41</p>",
    b"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\n"
    b"aGlkZGVu\n--b\nContent-Transfer-Encoding: base64\n\nc2hvd24=\n--b--\n",
    b"From a\nSubject: =?x?b?!!?= =?koi8-r?q?=C1?=\n\nword\nFrom b\n"
    b"Content-Type: text/plain; charset*0*=x'y'%ZZ\n\nword\n",
    b"Content-Type: message/rfc822\n\nContent-Type: text/plain; charset=utf-16\n\n\xff\xfew\0o\0",
)
TEXTS = (
    b"\0na\xefve \xef\xac\x81ne \xe2\x85\xa7",
    b"\1subject:Stra\xc3\x9fe",
    b"\1From: a\nTo: b\n\nword",
    b"\2\xff\xfew\0o\0r\0d\0",
    b"\3One thing.\n%\n\n%\n100% sure\r\n%\n",
    b"\4one\x0b\n\ntwo\n",
)
STUDIES = (
    b'{"columns": {"age": [0, 120], "w": [0, 9.5, 1]}, "wanted": "regressions", "uploads": 100, "records": 2}',
    b'{"columns": {"a": [-3, 1e3]}, "wanted": "means", "each_slot": true, "records": 4, "scheme": "bfv"}',
    b'{"columns": {}, "uploads": NaN}',
)


def first(name: str) -> list[bytes]:
    return list({"mail": LETTERS, "text": TEXTS, "study": STUDIES}.get(name) or _containers())


def _containers() -> Iterator[bytes]:
    """Yields inputs with keys and an array, for each kind of numbers. They are parts of files of a given context, parts
    of files with their own context, and parts of pickles."""
    for bit, (kind, context) in zip((0, 1, 128), targets._contexts().items(), strict=True):
        keys = context.keygen()
        x = context.encrypt(np.array([1, 0, 1]), keys)
        members = [member for member in records.encoded("k", keys.public).items() if ".galois" not in member[0]]
        heads, ciphertexts = records.records_of(x), records.encoded_ciphertexts(x)
        pickled = [(numbered("x", i), core.encode_array(head)) for i, head in enumerate(heads)]
        pickled += [(numbered("y", i), each) for i, files in enumerate(ciphertexts) for each in files]
        for each in (pickled, members):
            yield bytes([bit | 2]) + b"".join(_encoded(*member) for member in each)
        own, arrays = targets.parameters(kind), list(records.encoded("x", x).items())
        for index, record in enumerate(records.range_records(context)):
            members.append((numbered("@range", index), core.encode_array(record)))
        for how in (4, 20, 12):
            yield bytes([bit | how]) + b"".join(_encoded(*member) for member in (*members, *arrays))
        yield bytes([bit | 8 | 32]) + b"".join(_encoded(*member) for member in (*own, *members, *arrays))


def _encoded(name: str, data: object) -> bytes:
    raw = bytes(data)  # type: ignore[call-overload]
    return bytes([targets.NAMES.index(name)]) + len(raw).to_bytes(2, "little") + raw
