# SPDX-License-Identifier: Apache-2.0
"""Texts for tests and demonstrations of the word search: the fortune files of the operating system, and synthetic mail
from a fixed seed.

The synthetic words consist of made-up syllables. Their frequencies follow Zipf's law: the word of rank r has weight
1/r. Therefore a few words are in many messages, and most words are in few messages.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from pathlib import Path

from .document import Document
from .readers import read

__all__ = ["FORTUNES", "absent_words", "fortunes", "present_words", "synthetic"]

FORTUNES = Path("/usr/share/games/fortunes")
_SINGLE, _DOUBLE = "bdfghklmnprstvz", "br dr gl kr pl st tr"
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")


def fortunes(limit: int | None = None, folder: Path = FORTUNES) -> list[Document]:
    """Returns the first messages of the fortune files, in the order of file names. Returns an empty list if the files
    are not installed.

    Skips the folder "off", whose texts are meant to offend.
    """
    if not folder.is_dir():
        return []
    found = (item for item in read(folder, "percent") if isinstance(item, Document) and not item.id.startswith("off/"))
    return list(itertools.islice(found, limit))


def synthetic(count: int, seed: int = 1, *, mean_words: int = 23, vocabulary: int = 4000) -> list[Document]:
    """Makes ``count`` messages. Equal arguments give equal messages on every machine."""
    rng = random.Random(seed)
    words = _vocabulary(vocabulary, rng)
    weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(vocabulary)))
    documents = []
    for number in range(1, count + 1):
        length = 1 + min(int(rng.expovariate(1 / mean_words)), 8 * mean_words)
        text = tuple(rng.choices(words, cum_weights=weights, k=length))
        documents.append(Document(f"<{number}@synthetic>", " ".join(text[:5]), text))
    return documents


def _vocabulary(count: int, rng: random.Random) -> list[str]:
    words: dict[str, None] = {}
    while len(words) < count:
        words[_invented(rng)] = None
    return list(words)


def _invented(rng: random.Random) -> str:
    onsets = [*_SINGLE, *_DOUBLE.split()]
    return "".join(rng.choice(onsets) + rng.choice(_VOWELS) for _ in range(rng.randint(1, 4)))


def present_words(documents: Iterable[Document], count: int, seed: int = 1) -> list[str]:
    """Draws ``count`` different words of the documents. The seed determines the draw. If the documents have fewer
    different words, returns all of them."""
    words = sorted({word for document in documents for word in document.words})
    return random.Random(seed).sample(words, min(count, len(words)))


def absent_words(documents: Iterable[Document], count: int, seed: int = 1) -> list[str]:
    """Makes ``count`` different words that are in no document."""
    present = {word for document in documents for word in document.words}
    rng, words = random.Random(seed), dict[str, None]()
    while len(words) < count:
        word = _invented(rng) + _invented(rng)
        if word not in present:
            words[word] = None
    return list(words)
