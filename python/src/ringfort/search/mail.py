# SPDX-License-Identifier: Apache-2.0
"""Converts the bytes of a mail message to a Document. If this is not possible, returns a Skipped that states the
reason.

mime.py finds the parts of a message. charsets.py decodes their text. This file selects the text for the index: the
headers Subject, From and To, and every text part. It removes the tags of HTML.

The time is proportional to the size of the message. With the default of most_words, the memory is at most 10 times the
size plus 8 MiB. A hostile message raises no error: it becomes a Document or a Skipped.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from .charsets import decode
from .document import MOST_WORDS, Document, Reading, Skipped, TooManyWords, words_of
from .mime import MimePart, TooComplex, header_text, mime_parts
from .same import letter_digest
from .text import FIELDS, cut_anew, word_end

__all__ = ["decode", "content_id", "printable", "read_message"]

MESSAGE_LIMIT_BYTES = 64 << 20  # larger messages are skipped, because they consist mainly of attachments
# Two limits: at most this number of bytes of the header Message-ID are read. Of the decoded text of this header or of a
# subject, at most this number of characters are read.
_LINE = 1 << 14
_HTML_PIECE = 1 << 13  # length in characters
_TAG = re.compile(r"<[^<>]*>")
_BRACKET = re.compile("[<>]")
_OPENS = re.compile(r"<(script|style)(?=[\s/>])", re.IGNORECASE)
_CLOSES = {tag: re.compile(f"</{tag}(?=[\\s/>])", re.IGNORECASE) for tag in ("script", "style")}
# References to characters whose numbers have too many digits. For them, html.unescape would call int(), which takes
# quadratic time.
_NO_CHARACTER = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{7,});?")
_NAME_BYTES = 230  # then an id of content_id has at most 239 bytes, and an index keeps 250 bytes of an id


def read_message(
    raw: bytes, source: str, *, keep_body: bool = False, most_words: int = MOST_WORDS
) -> Document | Skipped:
    """Reads one message.

    source: the name of the message. A Skipped contains it. If the Message-ID is missing or blank, the id consists of
    the source and a digest of the message. most_words: a message with more words is skipped.
    """
    if len(raw) > MESSAGE_LIMIT_BYTES:
        return Skipped(source, f"{len(raw)} bytes, over the limit of {MESSAGE_LIMIT_BYTES}")
    if not raw.strip(b"\0\r\n\t "):
        return Skipped(source, "empty")
    try:
        return _parsed(raw, source, Reading(keep_body, most_words))
    except (TooComplex, TooManyWords) as error:
        return Skipped(source, str(error))
    # For hostile bytes, Python's decoders raise exceptions of many classes. The message of an exception is omitted: it
    # may contain text of the mail.
    except Exception as error:
        return Skipped(source, f"cannot be parsed as mail ({type(error).__name__})")


def _parsed(raw: bytes, source: str, how: Reading) -> Document | Skipped:
    parts = mime_parts(raw)
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
    """Returns the text of a header as one line, cut to 200 characters."""
    characters = islice(chain.from_iterable(header_text(header)), _LINE)
    return " ".join("".join(characters).split())[:200]


def _texts(part: MimePart) -> Iterable[str]:
    # A multipart has content only if mime.py finds no boundary in it. Then its whole content is read as text.
    if not part.type.startswith(("text/", "multipart/")):
        return ()
    text = decode(part.content, part.charset)
    return _shown(text) if part.type == "text/html" else (text,)


def _shown(text: str) -> Iterator[str]:
    """Yields the text of HTML in pieces, without tags, scripts and styles. Takes linear time. A word is inside one
    piece, unless it is longer than a piece."""
    at = 0
    while opens := _OPENS.search(text, at):
        yield from _unescaped(text, at, opens.start())
        closes = _CLOSES[opens[1].lower()].search(text, opens.end())
        if closes is None:
            return
        at = closes.end()
    yield from _unescaped(text, at, len(text))


def _unescaped(text: str, begin: int, end: int) -> Iterator[str]:
    """Removes tags and decodes entities. Works piece by piece: for a whole text, the lists that re.sub and
    html.unescape make would take many times the memory of the text."""
    while begin < end:
        stop = _piece_end(text, begin, end)
        yield html.unescape(_NO_CHARACTER.sub(" ", _TAG.sub(" ", text[begin:stop])))
        begin = stop


def _piece_end(text: str, begin: int, end: int) -> int:
    """Returns the end of a piece. The end is at most ``end``. It is not inside a tag, nor inside a word or an entity,
    unless these are longer than a piece."""
    if end - begin <= _HTML_PIECE:  # saves the slow search for an end, because short texts are frequent
        return end
    stop = min(word_end(text, begin + _HTML_PIECE, inside="&#;"), end)
    if text.rfind("<", begin, stop) > text.rfind(">", begin, stop):
        bracket = _BRACKET.search(text, stop, end)
        return bracket.end() if bracket and bracket[0] == ">" else stop
    return stop


def content_id(name: str, raw: bytes) -> str:
    """Returns an id for a document that has none: the name of the document and a short digest of its content."""
    kept = name.encode()[:_NAME_BYTES].decode("utf-8", "ignore")
    return f"{kept}-{hashlib.blake2b(raw, digest_size=4).hexdigest()}"


def printable(text: str) -> str:
    """Replaces all characters that cannot be printed, such as control characters, surrogates and escape characters."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
