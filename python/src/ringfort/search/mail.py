# SPDX-License-Identifier: Apache-2.0
"""One mail message, as bytes from anywhere, to a Document or to a line that says why not.

Python's own mail parser does the parsing, in its lenient mode (policy compat32); this file decides what is text.
Indexed: the headers Subject, From and To, and every text part (HTML without its tags). Not indexed: other parts.
No message may cost more than its size in time, or raise: whatever goes wrong becomes a Skipped.
"""

from __future__ import annotations

import email
import email.header
import email.message
import email.policy
import hashlib
import html
import re
from collections.abc import Iterator

from .document import Document, Skipped
from .text import FIELDS, split_words

__all__ = ["decode", "content_id", "printable", "read_message"]

MESSAGE_LIMIT_BYTES = 64 << 20  # larger messages are attachments with a note
PART_LIMIT = 1000  # deeper or wider MIME trees are attacks, not letters
_HEADER_LIMIT = 64 << 10  # characters of a header that are decoded; the rest is read as it stands
_TYPE_LIMIT_BYTES = 8 << 10  # of a Content-Type header: the parser's time is quadratic in its parameters
_TYPE = re.compile(rb"(?i)(?:^|(?<=[\r\n]))content-type:[^\r\n]*(?:(?:\r\n|\r|\n)[ \t][^\r\n]*)*")
_TAG = re.compile(r"<[^<>]*>")
_OPENS = re.compile(r"<(script|style)(?=[\s/>])", re.IGNORECASE)
_CLOSES = {tag: re.compile(f"</{tag}(?=[\\s/>])", re.IGNORECASE) for tag in ("script", "style")}
_NAME_BYTES = 230  # an index keeps 250 bytes of an id, and the digest must be among them


def read_message(raw: bytes, source: str, *, keep_body: bool = False) -> Document | Skipped:
    """``source`` names the message when it has no usable Message-ID, and in the reason for skipping it."""
    if len(raw) > MESSAGE_LIMIT_BYTES:
        return Skipped(source, f"{len(raw)} bytes, over the limit of {MESSAGE_LIMIT_BYTES}")
    if not raw.strip(b"\0\r\n\t "):
        return Skipped(source, "empty")
    longest = max((found.end() - found.start() for found in _TYPE.finditer(raw)), default=0)
    if longest > _TYPE_LIMIT_BYTES:
        return Skipped(source, f"a Content-Type of {longest} bytes, over the limit of {_TYPE_LIMIT_BYTES}")
    try:
        return _parsed(raw, source, keep_body)
    except RecursionError:
        return Skipped(source, "MIME parts nested too deeply")
    except Exception as error:  # the parser's own failures on hostile bytes: any class, no promise
        return Skipped(source, f"cannot be parsed as mail ({type(error).__name__}: {str(error)[:100]})")


def _parsed(raw: bytes, source: str, keep_body: bool) -> Document | Skipped:
    message = email.message_from_bytes(raw, policy=email.policy.compat32)
    headers = {field: header_text(message, field) for field in FIELDS}
    pieces = list(headers.values())
    for number, part in enumerate(message.walk()):
        if number == PART_LIMIT:
            return Skipped(source, f"more than {PART_LIMIT} MIME parts")
        pieces.append(_part_text(part))
    words = tuple(word for piece in pieces for word in split_words(piece))
    if not words:
        return Skipped(source, "holds no word")
    identity = " ".join(header_text(message, "Message-ID").split())[:200] or content_id(source, raw)
    subject = " ".join(headers["subject"].split())[:200]
    fields = tuple((field, tuple(split_words(text))) for field, text in headers.items() if text)
    return Document(printable(identity), printable(subject), words, fields, raw if keep_body else b"")


def header_text(message: email.message.Message, name: str) -> str:
    """The decoded header; as it stands where its encoding is broken; empty where it is absent."""
    value = message.get(name)
    if value is None:
        return ""
    text = str(value)
    if len(text) > _HEADER_LIMIT or "=?" not in text:
        return _without_surrogates(text)
    try:
        pieces = email.header.decode_header(text)
    except Exception:  # binascii, Unicode and header errors: the parser names no closed list
        return _without_surrogates(text)
    return "".join(decode(piece, charset) if isinstance(piece, bytes) else piece for piece, charset in pieces)


def decode(raw: bytes, charset: str | None = None) -> str:
    """Text of bytes: by byte order mark, by the named charset, as UTF-8, at last as Latin-1, which takes all bytes."""
    for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if raw.startswith(mark):
            return raw.decode(name, "replace")
    for codec in filter(None, (charset, "utf-8")):
        try:
            return raw.decode(codec)
        except (LookupError, ValueError):  # unknown, wrong or not a text codec
            continue
    return raw.decode("latin-1")


def _part_text(part: email.message.Message) -> str:
    if part.is_multipart() or part.get_content_maintype() not in (
        "text",
        "multipart",
    ):  # multipart: its boundary never came
        return ""
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    try:
        charset = part.get_content_charset()
    except Exception:  # broken RFC 2231 parameters
        charset = None
    text = decode(payload, charset)
    return " ".join(_shown(text)) if part.get_content_subtype() == "html" else text


def _shown(text: str) -> Iterator[str]:
    """HTML without tags, scripts and styles, in time linear in its length."""
    at = 0
    while opens := _OPENS.search(text, at):
        yield html.unescape(_TAG.sub(" ", text[at : opens.start()]))
        closes = _CLOSES[opens[1].lower()].search(text, opens.end())
        if closes is None:
            return
        at = closes.end()
    yield html.unescape(_TAG.sub(" ", text[at:]))


def content_id(name: str, raw: bytes) -> str:
    """The id of a document that brings none: another content has another id, wherever it was read from."""
    kept = name.encode()[:_NAME_BYTES].decode("utf-8", "ignore")
    return f"{kept}-{hashlib.blake2b(raw, digest_size=4).hexdigest()}"


def _without_surrogates(text: str) -> str:
    return decode(text.encode("utf-8", "surrogateescape"))


def printable(text: str) -> str:
    """The text with a replacement character for everything that is no text: controls, surrogates, escapes."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
