# SPDX-License-Identifier: Apache-2.0
"""Results of the readers (readers.py): documents, and skipped items with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from .. import values
from ..errors import InvalidArgument
from ..units import quantity
from .text import each_word, tagged

__all__ = ["MOST_WORDS", "Document", "Reading", "Skipped", "TooManyWords", "words_of"]

MOST_WORDS = 20_000  # default for the largest number of words of a message; encrypted, this many words take 33 GB


@dataclass(frozen=True)
class Reading:
    """Options of the readers."""

    keep_body: bool = False
    most_words: int = MOST_WORDS


class TooManyWords(Exception):
    """A text has more words than allowed. The message states the limit."""


def words_of(texts: Iterable[str], most: int, known: dict[str, str] | None = None) -> tuple[str, ...]:
    """Returns all words of the texts. known: maps each word to one object, which all equal words share. Raises
    TooManyWords after ``most`` + 1 words, before the other words are in memory."""
    known = {} if known is None else known
    words = tuple(known.setdefault(word, word) for word in islice(chain.from_iterable(map(each_word, texts)), most + 1))
    if len(words) > most:
        raise TooManyWords(f"more than {quantity(most, 'word')}")
    return words


@dataclass(frozen=True, repr=False)
class Document:
    """A message: its id, its words in their order and, if requested, its bytes. The repr shows only counts.

    words: any case and any form of characters. The index stores the words in the normal form that ``split_words``
    returns, as queries do. fields: words of fields, which queries search as "subject:word".
    digest: a collision-resistant hash of 32 bytes, or empty. ``Index.contains`` recognises a document by its digest. It
    never recognises a document without a digest. Readers compute the digest of a letter or a text: see search/same.py.
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
        """Returns the words for the index. repeats: how often a word may occur; 0 means no limit. fields: True adds
        words of fields, such as "subject:word". Errors: InvalidArgument (words that are not text)."""
        found = list(_normal(self.words))
        if fields:
            for field, words in self.fields:
                found += tagged(field, _normal(words))
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
        """Counts how often a word occurs. The result is for comparisons with a decrypted answer."""
        return self.tokens(repeats=repeats, fields=fields).count(word)


def _normal(words: Iterable[str]) -> Iterator[str]:
    if isinstance(words, str):
        raise InvalidArgument("the words of a document are one text", "split it: rf.search.split_words(text)")
    for word in words:
        yield from each_word(values.text("a word", word))


@dataclass(frozen=True)
class Skipped:
    """An item that a reader could not convert to a document, and the reason."""

    source: str
    reason: str

    def __str__(self) -> str:
        return f"skipped {self.source}: {self.reason}"
