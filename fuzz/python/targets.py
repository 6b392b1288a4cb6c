# SPDX-License-Identifier: Apache-2.0
"""Fuzz targets of the Python package: they give untrusted bytes to the mail readers, to the reader of a study, to
rf.load, and to the functions that restore pickles.

Each target takes bytes, and raises only if the library has a fault. Faults are an exception of a foreign type, text
that is not printable, and a value that changes when it is written and read again. `run.py NAME` runs one target under
Atheris. python/tests/test_fuzz_seeds.py runs the targets on the stored inputs, without Atheris.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import ringfort as rf
from ringfort._core import files as core
from ringfort.encrypted import inspection, pickles, reading
from ringfort.encrypted.members import numbered, of_moduli
from ringfort.encrypted.residues.parameters import with_moduli
from ringfort.search import Document, Skipped, readers
from ringfort.search.text import query_word, split_words

WIRE = Path(__file__).resolve().parents[2] / "tests/vectors/wire/3/leveled"
NAMES = (
    "",
    "@f",
    "@range",
    "k.public",
    "k.relinearization",
    "k.galois",
    "k.secret",
    "x",
    "y",
    "l.public",
    "@i",
    "x.y",
    "k.ledger",
    "@i.1",
    "@range.1",
    "k.public.1",
    "k.relinearization.1",
    "k.galois.1",
    "k.secret.1",
    "x.1",
    "y.1",
)
HEADER, TRAILER, FLAGS_AT, DIGEST_AT, LENGTH_AT, CRC_AT = 64, 32, 12, 16, 48, 60


def mail(data: bytes) -> None:
    """Reads the bytes as a letter or a mailbox, as the library reads standard input."""
    for found in readers._mails_of(data, "fuzz", readers.Reading(keep_body=True)):
        _check(found)


def text(data: bytes) -> None:
    """Reads the bytes as words, as a query or as a plain text format. The first byte selects one of these."""
    body = data[1:]
    uses = (
        _words,
        _query,
        *(partial(_documents, split) for split in (readers._text, readers._percent, readers._lines)),
    )
    uses[data[0] % len(uses) if data else 0](body)


def _words(body: bytes) -> None:
    words = split_words(readers.decode(body))
    assert split_words(" ".join(words)) == words, "a second split gives other words"


def _query(body: bytes) -> None:
    readers._begins_as_mail(body)
    with suppress(rf.Error):
        assert query_word(readers.decode(body))


def _documents(split: Callable[[bytes, str, readers.Reading], Iterable[Document | Skipped]], body: bytes) -> None:
    for found in split(body, "fuzz", readers.Reading()):
        _check(found)


def _check(found: Document | Skipped) -> None:
    if isinstance(found, Skipped):
        assert found.reason
        str(found).encode()
        return
    assert found.words
    assert found.id.isprintable()
    assert found.subject.isprintable()
    "".join(found.words).encode()


def study(data: bytes) -> None:
    """Reads the bytes as study.json. If they are accepted, the study must be the same when it is written and read
    again."""
    with suppress(rf.Error):
        found = rf.statistics.Study.from_json(data.decode("utf-8", "surrogateescape"))
        assert rf.statistics.Study.from_json(found.to_json()) == found, "writing and reading changed the study"
        hash(found)
        repr(found)


@cache
def _contexts() -> dict[str, Any]:
    """Returns the contexts of the stored files, with rings of 32 coefficients. The context "several" has two plaintext
    moduli."""
    contexts = {}
    for kind, name in (("f", "ckks"), ("i", "bgv")):
        data = np.frombuffer((WIRE / f"{name}.rfp").read_bytes(), np.uint8)
        contexts[kind] = _loaded([(f"@{kind}", data)], None)["context"]
    several = with_moduli(contexts["i"]._parameters, (257, 193))
    contexts["several"] = rf.Context.of_parameters(several, "i", promise=(-9, 9))
    return contexts


def load(data: bytes) -> None:
    """Inspects the members of a container, and loads them as rf.load or pickle does. The first byte of the input
    selects how. The members follow. Each member has the number of its name (u8), its length (u16) and its bytes.

    The format of a container file has its own target (fuzz/leveled_container.cpp).
    """
    if not data:
        return
    kind = "several" if data[0] & 128 else "fi"[data[0] & 1]
    context = _contexts()[kind]
    members = [
        (name, np.frombuffer(_adopted(name, file, context, data[0]), np.uint8)) for name, file in _split(data[1:])
    ]
    with suppress(rf.Error):
        str(inspection._of_members({"type": "container"}, dict(members)))
    with suppress(rf.Error):
        if data[0] & 2:
            _use([_pickled(context, members)])
        else:
            members = [*parameters(kind), *members] if data[0] & 4 else members
            own = data[0] & 8
            options = {"trust_bound": bool(data[0] & 16), "secrets": bool(data[0] & 64)}
            _use(_loaded(members, None if own else context, **options).values())


def _split(data: bytes) -> Iterator[tuple[str, bytes]]:
    while len(data) > 3:
        length = data[1] | data[2] << 8
        yield NAMES[data[0] % len(NAMES)], data[3 : 3 + length]
        data = data[3 + length :]


def parameters(kind: str) -> list[tuple[str, Any]]:
    """Returns the parameters of all plaintext moduli, as members of a container."""
    context = _contexts()[kind]
    name = f"@{context.dtype.kind}"
    return [(numbered(name, i), core.encode_parameters(scope)) for i, scope in enumerate(context._scopes.per_modulus)]


def _loaded(members: list[tuple[str, Any]], context: Any, **options: Any) -> dict[str, Any]:
    """Reads the members as rf.load does, but without a file."""
    asked = reading.Asked(context, None, "", options.pop("secrets", False), b"", {"allow_insecure": True, **options})
    return reading.objects_of("fuzz", dict(members), asked)


def _pickled(context: Any, members: list[tuple[str, Any]]) -> Any:
    found = dict(members)
    if "x" in found:
        heads = pickles._single([file for name, file in found.items() if name in ("x", "x.1")])
        return pickles._array(context, heads, *(file for name, file in members if name in ("y", "y.1")))
    keys = (of_moduli(found, f"k.{name}") for name in ("public", "relinearization", "galois"))
    return pickles._keys(context, *map(pickles._single, keys))


def _use(objects: Iterable[Any]) -> None:
    for found in objects:
        repr(found)
        if isinstance(found, rf.EncryptedArray):
            with suppress(rf.Error):
                repr(found + found)


def _adopted(name: str, file: bytes, context: Any, how: int) -> bytes:
    """Changes the file to one of this context, unless bit 5 of `how` is set: sets the digest of the parameters, the
    flag for insecure parameters, the length and the checksums.

    Two kinds of files have no ciphertexts, and their digest is zero: the head of an array in a pickle, and a range.
    """
    if how & 32 or len(file) < HEADER + TRAILER:
        return file
    head, payload = bytearray(file[:HEADER]), file[HEADER:-TRAILER]
    if name.startswith("@range") or (how & 2 and name.partition(".")[0] == "x"):
        head[DIGEST_AT : DIGEST_AT + 32] = bytes(32)
    else:
        head[FLAGS_AT] |= 1
        scopes = context._scopes.per_modulus
        index = int(name[-1]) if name[-1:].isdigit() else 0
        head[DIGEST_AT : DIGEST_AT + 32] = scopes[min(index, len(scopes) - 1)].digest
    head[LENGTH_AT : LENGTH_AT + 8] = len(payload).to_bytes(8, "little")
    head[CRC_AT:] = crc32c(bytes(head[:CRC_AT])).to_bytes(4, "little")
    before = bytes(head) + payload
    return before + hashlib.blake2b(before, digest_size=32).digest()


@cache
def _crc_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


def crc32c(data: bytes) -> int:
    table, crc = _crc_table(), 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


TARGETS: dict[str, Callable[[bytes], None]] = {"mail": mail, "text": text, "study": study, "load": load}
