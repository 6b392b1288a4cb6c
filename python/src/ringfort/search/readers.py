# SPDX-License-Identifier: Apache-2.0
"""Reads documents for a search index. Sources are mbox files, maildirs, single mails, text files, files whose parts are
separated by lines "%", files with a document in each line, and standard input.

``read(source)`` yields a Document for each item that can be indexed, and a Skipped for every other item, but it omits
hidden files and blank parts. For a folder, it yields the documents of all files below the folder. It reads an mbox file
letter by letter. It reads every other file as a whole, but first checks the size.

``read`` raises an error if an argument is invalid, if the source cannot be opened, if the requested format is maildir
and the source is not a maildir, or if standard input is too long. Other problems give a Skipped.
"""

from __future__ import annotations

import itertools
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from ..errors import InvalidArgument, IoLimit, IoOpen
from ..values import flag, whole
from ..whole_files import open_regular, read_whole
from .document import MOST_WORDS, Document, Reading, Skipped, TooManyWords, words_of
from .mail import MESSAGE_LIMIT_BYTES, content_id, decode, printable, read_message
from .same import text_digest

__all__ = ["FORMATS", "detect", "file_name", "read", "read_bytes"]

Found = Iterator[Document | Skipped]
_SNIFF_BYTES = 1 << 16
COLLECTION_LIMIT_BYTES = 1 << 30  # limit for the formats percent and lines, and for standard input
_CHUNK_BYTES = 1 << 16  # bytes to read at a time from a mailbox or from standard input
_PERCENT_LINE = re.compile(rb"(?m)^%\r*(?:\n|\Z)")
_LINE = re.compile(rb"([^\r\n]*)(?:\r\n?|\n|\Z)")
_NO_BLANK = re.compile(rb"\S")
_LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # the characters at which str.splitlines ends a line
_TEXT_LINE = re.compile(f"[^{_LINE_ENDS}]*")
_LETTER = re.compile(r"[^\W_]")
_SUBJECT_FROM = 1 << 14  # a subject comes from this many characters before and after the first letter
_HEADER_LINE = re.compile(rb"[!-9;-~]+:|[ \t]")
_LETTER_HEAD = re.compile(rb"(?im)^(from|to|date|subject|message-id|received|return-path):")
_OURS = re.compile(r"\.rf[a-z]$")  # names of files of keys, queries, answers and indexes: see docs/file-format.md


def read(
    source: str | os.PathLike[str], format: str = "auto", *, keep_body: bool = False, most_words: int = MOST_WORDS
) -> Found:
    """Yields the documents of a file, a folder, or standard input ("-").

    format: one of FORMATS, or "auto", which detects the format. The format "folder" detects the format of each file in
    the folder. keep_body: True adds the bytes of each document to the document. most_words: documents with more words
    are skipped. Errors: InvalidArgument (an option is invalid, or standard input cannot have the format), IoOpen (the
    source cannot be opened, or does not have the format maildir), IoLimit (standard input is too long).
    """
    if format != "auto" and format not in FORMATS:
        raise InvalidArgument(f"format {format!r} is unknown", f"the formats are auto, {', '.join(FORMATS)}")
    how = Reading(flag("keep_body", keep_body), whole("most_words", most_words, 2**32))
    if os.fspath(source) == "-":
        return _standard_input(format, how)
    path = Path(source)
    try:
        path.stat()
        name = detect(path) if format == "auto" else format
        wrong = name == "maildir" and not _is_maildir(path)
    except OSError as error:
        raise IoOpen(f"{path} cannot be opened: {error.strerror}", "check the path and its permissions") from None
    if wrong:
        raise IoOpen(f"{path} is not a maildir: it has no folders cur and new", "give another format")
    return FORMATS[name](path, how)


def detect(path: Path) -> str:
    """Returns the format of a file or a folder: a name in FORMATS."""
    if path.is_dir():
        return "maildir" if _is_maildir(path) else "folder"
    if path.suffix == ".mbox":
        return "mbox"
    if path.suffix == ".eml":
        return "mail"
    if not path.is_file():
        return "text"
    with open_regular(path) as file:
        head = file.read(_SNIFF_BYTES)
    if head.startswith(b"From "):
        return "mbox"
    if _begins_as_mail(head):
        return "mail"
    return "percent" if b"\n%\n" in head else "text"


def _begins_as_mail(head: bytes) -> bool:
    """Tells whether the text begins as a mail: all lines before the first empty line are headers, and at least two
    headers are typical of mail."""
    headers = re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0]
    return (
        all(map(_HEADER_LINE.match, headers.splitlines()))
        and len({name.lower() for name in _LETTER_HEAD.findall(headers)}) >= 2
    )


def _is_maildir(path: Path) -> bool:
    return (path / "cur").is_dir() and (path / "new").is_dir()


def _maildir(path: Path, how: Reading) -> Found:
    letters: dict[str, Path] = {}
    for folder in ("new", "cur"):
        try:
            files = sorted((path / folder).iterdir())
        except OSError as error:
            yield Skipped(folder, f"cannot be read ({error.strerror})")
            continue
        for file in files:
            if not file.name.startswith("."):
                # In a file's name, flags follow the colon. A letter that is in both folders is read once, from cur.
                letters[file.name.partition(":")[0]] = file
    for name in sorted(letters):
        yield from _one_file(letters[name], file_name(name), "mail", how)


def _mbox(path: Path, name: str, how: Reading) -> Found:
    number = 0
    try:
        with open_regular(path) as file:
            for number, letter in enumerate(_letters(file), 1):
                yield _message(letter, f"{name}#{number}", how)
    except OSError as error:
        yield Skipped(name, f"cannot be read ({error.strerror or type(error).__name__})")
        return
    if number == 0:
        yield Skipped(name, "no line begins with 'From ': the file is not an mbox file, or empty")


def _letters(file: BinaryIO) -> Iterator[bytes]:
    """Yields the letters of an mbox file: the text between lines that begin with "From ". If a letter exceeds the
    limit, yields only its beginning, which exceeds the limit, too."""
    letter = bytearray()
    found, line_begins = False, True
    for line in iter(lambda: file.readline(min(_CHUNK_BYTES, MESSAGE_LIMIT_BYTES)), b""):
        if line_begins and line.startswith(b"From "):
            if found:
                yield _taken(letter)
            found = True
        elif found and len(letter) <= MESSAGE_LIMIT_BYTES:
            letter += line
        line_begins = line.endswith(b"\n")
    if found:
        yield _taken(letter)


def _taken(letter: bytearray) -> bytes:
    """Returns the letter in the buffer, without an empty line at its end. Clears the buffer."""
    if letter == b"\n" or letter.endswith(b"\n\n"):
        letter.pop()
    taken = bytes(letter)
    letter.clear()
    return taken


def _message(raw: bytes, name: str, how: Reading) -> Document | Skipped:
    return read_message(raw, name, keep_body=how.keep_body, most_words=how.most_words)


def _mail(raw: bytes, name: str, how: Reading) -> Found:
    yield _message(raw, name, how)


def _text(raw: bytes, name: str, how: Reading) -> Found:
    yield plain_document(raw, name, how)


def _percent(raw: bytes, name: str, how: Reading) -> Found:
    number = begin = 0
    for end, after in itertools.chain(map(re.Match.span, _PERCENT_LINE.finditer(raw)), ((len(raw), len(raw)),)):
        size = end - begin - (begin < end < len(raw))  # excludes the line end before the separator
        if _holds_text(raw, begin, begin + size):
            number += 1
            yield _piece(raw, begin, size, f"{name}#{number}", how)
        begin = after


def _lines(raw: bytes, name: str, how: Reading) -> Found:
    for number, line in enumerate(_LINE.finditer(raw), 1):
        begin, end = line.span(1)
        if _holds_text(raw, begin, end):
            yield _piece(raw, begin, end - begin, f"{name}#{number}", how)


def _holds_text(raw: bytes, begin: int, end: int) -> bool:
    return _NO_BLANK.search(raw, begin, end) is not None


def _piece(raw: bytes, begin: int, size: int, name: str, how: Reading) -> Document | Skipped:
    if size > MESSAGE_LIMIT_BYTES:
        return Skipped(name, f"{size} bytes, over the limit of {MESSAGE_LIMIT_BYTES}")
    return plain_document(raw[begin : begin + size], name, how)


_SPLITS: dict[str, tuple[Callable[[bytes, str, Reading], Found], int]] = {
    "mail": (_mail, MESSAGE_LIMIT_BYTES),
    "text": (_text, MESSAGE_LIMIT_BYTES),
    "percent": (_percent, COLLECTION_LIMIT_BYTES),
    "lines": (_lines, COLLECTION_LIMIT_BYTES),
}


def _each_file(kind: str, path: Path, how: Reading) -> Found:
    """Yields the documents of a file, or of all files below a folder. kind: the format of each file. "folder" means
    that the function detects the format of each file."""
    for file in _files(path):
        if isinstance(file, Skipped):
            yield file
            continue
        yield from _one_file(file, file_name(file.relative_to(path) if path.is_dir() else file.name), kind, how)


def _one_file(file: Path, name: str, kind: str, how: Reading) -> Found:
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode):
            yield Skipped(name, "not a regular file")
            return
        look = detect(file) if kind == "folder" else kind
        if look == "mbox":
            yield from _mbox(file, name, how)
        elif found.st_size > _SPLITS[look][1]:
            yield Skipped(name, f"{found.st_size} bytes, over the limit of {_SPLITS[look][1]}")
        else:
            raw = read_whole(file, _SPLITS[look][1])
            yield from _SPLITS[look][0](raw[: _SPLITS[look][1]], name, how)
    except OSError as error:
        yield Skipped(name, f"cannot be read ({error.strerror})")


def read_bytes(raw: bytes, name: str, format: str, *, keep_body: bool = False, most_words: int = MOST_WORDS) -> Found:
    """Yields the documents in the given bytes. format: mail, text, percent or lines. Takes time proportional to the
    number of bytes."""
    return _SPLITS[format][0](raw, name, Reading(keep_body, most_words))


FORMATS: dict[str, Callable[[Path, Reading], Found]] = {
    "maildir": _maildir,
    **{kind: partial(_each_file, kind) for kind in ("mbox", *_SPLITS, "folder")},
}


def file_name(path: str | os.PathLike[str]) -> str:
    """Returns a path as printable text. The bytes of the path need not be UTF-8."""
    return printable(os.fspath(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


def _files(path: Path) -> Iterator[Path | Skipped]:
    """Yields the path itself if it is a file. If it is a folder, yields all files below it, in the order of their
    names. Yields a Skipped for files of Ringfort and for unreadable folders.

    Omits hidden files and folders, and links to folders. Omits the files NAME.dat and NAME.u8 beside a file NAME,
    because collections of fortunes come with such files.
    """
    if not path.is_dir():
        yield path
        return
    closed: list[OSError] = []
    for folder, names in sorted(_walked(path, closed)):
        if any(part.startswith(".") for part in Path(folder).relative_to(path).parts):
            continue
        for name in sorted(names):
            stem, end = os.path.splitext(name)
            if name.startswith(".") or (end in (".dat", ".u8") and stem in names):
                continue
            file = Path(folder, name)
            yield Skipped(file_name(file.relative_to(path)), "a file of ringfort") if _OURS.search(name) else file
    for error in closed:
        where = Path(error.filename).relative_to(path)
        if not any(part.startswith(".") for part in where.parts):
            yield Skipped(file_name(where), f"cannot be read ({error.strerror})")


def _walked(path: Path, closed: list[OSError]) -> Iterator[tuple[str, list[str]]]:
    """Yields each folder with the names of its files. The function does not call itself: for a deep tree, Python would
    raise RecursionError."""
    waiting = [os.fspath(path)]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                found = [(entry.name, _is_folder(entry), entry.is_symlink()) for entry in entries]
        except OSError as error:
            closed.append(error)
            continue
        waiting += (os.path.join(folder, name) for name, inside, link in found if inside and not link)
        yield folder, [name for name, inside, _ in found if not inside]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # for example in a loop of links; a later read raises the error again
        return False


def plain_document(raw: bytes, name: str, how: Reading) -> Document | Skipped:
    """Makes a document from text. The subject of the document is the first line with a letter or digit, cut to 80
    characters."""
    text = decode(raw)
    try:
        words = words_of([text], how.most_words)
    except TooManyWords as error:
        return Skipped(name, str(error))
    if not words:
        return Skipped(name, "no words")
    subject = "".join(c for c in " ".join(_first_line(text).split()) if c.isprintable())[:80]
    return Document(content_id(name, raw), subject, words, (), raw if how.keep_body else b"", text_digest(name, raw))


def _first_line(text: str) -> str:
    """Returns the first line with a letter or digit. If the line is very long, returns the part around the first letter
    or digit."""
    letter = _LETTER.search(text)
    if letter is None:
        return ""
    begin = 1 + max(text.rfind(end, 0, letter.start()) for end in _LINE_ENDS)
    begin = max(begin, letter.start() - _SUBJECT_FROM)
    line = _TEXT_LINE.match(text, begin, begin + 2 * _SUBJECT_FROM)
    return line[0] if line else ""


def _standard_input(format: str, how: Reading) -> Found:
    if format in ("maildir", "folder"):
        raise InvalidArgument(f"standard input cannot be a {format}", "give the folder instead of -")
    collected = bytearray()
    while len(collected) <= COLLECTION_LIMIT_BYTES and (chunk := sys.stdin.buffer.read(_CHUNK_BYTES)):
        collected += chunk
    raw = bytes(collected)
    del collected
    if len(raw) > COLLECTION_LIMIT_BYTES:
        raise IoLimit(
            f"standard input has more than {COLLECTION_LIMIT_BYTES >> 20} MiB", "give files, or smaller parts"
        )
    if format in ("auto", "mail", "mbox"):
        return _mails_of(raw, "stdin", how)
    return _SPLITS[format][0](raw, "stdin", how)


def _mails_of(raw: bytes, name: str, how: Reading) -> Found:
    """Yields the mails of the given bytes. If the bytes begin with "From ", they are an mbox file. If not, they are one
    mail."""
    if not raw.startswith(b"From "):
        yield _message(raw, name, how)
        return
    number = begin = 0
    while begin >= 0:
        number += 1
        separator = raw.find(b"\nFrom ", begin)
        end = separator if separator >= 0 else len(raw)
        head = raw.find(b"\n", begin, end)
        yield _message(raw[head + 1 if head >= 0 else end : end], f"{name}#{number}", how)
        begin = separator + 1 if separator >= 0 else -1
