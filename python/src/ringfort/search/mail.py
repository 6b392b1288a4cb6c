# SPDX-License-Identifier: Apache-2.0
"""Converts the bytes of one mail message to a Document, or to a Skipped with the reason.

``mime`` finds the parts and ``charsets`` decodes their text. This file chooses the indexed text: the headers Subject,
From and To, and every text part (HTML without its tags). Time is linear in the size of the message. With the default of
most_words, memory is at most 10 times the size plus 8 MiB. Hostile messages raise no error: they become a Skipped.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from .charsets import decode
from .document import MOST_WORDS, Document, Reading, Skipped, TooManyWords, words_of
from .mime import Part, TooComplex, header_text, parts_of
from .same import letter_digest
from .text import FIELDS, cut_anew, word_end

__all__ = ["decode", "content_id", "printable", "read_message"]

MESSAGE_LIMIT_BYTES = 64 << 20  # larger messages are skipped: they are mostly attachments
_LINE = 1 << 14  # bytes of a header, and characters of its text, used for one line
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
    """Reads one message.

    source: the name of the message, which is used in the reason of a Skipped, and in place of a Message-ID that is
    missing or unusable. most_words: skips a message with more words.
    """
    if len(raw) > MESSAGE_LIMIT_BYTES:
        return Skipped(source, f"{len(raw)} bytes, over the limit of {MESSAGE_LIMIT_BYTES}")
    if not raw.strip(b"\0\r\n\t "):
        return Skipped(source, "empty")
    try:
        return _parsed(raw, source, Reading(keep_body, most_words))
    except (TooComplex, TooManyWords) as error:
        return Skipped(source, str(error))
    except Exception as error:  # Python's decoders raise many classes on hostile bytes; messages may contain text
        return Skipped(source, f"cannot be parsed as mail ({type(error).__name__})")


def _parsed(raw: bytes, source: str, how: Reading) -> Document | Skipped:
    parts = parts_of(raw)
    first = next(parts)
    top = first.headers
    headers = {field: top.get(field.encode(), b"") for field in FIELDS}
    in_headers = chain.from_iterable(cut_anew(header_text(value)) for value in headers.values())
    texts = chain.from_iterable(map(_texts, chain((first,), parts)))
    known: dict[str, str] = {}
    words = words_of(chain(in_headers, texts), how.most_words, known)
    if not words:
        return Skipped(source, "no words")
    identity = _line(top.get(b"message-id", b"")[:_LINE]) or content_id(source, raw)
    fields = tuple(
        (field, words_of(cut_anew(header_text(value)), how.most_words, known))
        for field, value in headers.items()
        if any(header_text(value))
    )
    body = raw if how.keep_body else b""
    return Document(printable(identity), printable(_line(headers["subject"])), words, fields, body, letter_digest(raw))


def _line(header: bytes) -> str:
    """Returns the first 200 characters of a header's text in one line."""
    characters = islice(chain.from_iterable(header_text(header)), _LINE)
    return " ".join("".join(characters).split())[:200]


def _texts(part: Part) -> Iterable[str]:
    if not part.type.startswith(("text/", "multipart/")):  # multipart with content: its boundary is missing
        return ()
    text = decode(part.content, part.charset)
    return _shown(text) if part.type == "text/html" else (text,)


def _shown(text: str) -> Iterator[str]:
    """Yields HTML text without tags, scripts and styles, in linear time. No word extends over two pieces."""
    at = 0
    while opens := _OPENS.search(text, at):
        yield from _unescaped(text, at, opens.start())
        closes = _CLOSES[opens[1].lower()].search(text, opens.end())
        if closes is None:
            return
        at = closes.end()
    yield from _unescaped(text, at, len(text))


def _unescaped(text: str, begin: int, end: int) -> Iterator[str]:
    """Removes tags and decodes entities, piece by piece: lists of the text between them would take many times its
    memory."""
    while begin < end:
        stop = _piece_end(text, begin, end)
        yield html.unescape(_NO_CHARACTER.sub(" ", _TAG.sub(" ", text[begin:stop])))
        begin = stop


def _piece_end(text: str, begin: int, end: int) -> int:
    """Returns the end of a piece, at most ``end``, which is not inside a word, an entity or a tag."""
    if end - begin <= _HTML_PIECE:  # short texts are many, and a search for each end is slow
        return end
    stop = min(word_end(text, begin + _HTML_PIECE, inside="&#;"), end)
    if text.rfind("<", begin, stop) > text.rfind(">", begin, stop):
        bracket = _BRACKET.search(text, stop, end)
        return bracket.end() if bracket and bracket[0] == ">" else stop
    return stop


def content_id(name: str, raw: bytes) -> str:
    """Returns an id for a document without one: a name and a digest of the content."""
    kept = name.encode()[:_NAME_BYTES].decode("utf-8", "ignore")
    return f"{kept}-{hashlib.blake2b(raw, digest_size=4).hexdigest()}"


def printable(text: str) -> str:
    """Replaces unprintable characters: controls, surrogates, escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
