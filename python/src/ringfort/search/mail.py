# SPDX-License-Identifier: Apache-2.0
"""One mail message, as bytes from anywhere, to a Document or to a line that says why not.

``mime`` finds the parts and ``charsets`` their text; this file decides what is indexed: the headers Subject,
From and To, and every text part (HTML without its tags). Not indexed: other parts. No message may cost more
than its size in time, or (with the default of most_words) 12 times its size and 8 MiB in memory, or raise: whatever
goes wrong becomes a Skipped.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from .charsets import decode
from .document import MOST_WORDS, Document, Reading, Skipped, TooManyWords, words_of
from .mime import Part, TooComplex, header_text, parts_of
from .same import letter_digest
from .text import FIELDS, word_end

__all__ = ["decode", "content_id", "printable", "read_message"]

MESSAGE_LIMIT_BYTES = 64 << 20  # larger messages are attachments with a note
_LINE = 1 << 14  # of a header, what its first line is made of
_HTML_PIECE = 1 << 13  # characters
_TAG = re.compile(r"<[^<>]*>")
_BRACKET = re.compile("[<>]")
_OPENS = re.compile(r"<(script|style)(?=[\s/>])", re.IGNORECASE)
_CLOSES = {tag: re.compile(f"</{tag}(?=[\\s/>])", re.IGNORECASE) for tag in ("script", "style")}
_NO_CHARACTER = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{7,});?")  # int() takes quadratic time for long numbers
_NAME_BYTES = 230  # an index keeps 250 bytes of an id, and the digest must be among them


def read_message(
    raw: bytes, source: str, *, keep_body: bool = False, most_words: int = MOST_WORDS
) -> Document | Skipped:
    """``source`` names the message when it has no usable Message-ID, and in the reason for skipping it.

    most_words: a message with more is skipped.
    """
    if len(raw) > MESSAGE_LIMIT_BYTES:
        return Skipped(source, f"{len(raw)} bytes, over the limit of {MESSAGE_LIMIT_BYTES}")
    if not raw.strip(b"\0\r\n\t "):
        return Skipped(source, "empty")
    try:
        return _parsed(raw, source, Reading(keep_body, most_words))
    except (TooComplex, TooManyWords) as error:
        return Skipped(source, str(error))
    except Exception as error:  # of Python's decoders on hostile bytes: any class, and what they say may hold the text
        return Skipped(source, f"cannot be parsed as mail ({type(error).__name__})")


def _parsed(raw: bytes, source: str, how: Reading) -> Document | Skipped:
    parts = parts_of(raw)
    first = next(parts)
    top = first.headers
    headers = {field: header_text(top.get(field.encode(), b"")) for field in FIELDS}
    texts = chain.from_iterable(map(_texts, chain((first,), parts)))
    known: dict[str, str] = {}
    words = words_of(chain(headers.values(), texts), how.most_words, known)
    if not words:
        return Skipped(source, "holds no word")
    identity = _line(header_text(top.get(b"message-id", b"")[:_LINE])) or content_id(source, raw)
    subject = _line(headers["subject"])
    fields = tuple((field, words_of([text], how.most_words, known)) for field, text in headers.items() if text)
    body = raw if how.keep_body else b""
    return Document(printable(identity), printable(subject), words, fields, body, letter_digest(raw))


def _line(text: str) -> str:
    """Its first 200 characters in one line."""
    return " ".join(text[:_LINE].split())[:200]


def _texts(part: Part) -> Iterable[str]:
    if not part.type.startswith(("text/", "multipart/")):  # multipart with content: its boundary never came
        return ()
    text = decode(part.content, part.charset)
    return _shown(text) if part.type == "text/html" else (text,)


def _shown(text: str) -> Iterator[str]:
    """HTML without tags, scripts and styles, in time linear in its length; in pieces between which words end."""
    at = 0
    while opens := _OPENS.search(text, at):
        yield from _unescaped(text, at, opens.start())
        closes = _CLOSES[opens[1].lower()].search(text, opens.end())
        if closes is None:
            return
        at = closes.end()
    yield from _unescaped(text, at, len(text))


def _unescaped(text: str, begin: int, end: int) -> Iterator[str]:
    """In pieces: lists of what stands between tags and entities would take many times the text."""
    while begin < end:
        stop = min(_piece_end(text, begin), end)
        yield html.unescape(_NO_CHARACTER.sub(" ", _TAG.sub(" ", text[begin:stop])))
        begin = stop


def _piece_end(text: str, begin: int) -> int:
    """Where a piece ends in no word, entity or tag."""
    stop = word_end(text, begin + _HTML_PIECE, inside="&#;")
    if text.rfind("<", begin, stop) > text.rfind(">", begin, stop):
        bracket = _BRACKET.search(text, stop)
        return bracket.end() if bracket and bracket[0] == ">" else stop
    return stop


def content_id(name: str, raw: bytes) -> str:
    """The id of a document that brings none: another content has another id, wherever it was read from."""
    kept = name.encode()[:_NAME_BYTES].decode("utf-8", "ignore")
    return f"{kept}-{hashlib.blake2b(raw, digest_size=4).hexdigest()}"


def printable(text: str) -> str:
    """The text with a replacement character for everything that is no text: controls, surrogates, escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
