# SPDX-License-Identifier: Apache-2.0
"""Results of the readers: documents, and skipped items with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, islice

from ..units import quantity
from .text import each_word, tagged

__all__ = ["MOST_WORDS", "Document", "Reading", "Skipped", "TooManyWords", "words_of"]

MOST_WORDS = 20_000  # words of a message; encrypted, they take 33 GB


@dataclass(frozen=True)
class Reading:
    """Options of the readers."""

    keep_body: bool = False
    most_words: int = MOST_WORDS


class TooManyWords(Exception):
    """A text has more words than allowed; the message states the limit."""


def words_of(texts: Iterable[str], most: int, known: dict[str, str] | None = None) -> tuple[str, ...]:
    """Returns all words; ``known`` keeps one object for equal words. Errors: TooManyWords, before all are in memory."""
    known = {} if known is None else known
    words = tuple(known.setdefault(word, word) for word in islice(chain.from_iterable(map(each_word, texts)), most + 1))
    if len(words) > most:
        raise TooManyWords(f"more than {quantity(most, 'word')}")
    return words


@dataclass(frozen=True, repr=False)
class Document:
    """One message: its name, its words in order, and (if requested) its bytes. Its repr shows only counts.

    digest: 32 bytes of a collision-resistant hash of the source. Index.held recognises the document by its digest, and
    never recognises a document without one. Readers hash all bytes of a letter or text: search/same.py.
    """

    id: str
    subject: str
    words: tuple[str, ...]
    fields: tuple[tuple[str, tuple[str, ...]], ...] = ()
    body: bytes = b""
    digest: bytes = b""

    def __repr__(self) -> str:
        return f"Document({quantity(len(self.words), 'word')}, {quantity(len(self.body), 'byte')} of body)"

    def tokens(self, *, repeats: int = 0, fields: bool = False) -> list[str]:
        """Returns the words to index: each at most ``repeats`` times (0: no limit); ``fields``: also tagged words."""
        found = list(self.words)
        if fields:
            for field, words in self.fields:
                found += tagged(field, words)
        if repeats == 0:
            return found
        seen: Counter[str] = Counter()
        kept = []
        for word in found:
            seen[word] += 1
            if seen[word] <= repeats:
                kept.append(word)
        return kept

    def count(self, word: str, *, repeats: int = 0, fields: bool = False) -> int:
        """Counts a word in the clear, for comparison with a decrypted answer."""
        return self.tokens(repeats=repeats, fields=fields).count(word)


@dataclass(frozen=True)
class Skipped:
    """Item that a reader did not index, and the reason."""

    source: str
    reason: str

    def __str__(self) -> str:
        return f"skipped {self.source}: {self.reason}"
