# SPDX-License-Identifier: Apache-2.0
"""Checks the keyed hash of words on a text. There must be no false negatives, and about as many false positives as the
formulas below predict.

A query counts every word whose hash equals the hash of the queried word. Let the text have V distinct words, and let a
hash have h bits. Then a query for an absent word collides with V / 2^h words on average. For A absent words, the number
of collisions has the mean A V / 2^h. If hashes are pairwise independent, its variance is A V / 2^h (1 - 1 / 2^h).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .document import Document

__all__ = ["HashCheck", "check_hash", "plain_counts"]


@dataclass(frozen=True)
class HashCheck:
    """The result of the check for one length of hashes."""

    hash_bits: int
    present: int  # queried words that are in the text
    absent: int  # queried words that are not in the text
    false_negatives: int  # pairs (present word, document) whose count is too small
    wrong_counts: int  # pairs (present word, document) whose count is wrong
    meetings: int  # pairs (absent word, distinct word of the text) with equal hashes
    predicted: float
    sigma: float

    @property
    def deviation(self) -> float:
        """The difference between the number of collisions and its predicted mean, in standard deviations."""
        return (self.meetings - self.predicted) / self.sigma if self.sigma else float(self.meetings)

    @property
    def passed(self) -> bool:
        """True if there are no false negatives, and the number of collisions differs from the mean by at most 3
        standard deviations.

        If fewer than 0.1 collisions are predicted, there must be no collision and no wrong count.
        """
        if self.predicted < 0.1:
            return self.false_negatives == self.meetings == self.wrong_counts == 0
        return self.false_negatives == 0 and abs(self.deviation) <= 3


def plain_counts(documents: Sequence[Document], word: str, *, repeats: int = 0) -> list[int]:
    """Returns the number of occurrences of a word in each document."""
    return [document.count(word, repeats=repeats) for document in documents]


def check_hash(
    documents: Sequence[Document],
    hash_word: Callable[[str], int],
    hash_bits: int,
    present: Sequence[str],
    absent: Sequence[str],
) -> HashCheck:
    """Answers a query for each word of ``present`` and ``absent``, and checks the counts. Compares hashes as the server
    does, but in the clear."""
    holders = _holders(documents)
    by_hash: dict[int, list[str]] = {}
    for word in holders:
        by_hash.setdefault(hash_word(word), []).append(word)
    negatives = wrong = 0
    for word in present:
        found: Counter[int] = Counter()
        for twin in by_hash.get(hash_word(word), ()):
            found.update(holders[twin])
        negatives += sum(found[number] < count for number, count in holders[word].items())
        wrong += sum(count != holders[word][number] for number, count in found.items())
    meetings = sum(len(by_hash.get(hash_word(word), ())) for word in absent)
    predicted = len(absent) * len(holders) / 2**hash_bits
    sigma = math.sqrt(predicted * (1 - 2.0**-hash_bits))
    return HashCheck(hash_bits, len(present), len(absent), negatives, wrong, meetings, predicted, sigma)


def _holders(documents: Iterable[Document]) -> dict[str, Counter[int]]:
    """Returns the counts of each word: maps the word to a map from document numbers to counts."""
    holders: dict[str, Counter[int]] = {}
    for number, document in enumerate(documents):
        for word in document.words:
            holders.setdefault(word, Counter())[number] += 1
    return holders
