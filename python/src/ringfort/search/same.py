# SPDX-License-Identifier: Apache-2.0
"""Computes the BLAKE2b-256 digest of a message. By this digest, an index recognises messages that it already has.

The digest of a letter covers every header and part, except for the differences below. If it covered only the id and the
subject, a stranger who guesses them could mail another letter with the same digest. After the owner had indexed that
letter, the index would treat her own letter as one that it already has. The other headers help, too: a stranger who
guesses a whole letter does not know the lines that mail servers added to it.

The digest ignores these differences between copies of a letter: the kind of line ends; the line feeds at the end of the
letter; a line "From " before the headers; the signs ">" that mbox files add before a line "From "; and headers that
mail programs add for their own use. The digest of a text also covers its name, because the name is the id.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from .mime import headers_end, with_line_feeds

__all__ = ["letter_digest", "text_digest"]

_DIGEST_BYTES = 32
# Mutt, Dovecot and Thunderbird add these headers to letters in mbox files. Gmail adds them to exported letters.
_KEPT_HEADERS = (
    b"status|x-status|x-keywords|x-uid|x-imap|x-imapbase|content-length|lines"
    b"|x-mozilla-status2?|x-mozilla-keys|x-gmail-labels"
)
_KEPT = re.compile(rb"(?im)^(?:" + _KEPT_HEADERS + rb"):")
_HEADER_ENDS = re.compile(rb"\n(?![ \t])")
_QUOTED = re.compile(rb"(?m)^>+(?=From )")


def letter_digest(raw: bytes) -> bytes:
    """Returns the digest of a letter from any source. Takes time and memory proportional to the size of the letter."""
    letter = with_line_feeds(raw)
    end = len(letter.rstrip(b"\n"))
    begin = letter.find(b"\n", 0, end) + 1 or end if letter.startswith(b"From ") else 0
    digest, view = hashlib.blake2b(digest_size=_DIGEST_BYTES, person=b"ringfort letter"), memoryview(letter)
    for left_out, after in _left_out(letter, begin, end):
        digest.update(view[begin:left_out])
        begin = after
    digest.update(view[begin:end])
    return digest.digest()


def _left_out(letter: bytes, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the beginning and the end of each piece that the digest ignores."""
    body = headers_end(letter, begin, end)  # from mime.py, because the digest must cover all of the indexed text
    for kept in _KEPT.finditer(letter, begin, body):
        ends = _HEADER_ENDS.search(letter, kept.end(), body)
        yield kept.start(), ends.end() if ends else body
    for quoted in _QUOTED.finditer(letter, body, end):
        yield quoted.span()


def text_digest(name: str, raw: bytes) -> bytes:
    """Returns the digest of the text of a file, or of a part of a file."""
    named = name.encode()
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES, person=b"ringfort text")
    digest.update(len(named).to_bytes(8, "little") + named)
    digest.update(raw)
    return digest.digest()
