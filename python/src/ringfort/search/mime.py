# SPDX-License-Identifier: Apache-2.0
"""Finds the parts of a mail message [RFC 5322, 2045 to 2047, 2231]. Accepts messages with errors. Takes time
proportional to the size of the message.

Python's own parser compares every line with the boundaries of all enclosing parts, and takes quadratic time for
parameters and encoded words. The parser here works from the outermost part inwards. Each level searches its bytes once,
for one boundary. There are at most ``DEPTH_LIMIT`` levels of inner parts, and ``PART_LIMIT`` parts. The parser reads
only what an index needs: a few headers, the types and charsets of parts, and the bytes of parts without inner parts.
"""

from __future__ import annotations

import binascii
import contextlib
import io
import itertools
import re
import urllib.parse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .charsets import decoded_pieces

__all__ = ["DEPTH_LIMIT", "PART_LIMIT", "MimePart", "TooComplex", "header_text", "mime_parts", "with_line_feeds"]

# Mail in practice has fewer parts, and fewer levels of parts in parts.
PART_LIMIT = 1000
DEPTH_LIMIT = 30
# Bytes that are read of the header Content-Type or Content-Transfer-Encoding. Mail in practice has shorter headers.
_VALUE_LIMIT = 1 << 14
_BOUNDARY_LIMIT = 256  # bytes; RFC 2046 allows 70
_WANTED = frozenset((b"subject", b"from", b"to", b"message-id", b"content-type", b"content-transfer-encoding"))
_LONGEST_NAME = max(map(len, _WANTED))
_HEADER = re.compile(rb"From |([!-9;-~]*):|[ \t]")
_DELIMITER_ENDS = re.compile(rb"(--)?[ \t]*(?:\n|\Z)")
_WORD_OPENS = re.compile(rb"=\?([^?\s]{1,80})\?([bqBQ])\?")
_ESCAPED_BYTE = re.compile(rb"=([0-9A-Fa-f]{2})")
_PARAMETER = re.compile(r';\s*([^\s=;"]{1,80})\s*=\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)|([^;]*))', re.DOTALL)
_SECTION = re.compile(r"(\d{0,3})(\*?)\Z")


def with_line_feeds(raw: bytes) -> bytes:
    """Replaces every line end by a line feed."""
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


class TooComplex(Exception):
    """The message has too many parts, or too many levels of parts."""


@dataclass(frozen=True)
class MimePart:
    """A node in the tree of parts. An inner node has no content. Its parts come after it in the sequence of
    ``mime_parts``."""

    headers: dict[bytes, bytes]
    type: str
    charset: str | None
    content: bytes


@dataclass(frozen=True)
class _Span:
    begin: int
    end: int
    depth: int
    default: str = "text/plain"


def mime_parts(raw: bytes) -> Iterator[MimePart]:
    """Yields the parts of a message. The outermost part comes first. Errors: TooComplex."""
    raw = b"\n" + with_line_feeds(raw)
    for number, part in enumerate(_walk(raw, _Span(1, len(raw), 0))):
        if number == PART_LIMIT:
            raise TooComplex(f"more than {PART_LIMIT} MIME parts")
        yield part


def _walk(raw: bytes, span: _Span) -> Iterator[MimePart]:
    if span.depth > DEPTH_LIMIT:
        raise TooComplex("MIME parts nested too deeply")
    headers, begin = _headers(raw, span)
    said = headers.get(b"content-type", b"")[:_VALUE_LIMIT].decode("latin-1")
    kind = said.partition(";")[0].strip().lower()
    kind = kind if kind.count("/") == 1 else span.default
    inner = iter(_inner(raw, _Span(begin, span.end, span.depth + 1), kind, said))
    first = next(inner, None)
    if first is None:
        coding = headers.get(b"content-transfer-encoding", b"")[:_VALUE_LIMIT].decode("latin-1")
        yield MimePart(headers, kind, _parameter(said, "charset"), _content(raw[begin : span.end], coding))
        return
    yield MimePart(headers, kind, None, b"")
    yield from _walk(raw, first)
    for each in inner:
        yield from _walk(raw, each)


def _headers(raw: bytes, span: _Span) -> tuple[dict[bytes, bytes], int]:
    """Returns the wanted headers, and the place where the body begins. If a header occurs several times, returns the
    first."""
    found: dict[bytes, list[int]] = {}  # for each header, the beginning and the end of its text
    at, bounds = span.begin, None
    for line, end in _header_lines(raw, span.begin, span.end):
        if not line[0].isspace():
            name = line[1].lower() if line[1] and len(line[1]) <= _LONGEST_NAME else b""
            wanted = name in _WANTED and name not in found
            bounds = found.setdefault(name, [line.end(), end]) if wanted else None
        if bounds is not None:
            bounds[1] = end
        at = end
    headers = {name: raw[bounds[0] : bounds[1]].strip() for name, bounds in found.items()}
    return headers, at + (raw[at : at + 1] == b"\n")


def _header_lines(raw: bytes, begin: int, end: int) -> Iterator[tuple[re.Match[bytes], int]]:
    """Yields the match of _HEADER for each header line, and the end of the line. Stops at the first line that is not a
    header."""
    while begin < end and (line := _HEADER.match(raw, begin, end)):
        begin = raw.find(b"\n", begin, end) + 1 or end
        yield line, begin


def headers_end(raw: bytes, begin: int, end: int) -> int:
    """Returns the place where the headers end. The message begins at ``begin``."""
    for _, after in _header_lines(raw, begin, end):
        begin = after
    return begin


def _inner(raw: bytes, body: _Span, kind: str, said: str) -> Iterator[_Span]:
    """Yields the parts of a body. A body that is a message is one part. Yields no part if the body has no parts, or if
    its boundary is missing."""
    if kind.startswith("message/") and kind != "message/delivery-status":
        yield body
    if not kind.startswith("multipart/") or not (boundary := _parameter(said, "boundary")):
        return
    default = "message/rfc822" if kind == "multipart/digest" else "text/plain"
    begins = None
    for at, after, closes in _delimiters(raw, body, boundary.rstrip().encode("latin-1")):
        if begins is not None:
            yield _Span(begins, max(at, begins), body.depth, default)
        begins = after
        if closes:
            return
    if begins is not None:
        yield _Span(begins, body.end, body.depth, default)


def _delimiters(raw: bytes, body: _Span, boundary: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yields three values for each boundary line: the end of the part before it, the beginning of the part after it,
    and whether it is the last boundary line."""
    if not 0 < len(boundary) <= _BOUNDARY_LIMIT:
        return
    marker, at = b"\n--" + boundary, body.begin - 1
    while (at := raw.find(marker, at, body.end)) >= 0:
        if ends := _DELIMITER_ENDS.match(raw, at + len(marker), body.end):
            yield at, ends.end(), ends[1] is not None
        at += len(marker)


_UU_CODINGS = frozenset(("x-uuencode", "uuencode", "uue", "x-uue"))
_UU_BEGINS = re.compile(rb"begin [0-7]+(?: |\Z)")


def _uudecoded(raw: bytes) -> bytes:
    """Decodes uuencoded lines, without their padding. Returns ``raw`` if no line begins the encoded text."""
    found, begun = bytearray(), False
    for line in map(bytes.rstrip, io.BytesIO(raw), itertools.repeat(b"\n")):
        if not begun:
            begun = _UU_BEGINS.match(line) is not None
        elif not line or line.strip() == b"end":
            break
        else:
            # The first character encodes the number n of decoded bytes. Then ceil(4 n / 3) characters follow. Longer
            # lines are cut. Of shorter lines, only the bytes that they contain are kept.
            claimed = ((line[0] - 32) & 63) * 4 + 5
            with contextlib.suppress(binascii.Error):  # skips a broken line
                found += binascii.a2b_uu(line[: claimed // 3])[: (len(line) - 1) * 3 // 4]
    return bytes(found) if begun else raw


def _content(raw: bytes, coding: str) -> bytes:
    """Decodes the transfer encoding of a part. Returns ``raw`` for another encoding, such as 8bit, and for broken
    base64."""
    coding = coding.strip().lower()
    if coding in _UU_CODINGS:
        return _uudecoded(raw)
    if coding == "quoted-printable":
        return binascii.a2b_qp(raw)
    if coding == "base64":
        for padding in (b"", b"=="):  # some mails lack the padding
            with contextlib.suppress(binascii.Error):
                return binascii.a2b_base64(raw + padding)
    return raw


def _parameter(header: str, wanted: str) -> str | None:
    """Returns a parameter of a header. The parameter may be cut into pieces as in RFC 2231."""
    pieces: dict[int, tuple[bool, str]] = {}
    for found in _PARAMETER.finditer(header):
        name, star, rest = found[1].lower().partition("*")
        if name != wanted:
            continue
        value = found[3].strip() if found[2] is None else re.sub(r"\\(.)", r"\1", found[2], flags=re.DOTALL)
        if not star:
            return value
        if section := _SECTION.match(rest):
            pieces.setdefault(int(section[1] or 0), (bool(section[2]) or not rest, value))
    if not pieces:
        return None
    if pieces.get(0, (False, ""))[0]:
        pieces[0] = (True, pieces[0][1].split("'", 2)[-1])
    return "".join(
        urllib.parse.unquote(value, "latin-1") if encoded else value for _, (encoded, value) in sorted(pieces.items())
    )


def header_text(value: bytes) -> Iterator[str]:
    """Decodes the encoded words of a header [RFC 2047]. Yields the text of the header in pieces. Broken encoded words
    stay as they are.

    A word may be cut between two pieces. The text is not one str, because one wide character could make that str four
    times as large as the bytes.
    """
    for charset, content in _joined(_header_pieces(value)):
        yield from decoded_pieces(content, charset)


def _header_pieces(value: bytes) -> Iterator[tuple[str | None, bytes | bytearray]]:
    at = 0
    while opens := _WORD_OPENS.search(value, at):
        closes = value.find(b"?=", opens.end())
        if closes < 0:
            break
        between, content = value[at : opens.start()], _encoded_word(value[opens.end() : closes], opens[2])
        if between.strip() or not at:  # blanks between encoded words do not belong to the text
            yield None, between
        if content is None:
            yield None, value[opens.start() : closes + 2]
        else:
            yield opens[1].decode("latin-1").partition("*")[0], content
        at = closes + 2
    yield None, value[at:]


def _joined(pieces: Iterable[tuple[str | None, bytes | bytearray]]) -> Iterator[tuple[str | None, bytearray]]:
    """Joins neighbouring pieces of the same charset. A character may be cut between two encoded words."""
    joined = bytearray()
    last: str | None = None
    for charset, content in pieces:
        if joined and charset != last:
            yield last, joined
            joined = bytearray()
        last = charset
        joined += content
    yield last, joined


def _encoded_word(content: bytes, coding: bytes) -> bytes | bytearray | None:
    if coding in b"qQ":
        return _with_escapes_read(content.replace(b"_", b" "))
    try:
        return binascii.a2b_base64(content + b"=" * (-len(content) % 4))
    except binascii.Error:
        return None


def _with_escapes_read(content: bytes) -> bytearray:
    """Decodes escaped bytes one by one. re.sub would keep all escapes in memory, which takes 15 times their size."""
    read, at = bytearray(), 0
    for found in _ESCAPED_BYTE.finditer(content):
        read += content[at : found.start()]
        read.append(int(found[1], 16))
        at = found.end()
    return read + content[at:]
