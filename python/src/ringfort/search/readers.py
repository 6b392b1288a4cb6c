# SPDX-License-Identifier: Apache-2.0
"""Documents from mbox files, maildirs, single mails, text files, %-separated files, lines and standard input.

``read(source)`` yields a Document for everything that can be indexed and a Skipped for everything that cannot; it
raises only when the source itself cannot be opened. Mailboxes are split by Python's mailbox module.
"""

from __future__ import annotations

import hashlib
import mailbox
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import InvalidArgument, IoOpen
from .document import Document, Skipped
from .mail import MESSAGE_LIMIT_BYTES, decode, read_message
from .text import split_words

__all__ = ["FORMATS", "read", "detect"]

Found = Iterator[Document | Skipped]
_SNIFF_BYTES = 1 << 16
COLLECTION_LIMIT_BYTES = 1 << 30  # a file of many documents is read whole


def read(source: str | os.PathLike[str], format: str = "auto", *, keep_body: bool = False) -> Found:
    """The documents of a file, a folder, or standard input ("-").

    format: auto, mbox, maildir, mail, text, percent, lines. keep_body: documents carry their bytes.
    Errors: InvalidArgument for an unknown format, IoOpen when the source cannot be opened.
    """
    if format != "auto" and format not in FORMATS:
        raise InvalidArgument(f"format {format!r} is unknown", f"the formats are auto, {', '.join(FORMATS)}")
    if os.fspath(source) == "-":
        return _standard_input(format, keep_body)
    path = Path(source)
    try:
        path.stat()
        name = detect(path) if format == "auto" else format
    except OSError as error:
        raise IoOpen(f"{path} cannot be opened: {error.strerror}", "check the path and its permissions") from None
    if name == "maildir" and not _is_maildir(path):
        raise IoOpen(f"{path} is no maildir: it has no folders cur and new", "name its format with --format")
    return FORMATS[name](path, keep_body)


def detect(path: Path) -> str:
    """The format of a path by its look: see FORMATS."""
    if path.is_dir():
        return "maildir" if _is_maildir(path) else "text"
    if path.suffix == ".mbox":
        return "mbox"
    if path.suffix == ".eml":
        return "mail"
    if not path.is_file():
        return "text"
    with path.open("rb") as file:
        head = file.read(_SNIFF_BYTES)
    if head.startswith(b"From "):
        return "mbox"
    return "percent" if b"\n%\n" in head else "text"


def _is_maildir(path: Path) -> bool:
    return (path / "cur").is_dir() and (path / "new").is_dir()


def _mbox_file(path: Path, keep_body: bool) -> Found:
    box = mailbox.mbox(os.fspath(path), create=False)
    try:
        keys = box.keys()
        if not keys:
            yield Skipped(str(path), "no line begins with 'From ': not an mbox file, or an empty one")
        for key in keys:
            yield _guarded(box, key, f"{path.name}#{int(key) + 1}", keep_body)
    finally:
        box.close()


def _maildir(path: Path, keep_body: bool) -> Found:
    box = mailbox.Maildir(os.fspath(path), create=False)
    for key in sorted(box.keys()):
        yield _guarded(box, key, str(key), keep_body)


def _guarded(box: mailbox.Mailbox, key: object, source: str, keep_body: bool) -> Document | Skipped:
    try:
        raw = box.get_bytes(key)  # type: ignore[arg-type]
    except (OSError, KeyError, ValueError) as error:
        return Skipped(source, f"cannot be read ({error})")
    return read_message(raw, source, keep_body=keep_body)


def _mail(path: Path, keep_body: bool) -> Found:
    return _each_file(path, lambda raw, name: iter((read_message(raw, name, keep_body=keep_body),)))


def _text(path: Path, keep_body: bool) -> Found:
    return _each_file(path, lambda raw, name: iter((plain_document(raw, name, keep_body),)))


def _percent(path: Path, keep_body: bool) -> Found:
    return _each_file(path, lambda raw, name: _percent_parts(raw, name, keep_body), COLLECTION_LIMIT_BYTES)


def _lines(path: Path, keep_body: bool) -> Found:
    return _each_file(path, lambda raw, name: _line_parts(raw, name, keep_body), COLLECTION_LIMIT_BYTES)


FORMATS: dict[str, Callable[[Path, bool], Found]] = {
    "mbox": _mbox_file,
    "maildir": _maildir,
    "mail": _mail,
    "text": _text,
    "percent": _percent,
    "lines": _lines,
}


def _each_file(path: Path, split: Callable[[bytes, str], Found], limit: int = MESSAGE_LIMIT_BYTES) -> Found:
    for file in _files(path):
        name = str(file.relative_to(path)) if path.is_dir() else file.name
        try:
            mode, size = file.stat().st_mode, file.stat().st_size
            if not stat.S_ISREG(mode):
                yield Skipped(name, "not a regular file")
            elif size > limit:
                yield Skipped(name, f"{size} bytes, over the limit of {limit}")
            else:
                yield from split(file.read_bytes(), name)
        except OSError as error:
            yield Skipped(name, f"cannot be read ({error.strerror})")


def _files(path: Path) -> list[Path]:
    """A file itself, or the files below a folder, in order; hidden ones and strfile's tables (.dat, .u8) left out."""
    if not path.is_dir():
        return [path]
    return [
        Path(folder, name)
        for folder, folders, names in sorted(os.walk(path))
        if not any(part.startswith(".") for part in Path(folder).relative_to(path).parts)
        for name in sorted(names)
        if not name.startswith(".") and not name.endswith((".dat", ".u8"))
    ]


def _percent_parts(raw: bytes, name: str, keep_body: bool) -> Found:
    number, part = 0, []
    for line in [*raw.split(b"\n"), b"%"]:
        if line.rstrip(b"\r") != b"%":
            part.append(line)
            continue
        if part and any(map(bytes.strip, part)):
            number += 1
            yield plain_document(b"\n".join(part), f"{name}#{number}", keep_body)
        part = []


def _line_parts(raw: bytes, name: str, keep_body: bool) -> Found:
    for number, line in enumerate(raw.splitlines(), 1):
        if line.strip():
            yield plain_document(line, f"{name}#{number}", keep_body)


def plain_document(raw: bytes, name: str, keep_body: bool = False) -> Document | Skipped:
    """A document of plain text; its first line with a letter is its subject."""
    text = decode(raw)
    words = tuple(split_words(text))
    if not words:
        return Skipped(name, "holds no word")
    first = next((line for line in text.splitlines() if any(map(str.isalnum, line))), "")
    subject = "".join(c for c in " ".join(first.split()) if c.isprintable())[:80]
    return Document(name, subject, words, (), raw if keep_body else b"")


def _standard_input(format: str, keep_body: bool) -> Found:
    raw = sys.stdin.buffer.read()
    name = f"stdin-{hashlib.blake2b(raw, digest_size=4).hexdigest()}"  # so that another input has other names
    if format == "lines":
        return _line_parts(raw, name, keep_body)
    if format == "percent":
        return _percent_parts(raw, name, keep_body)
    if format == "text":
        return iter((plain_document(raw, name, keep_body),))
    if format == "maildir":
        raise InvalidArgument("standard input cannot be a maildir", "name its folder instead of -")
    return _mails_of(raw, name, keep_body)


def _mails_of(raw: bytes, name: str, keep_body: bool) -> Found:
    """One mail, or several, each begun by a line "From ..." as in an mbox file."""
    if not raw.startswith(b"From "):
        yield read_message(raw, name, keep_body=keep_body)
        return
    for number, piece in enumerate(raw[len(b"From ") :].split(b"\nFrom "), 1):
        yield read_message(piece.partition(b"\n")[2], f"{name}#{number}", keep_body=keep_body)
