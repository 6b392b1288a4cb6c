# SPDX-License-Identifier: Apache-2.0
"""A query in the clear of its hash, the server's search, the owner's decryption, and what all of it will cost."""

from __future__ import annotations

import os
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._core.search import Answer, Estimate, Query, SearchOptions, SearchPlan, SearchReport
from ..errors import InvalidArgument
from .index import Index, Progress
from .keys import Keys
from .text import query_word

__all__ = [
    "Answer",
    "EngineName",
    "Estimate",
    "Query",
    "SearchPlan",
    "SearchReport",
    "Server",
    "decrypt",
    "estimate",
    "query",
    "search",
]

EngineName = Literal["row", "literal", "sequential"]


def query(word: str, keys: Keys) -> Query:
    """What the server is asked: the keyed hash of one word, normalised here; "subject:word" asks for a field.

    The server learns which queries are equal, not the word; whoever has the public keys can try words.
    Errors: InvalidArgument (no word, or several).
    """
    return Query.make(keys, query_word(word))


class Server:
    """An index as a server holds it: no secret. ``memory_bytes`` of words stay prepared between searches."""

    def __init__(self, folder: str | os.PathLike[str] | Index, device: str = "cpu", *, memory_bytes: int = 0) -> None:
        self._core = _core.search.Server(folder.folder if isinstance(folder, Index) else os.fspath(folder), device)
        self._memory_bytes = memory_bytes

    def search(self, asked: Query, *, progress: Progress | None = None, **options: Any) -> Answer:
        """Options as of ``ringfort.search.search``."""
        return self._core.search(asked, _options(self._memory_bytes, **options), progress)

    def plan(self, **options: Any) -> SearchPlan:
        """What the search would promise; refuses what the search would refuse."""
        return self._core.plan(_options(self._memory_bytes, **options))

    @property
    def report(self) -> SearchReport:
        """Of the last search: words, seconds, the plan."""
        return self._core.report


def search(
    index: Index | str | os.PathLike[str],
    asked: Query,
    *,
    answer: Literal["documents", "total"] = "documents",
    engine: EngineName = "row",
    threads: int = 1,
    max_matches: int = 0,
    count_range: int = 0,
    words_at_once: int = 8,
    device: str = "cpu",
    progress: Progress | None = None,
) -> Answer:
    """Counts the words of the index that equal the query, without any secret.

    answer: one count for each document, or their total. engine: "row" for daily use; "literal" is the published
    algorithm, ``words_at_once`` words side by side; "sequential" the same in scalar code, minutes a word.
    max_matches: a promise that no more words match, where the index's own bound is too large (0).
    count_range: a power of two above every count (0: from the index).
    Errors: NoiseBoundExceeded before anything is computed, ParametersMismatch, ModeForbidden, the io codes.
    """
    return Server(index, device).search(
        asked,
        answer=answer,
        engine=engine,
        threads=threads,
        max_matches=max_matches,
        count_range=count_range,
        words_at_once=words_at_once,
        progress=progress,
    )


def decrypt(answer: Answer, keys: Keys) -> NDArray[np.uint32]:
    """One count for each document, or an array of the one total.

    Errors: KeyMissing (public keys), ParametersMismatch (another mailbox's keys), NoiseBoundExceeded.
    """
    return answer.decrypt(keys)


def estimate(
    words: int,
    documents: int,
    *,
    preset: str = "gsw128",
    hash_bits: int = 32,
    constant_weight: bool = False,
    allow_insecure: bool = False,
    as_sender: bool = False,
    most_words: int = 0,
    measure: bool = True,
    **options: Any,
) -> Estimate:
    """Security, promises, bytes and time of an index of this size and one search in it, before anything is done.

    most_words: of one document (0: twice the mean). measure: times come from a short run on this machine.
    Other options as of ``search``. Errors: those that the search itself would give.
    """
    asked = _core.search.EstimateOptions()
    asked.words, asked.documents, asked.most_words = words, documents, most_words
    asked.as_sender, asked.measure = as_sender, measure
    asked.search = _options(0, **options)
    return _core.search.estimate(preset, allow_insecure, 64 if constant_weight else hash_bits, constant_weight, asked)


def _options(
    memory_bytes: int,
    *,
    answer: str = "documents",
    engine: str = "row",
    threads: int = 1,
    max_matches: int = 0,
    count_range: int = 0,
    words_at_once: int = 8,
) -> SearchOptions:
    if answer not in ("documents", "total"):
        raise InvalidArgument(f"answer={answer!r} is unknown", 'choose "documents" or "total"')
    engines = {"row", "literal", "sequential"}
    if engine not in engines:
        raise InvalidArgument(f"engine={engine!r} is unknown", f"the engines are {', '.join(sorted(engines))}")
    options = SearchOptions()
    options.engine = getattr(_core.search.Engine, engine)
    options.threads, options.total, options.words_at_once = threads, answer == "total", words_at_once
    options.max_matches, options.count_range, options.memory_bytes = max_matches, count_range, memory_bytes
    return options
