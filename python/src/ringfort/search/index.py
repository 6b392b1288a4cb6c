# SPDX-License-Identifier: Apache-2.0
"""An index: a folder of encrypted words that is appended to and never rewritten."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from operator import index
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._core.search import Answer, IndexReport, Mode, Parameters, StoredDocument, VerifyReport
from ..errors import InvalidArgument
from ..values import flag, kind_of, text, whole
from .document import Document
from .keys import Keys

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Index", "IndexReport", "Padding", "Progress", "StoredDocument", "VerifyReport"]

_DIGEST_BYTES = 32

Progress = Callable[[int, int], object]
"""Called now and then with (done, total); False, or what it raises, stops the work, as Ctrl-C does: Stopped."""


class Padding(TypedDict, total=False):
    """What the server sees of lengths."""

    pad_bodies: bool
    """A rounded length of a body, 12 % above it at most and 256 bytes at least (default); without, its own."""
    pad_words: bool
    """A rounded number of a document's words, 16 at least: more words are stored, which no query asks for."""


def _digest(document: Document) -> bytes:
    digest = document.digest
    if not isinstance(digest, bytes):
        raise InvalidArgument(f"a document's digest is {kind_of(digest)}", "give 32 bytes, or none")
    if len(digest) not in (0, _DIGEST_BYTES):
        raise InvalidArgument(f"a document's digest has {len(digest)} bytes", "give 32 bytes, or none")
    return digest


def _padding(*, pad_bodies: bool = True, pad_words: bool = False) -> tuple[bool, bool]:
    return flag("pad_bodies", pad_bodies), flag("pad_words", pad_words)


class Index:
    """Opened for reading, or for appending by one process at a time, whose threads take turns.

        with rf.search.Index.create("idx", keys) as index:
            index.add(documents, keys)

    Leaving the block seals what was added, after Ctrl-C the whole documents of it.
    Errors of all methods: the io codes; see each method.
    """

    def __init__(self, folder: str | os.PathLike[str], *, append: bool = False, allow_insecure: bool = False) -> None:
        """Errors: IoLocked when another process appends, InsecureParameters below 128 bits unless they are allowed."""
        self._folder = os.fspath(folder)
        self._append = append
        self._opened: _core.search.Index | None = _core.search.Index(self._folder, append, bool(allow_insecure))

    @classmethod
    def create(
        cls, folder: str | os.PathLike[str], keys: Keys, *, repeats: int = 0, segment_bytes: int = 256 << 20
    ) -> Index:
        """A new index, opened for appending.

        repeats: how often one word of a document is stored: 0 as often as it occurs, 1 once (then answers count
        documents, and the noise bound allows the largest indexes). segment_bytes: a larger segment is sealed.
        """
        sizes = whole("repeats", repeats, 2**32), whole("segment_bytes", segment_bytes, 2**64)
        _core.search.Index.create(os.fspath(folder), keys, *sizes)
        return cls(folder, append=True, allow_insecure=bool(keys.parameters.insecure_reason))

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, append: bool = False, allow_insecure: bool = False) -> Index:
        return cls(folder, append=append, allow_insecure=allow_insecure)

    @staticmethod
    def verify(
        folder: str | os.PathLike[str], *, repair: bool = False, progress: Progress | None = None
    ) -> VerifyReport:
        """Checks every checksum and range. repair: cuts an open segment to its last whole document and seals it.

        progress counts the words of sealed segments; what it raises stops the check before anything is repaired.
        """
        return _core.search.Index.verify(os.fspath(folder), flag("repair", repair), progress)

    def add(
        self,
        documents: Iterable[Document],
        keys: Keys,
        *,
        threads: int = 1,
        as_sender: bool = False,
        fields: bool = False,
        progress: Progress | None = None,
        **padding: Unpack[Padding],
    ) -> IndexReport:
        """Encrypts and appends documents, each with its words, id, subject and (where it carries one) sealed body.

        as_sender: with the public key, though the secret one is there. fields: also "subject:word" and the like.
        Other options: see Padding.
        Errors: ParametersMismatch, KeyMissing, ModeForbidden (the preset knows no senders).
        """
        entries = [self._entry(document, fields) for document in documents]
        chosen = _padding(**padding)
        options = _core.search.IndexOptions(whole("threads", threads, 2**16), bool(as_sender), *chosen)
        return self._core.add(keys, entries, options, progress)

    def _entry(self, document: Document, fields: bool) -> _core.search.Document:
        words = document.tokens(repeats=self.repeats, fields=fields)
        for word in words:
            text("a word", word)
        titles = text("id", document.id), text("subject", document.subject)
        return _core.search.Document(*titles, words, document.body, _digest(document))

    def seal(self) -> None:
        """What was added becomes an immutable segment."""
        self._core.seal()

    def close(self) -> None:
        """Seals, where the index was opened for appending, and lets go of the lock; closing again does nothing."""
        if self._append:
            self._core.seal()
        self._append = False
        self._opened = None

    @property
    def _core(self) -> _core.search.Index:
        if self._opened is None:
            raise InvalidArgument("the index is closed", f"open it again: Index.open({self._folder!r})")
        return self._opened

    def __enter__(self) -> Index:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._append = self._append and (kind is None or issubclass(kind, KeyboardInterrupt))
        self.close()

    def read_documents(self, numbers: Iterable[int], keys: Keys) -> list[StoredDocument]:
        """Ids and subjects of documents, in this order. The whole document map is read, whichever are asked for.

        So who serves the folder does not see which. Errors: KeyMissing without the secret keys.
        """
        try:
            wanted = list(map(index, numbers))
        except TypeError:
            raise InvalidArgument("the document numbers are no whole numbers", "give their numbers, from 0") from None
        if any(not 0 <= number < self.documents for number in wanted):
            raise InvalidArgument(f"a document number is not in 0 .. {self.documents - 1}", "numbers begin at 0")
        return self._core.read_documents(wanted, keys)

    def held(self, documents: Iterable[Document], keys: Keys) -> list[bool]:
        """For each document whether the owner of these keys added one of its digest to this index.

        False for a document without one. What a sender or the server added counts for nothing, whatever its id and
        subject; so does what was added before 0.1.0. The whole document map is read.
        Errors: KeyMissing without the secret keys, InvalidArgument for a digest that is not of 32 bytes.
        """
        return self._core.held([_digest(document) for document in documents], keys)

    def document(self, number: int, keys: Keys) -> StoredDocument:
        """One of read_documents, which takes as long for many."""
        return self.read_documents([whole("number", number, 2**32)], keys)[0]

    def body(self, number: int, keys: Keys) -> bytes:
        """The sealed body of a document; empty where none was kept. Who serves the folder sees which is read."""
        return self._core.body(whole("number", number, 2**32), keys)

    def matches(self, counts: Iterable[int] | NDArray[np.uint32], keys: Keys) -> list[tuple[StoredDocument, int]]:
        """The documents with a count above 0, the highest first; counts: from ``decrypt(answer, keys, index)``."""
        read = np.asarray(counts if isinstance(counts, np.ndarray) else list(counts))
        if read.ndim != 1 or (read.size and read.dtype.kind not in "iu"):
            raise InvalidArgument("the counts are no whole numbers", "give what decrypt(answer, keys, index) gave")
        numbers = [int(number) for number in np.flatnonzero(read)]
        found = [(document, int(read[document.number])) for document in self.read_documents(numbers, keys)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0].number))

    def require(self, answer: Answer) -> None:
        """Errors: ParametersMismatch unless the answer counts documents of this index, and all of them are here."""
        self._core.require(answer)

    @property
    def folder(self) -> str:
        return self._folder

    @property
    def words(self) -> int:
        return self._core.words

    @property
    def documents(self) -> int:
        return self._core.documents

    @property
    def repeats(self) -> int:
        """How often one word of a document is stored; 0: as often as it occurs."""
        return self._core.most_repeats

    @property
    def mode(self) -> Mode:
        """Mode.public_key as soon as one segment is a sender's."""
        return self._core.mode

    @property
    def parameters(self) -> Parameters:
        return self._core.parameters

    @property
    def key_id(self) -> bytes:
        return self._core.key_id

    @property
    def id(self) -> bytes:
        """16 random bytes drawn when the index was created; its copies, and its answers, carry them."""
        return self._core.id

    def word_bytes(self, *, as_sender: bool = False) -> int:
        """Bytes that one more word takes on disk."""
        return self._core.word_bytes(Mode.public_key if as_sender else Mode.secret_key)

    @property
    def recovered(self) -> VerifyReport:
        """What opening for appending dropped: the tail that a crash left without its document."""
        return self._core.recovered

    def __repr__(self) -> str:
        if self._opened is None:
            return f"Index({self._folder!r}, closed)"
        return f"Index({self._folder!r}, words={self.words}, documents={self.documents})"
