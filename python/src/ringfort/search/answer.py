# SPDX-License-Identifier: Apache-2.0
"""Searches for a word in an index. The owner makes a query, the server searches, and the owner decrypts the answer.
Also estimates the costs of a search."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._core.search import Answer, Estimate, Query, SearchOptions, SearchPlan, SearchReport
from ..errors import InvalidArgument
from ..logs import recorded
from ..values import device_names, kind_of, whole
from .index import Index, Progress
from .keys import CodeOptions, Keys, code_of
from .text import query_word

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "Answer",
    "EngineName",
    "EstimateKeywords",
    "Estimate",
    "Query",
    "SearchKeywords",
    "SearchPlan",
    "SearchReport",
    "Server",
    "decrypt",
    "estimate",
    "query",
    "search",
]

EngineName = Literal["row", "literal"]
_ENGINES = ("row", "literal")
_CODE = CodeOptions.__annotations__.keys()
_LIMITS = {"threads": 2**16, "max_matches": 2**64, "count_range": 2**32, "words_at_once": 2**32}


class SearchKeywords(TypedDict, total=False):
    """Options of a search."""

    answer: Literal["documents", "total"]
    """One count for each document (the default), or the total of all documents."""
    engine: EngineName
    """"row" (the default) for daily use, or "literal" for the algorithm as published, with whole matrix products."""
    threads: int
    max_matches: int
    """Your guarantee that at most this number of words match. The default 0 means a bound from the index: the number of
    documents times ``Index.repeats``. If ``repeats`` is 0, the bound is the number of all words. The bound is also the
    number of all words if the parameters allow public keys, because holders of the public keys may choose words whose
    hashes nearly equal the hash of another word. Such words add more noise than other words. If you give a number, you
    also guarantee that nobody chose such words."""
    count_range: int
    """A power of two. You guarantee that every count is below it. If a count is not below it, the result is too small
    by a multiple of this power. The default 0 means a power of two above every count that the index allows."""
    words_at_once: int
    """For the engine "literal": the number of words in a matrix product, at most 256."""


class EstimateKeywords(CodeOptions, SearchKeywords, total=False):
    """Options of an estimate."""


@recorded("search.query")
def query(word: str, keys: Keys) -> Query:
    """Returns the query for the server. The query is the keyed hash of the normalised word. word: one word, or
    "subject:word", which searches a field.

    A server without keys does not learn the word, but it learns which queries are equal. A party with the public keys
    can test whether a query is for a guessed word. Errors: InvalidArgument (no word, several words, or an unknown
    field).
    """
    return Query.make(keys, query_word(word))


class Server:
    """Searches an index. Needs no secret. Between searches, keeps up to ``memory_bytes`` of words in memory, in the
    form in which a search uses them.

    A server runs one search at a time. Threads that call it meanwhile wait. A search uses the number of threads in its
    options, but at least one for each device. If there are several devices, a device takes the next words whenever it
    is free. The bits of an answer do not depend on the devices.

    If a device fails, the other devices repeat its work, and ``report.lost_devices`` has the name of the failed device.
    If the first device of the list fails, the search raises DeviceLost.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | Index,
        device: str | None = None,
        *,
        devices: Iterable[str] | None = None,
        memory_bytes: int = 0,
        allow_insecure: bool = False,
    ) -> None:
        """Opens the folder of an index, for searches on one device or on several ``devices``.

        Errors: DeviceUnknown, InsecureParameters (the parameters have less than 128 bits of security,
        ``allow_insecure`` is False, and ``folder`` is not an Index), InvalidArgument, the Io errors.
        """
        opened = isinstance(folder, Index)
        path = folder.folder if isinstance(folder, Index) else os.fspath(folder)
        self._core = _core.search.Server(path, device_names(device, devices), bool(allow_insecure) or opened)
        self._memory_bytes = whole("memory_bytes", memory_bytes, 2**64)

    @recorded("search.search")
    def search(self, asked: Query, *, progress: Progress | None = None, **options: Unpack[SearchKeywords]) -> Answer:
        """Runs one search. Options: see SearchKeywords. Errors: those of ``ringfort.search.search``."""
        if not isinstance(asked, Query):
            raise InvalidArgument(f"the query is {kind_of(asked)}", "give a query: rf.search.query(word, keys)")
        return self._core.search(asked, _record(self._memory_bytes, options), progress)

    def plan(self, **options: Unpack[SearchKeywords]) -> SearchPlan:
        """Returns the limits of a search with these options, and a bound on the probability that a count is wrong.

        Errors, as in the search: NoiseBoundExceeded, ModeForbidden, InvalidArgument.
        """
        return self._core.plan(_record(self._memory_bytes, options))

    @property
    def report(self) -> SearchReport:
        """A report on the last search: its words, seconds, plan and lost devices."""
        return self._core.report


@recorded("search.search")
def search(
    index: Index | str | os.PathLike[str],
    asked: Query,
    *,
    device: str | None = None,
    devices: Iterable[str] | None = None,
    allow_insecure: bool = False,
    progress: Progress | None = None,
    **options: Unpack[SearchKeywords],
) -> Answer:
    """Counts the words of the index whose hash equals the hash in the query. Needs no secret. Options: see
    SearchKeywords.

    devices: several devices, which share the work: see Server. allow_insecure: accepts an index with less than 128 bits
    of security. Errors: InvalidArgument (a wrong option, or an index without a sealed segment), NoiseBoundExceeded
    (before the function computes anything), ParametersMismatch, ModeForbidden, InsecureParameters, DeviceUnknown,
    DeviceLost, Stopped, the Io errors.
    """
    server = Server(index, device, devices=devices, allow_insecure=allow_insecure)
    return server.search(asked, progress=progress, **options)


@recorded("search.decrypt")
def decrypt(answer: Answer, keys: Keys, index: Index | None = None) -> NDArray[np.uint32]:
    """Returns an array with a count for each document. If the search asked for the total, the array has only the total.

    index: the index of the documents. If it is given, an answer from another index fails. Errors: KeyMissing (``keys``
    has only public keys), ParametersMismatch (the answer belongs to other keys or to another index),
    NoiseBoundExceeded, the Io errors.
    """
    if index is not None:
        index.require(answer)
    return answer.decrypt(keys)


def estimate(
    words: int,
    documents: int,
    *,
    preset: str = "gsw128",
    as_sender: bool = False,
    most_words: int = 0,
    measure: bool = True,
    **options: Unpack[EstimateKeywords],
) -> Estimate:
    """Estimates an index with these numbers of words and documents, and one search in it. Of the index, estimates the
    security, the size and the time to make it. Of the search, estimates the guarantees and the time.

    as_sender: True means that a sender encrypts the words. most_words: the largest number of words in a document. 0
    means twice the mean. measure: True measures times in a short run on this machine. False gives times of 0. Other
    options: those of ``keygen`` and ``search``. Errors: those of ``keygen`` and ``search`` about these options.
    """
    code = {name: options[name] for name in _CODE & options.keys()}  # type: ignore[literal-required]
    asked = _core.search.EstimateOptions()
    asked.words, asked.documents = whole("words", words, 2**64), whole("documents", documents, 2**64)
    asked.most_words = whole("most_words", most_words, 2**32)
    asked.as_sender, asked.measure = bool(as_sender), bool(measure)
    asked.search = _record(0, {name: value for name, value in options.items() if name not in _CODE})
    return _core.search.estimate(*code_of(preset, **code), asked)


def _record(memory_bytes: int, options: Mapping[str, Any]) -> SearchOptions:
    given = {"answer": "documents", "engine": "row", **options}
    if unknown := given.keys() - SearchKeywords.__annotations__.keys():
        raise InvalidArgument(f"a search has no option {', '.join(sorted(unknown))}", "see SearchKeywords")
    if given["answer"] not in ("documents", "total"):
        raise InvalidArgument(f"answer={given['answer']!r} is unknown", 'choose "documents" or "total"')
    if given["engine"] not in _ENGINES:
        raise InvalidArgument(f"engine={given['engine']!r} is unknown", f"the engines are {', '.join(_ENGINES)}")
    record = SearchOptions()
    record.memory_bytes, record.total = memory_bytes, given.pop("answer") == "total"
    record.engine = getattr(_core.search.Engine, given.pop("engine"))
    for name, value in given.items():
        setattr(record, name, whole(name, value, _LIMITS[name]))
    return record
