# SPDX-License-Identifier: Apache-2.0
"""Index: a folder of encrypted words. New documents are appended. Stored documents do not change, but a repair removes
damaged documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from operator import index
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._core.search import Answer, IndexReport, Mode, Parameters, StoredDocument, VerifyReport
from ..errors import InvalidArgument, ParametersMismatch
from ..logs import recorded
from ..values import flag, kind_of, text, whole
from .document import Document
from .keys import Keys

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Index", "IndexReport", "Padding", "Progress", "StoredDocument", "VerifyReport"]

_DIGEST_BYTES = 32

Progress = Callable[[int, int], object]
"""A function that is called from time to time with (done, total).

If the function returns False, the operation stops and raises Stopped. If the function raises an exception, the
operation stops and raises this exception. Ctrl-C stops the operation with KeyboardInterrupt."""


class Padding(TypedDict, total=False):
    """Options that hide lengths from the server."""

    pad_bodies: bool
    """True (default) rounds up the length of a body. The rounded length is at least 256 bytes. A longer body grows by
    at most 12 %."""
    pad_words: bool
    """True adds words that a query matches only by accident. The number of words of a document is then at least 16. A
    larger number grows by at most 12 %."""


def _digest(document: Document) -> bytes:
    digest = document.digest
    if not isinstance(digest, bytes):
        raise InvalidArgument(f"a document's digest is {kind_of(digest)}", "give 32 bytes, or b''")
    if len(digest) not in (0, _DIGEST_BYTES):
        raise InvalidArgument(f"a document's digest has {len(digest)} bytes", "give 32 bytes, or b''")
    return digest


def _padding(*, pad_bodies: bool = True, pad_words: bool = False) -> tuple[bool, bool]:
    return flag("pad_bodies", pad_bodies), flag("pad_words", pad_words)


def _copies(repeats: int | None) -> str:
    return f"at most {repeats} of the copies" if repeats else "all copies"


class Index:
    """A folder of encrypted words, open for reading or for appending. Only one process at a time can append. Threads
    use an object in turn.

        with rf.search.Index.create("idx", keys) as index:
            index.add(documents, keys)

    An index consists of *segments*, each with some of the documents. At the end of the block, the added documents
    become a sealed (immutable) segment. After Ctrl-C, the segment contains only the complete documents. After another
    exception, the complete documents stay in an open segment. The next object that appends documents continues this
    segment. All methods can raise the Io errors. The docstring of a method states its other errors.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        append: bool = False,
        allow_insecure: bool = False,
        repeats: int | None = None,
    ) -> None:
        """Opens an index. append: opens it for appending. repeats: the value given to ``create``. None accepts the
        value in the folder, whoever wrote it.

        Errors: IoLocked (another process appends), InsecureParameters (the parameters have less than 128 bits of
        security, and ``allow_insecure`` is False), ParametersMismatch (the index has another value of ``repeats``).
        """
        self._folder = os.fspath(folder)
        self._append = append
        wanted = None if repeats is None else whole("repeats", repeats, 2**32)
        opened = _core.search.Index(self._folder, append, bool(allow_insecure))
        if wanted not in (None, opened.most_repeats):
            raise ParametersMismatch(
                f"{self._folder} stores {_copies(opened.most_repeats)} of a word in a document, not {_copies(wanted)}",
                "if you made the index with this option, somebody changed its folder: restore a copy",
            )
        self._opened: _core.search.Index | None = opened

    @classmethod
    def create(
        cls, folder: str | os.PathLike[str], keys: Keys, *, repeats: int = 0, segment_bytes: int = 256 << 20
    ) -> Index:
        """Makes an index and opens it for appending.

        repeats: the largest number of copies of a word that the index stores for a document. 0 stores all occurrences.
        With 1, answers count documents. Then counts are smallest, and the bound on the noise (the error in an answer)
        allows the largest indexes. segment_bytes: a segment above this size is sealed, and a new segment begins.
        """
        sizes = whole("repeats", repeats, 2**32), whole("segment_bytes", segment_bytes, 2**64)
        _core.search.Index.create(os.fspath(folder), keys, *sizes)
        return cls(folder, append=True, allow_insecure=bool(keys.parameters.insecure_reason))

    @classmethod
    def open(
        cls,
        folder: str | os.PathLike[str],
        *,
        append: bool = False,
        allow_insecure: bool = False,
        repeats: int | None = None,
    ) -> Index:
        """Opens the index in a folder, to read it or to append documents."""
        return cls(folder, append=append, allow_insecure=allow_insecure, repeats=repeats)

    @staticmethod
    def verify(
        folder: str | os.PathLike[str], *, repair: bool = False, progress: Progress | None = None
    ) -> VerifyReport:
        """Checks every checksum and the range of every value. repair: True removes damaged documents at the end of the
        open segment, and seals the segment. Before the repair shortens a file, it copies the file to *.damaged. The
        repair does nothing if other files are damaged.

        progress: called with the number of checked words and the number of all words in sealed segments. If it stops
        the check, nothing is repaired.
        """
        return _core.search.Index.verify(os.fspath(folder), flag("repair", repair), progress)

    @recorded("search.add")
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
        """Encrypts documents and appends them. The index stores the encrypted words of each document. It also stores
        the id, the subject and, if there is one, the body, sealed (encrypted) for the owner. After an error or a stop,
        the index has the documents that were written completely.

        as_sender: encrypts with the public key even if ``keys`` has the secret key. fields: also adds words such as
        "subject:word". Other options: see Padding. Errors: InvalidArgument, ParametersMismatch, KeyMissing,
        ModeForbidden (the preset has no public keys), Stopped.
        """
        entries = [self._entry(document, fields) for document in documents]
        chosen = _padding(**padding)
        options = _core.search.IndexOptions(whole("threads", threads, 2**16), bool(as_sender), *chosen)
        return self._core.add(keys, entries, options, progress)

    def _entry(self, document: Document, fields: bool) -> _core.search.Document:
        words = document.tokens(repeats=self.repeats, fields=fields)
        titles = text("id", document.id), text("subject", document.subject)
        return _core.search.Document(*titles, words, document.body, _digest(document))

    def seal(self) -> None:
        """Makes the added documents a sealed segment."""
        self._core.seal()

    def close(self) -> None:
        """Closes the index. If it is open for appending, seals the added documents and releases the lock. A second call
        does nothing."""
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

    @recorded("search.read_documents")
    def read_documents(self, numbers: Iterable[int], keys: Keys) -> list[StoredDocument]:
        """Returns the ids and subjects of the documents with these numbers, in the order of the numbers.

        Reads the records (encrypted ids and subjects) of all documents. Therefore the server of the folder does not see
        which documents you request. If somebody sealed the record of a document wrongly, the result for this document
        is not ``readable``, and has an empty id and an empty subject. Errors: InvalidArgument (a number is not the
        number of a document), KeyMissing (``keys`` has no secret keys), ParametersMismatch (``keys`` belongs to another
        index).
        """
        try:
            wanted = list(map(index, numbers))
        except TypeError:
            raise InvalidArgument("the document numbers are not whole numbers", "give their numbers, from 0") from None
        if any(not 0 <= number < self.documents for number in wanted):
            raise InvalidArgument(f"a document number is not in 0 .. {self.documents - 1}", "numbers begin at 0")
        return self._core.read_documents(wanted, keys)

    def contains(self, documents: Iterable[Document], keys: Keys) -> list[bool]:
        """Tells for each document whether the owner of ``keys`` has added a document with the same digest to this
        index.

        Returns False for a document without a digest. Documents that a sender or the server added, copied or moved do
        not count, whatever their id and subject are. Documents whose record cannot be opened, and documents that were
        added before version 0.1.0, do not count, either. Reads the records of all documents. The time is proportional
        to their number times the number of digests. Errors: KeyMissing and ParametersMismatch as in ``read_documents``,
        InvalidArgument (a digest has neither 32 bytes nor 0).
        """
        return self._core.contains([_digest(document) for document in documents], keys)

    def document(self, number: int, keys: Keys) -> StoredDocument:
        """Returns the id and the subject of one document. Takes as long as one call of ``read_documents`` for many
        documents. Errors: those of ``read_documents``."""
        return self.read_documents([whole("number", number, 2**32)], keys)[0]

    def body(self, number: int, keys: Keys) -> bytes:
        """Returns the body of a document. The result is empty if the index does not contain the body. The server of the
        folder sees which body you read.

        Errors: IoChecksum, IoRange or IoTruncated (somebody sealed the body wrongly, changed it or cut it), those of
        ``read_documents``.
        """
        return self._core.body(whole("number", number, 2**32), keys)

    def matches(self, counts: Iterable[int] | NDArray[np.uint32], keys: Keys) -> list[tuple[StoredDocument, int]]:
        """Returns the documents with a count above 0 and their counts, the highest count first. counts: the result of
        ``decrypt(answer, keys, index)``, with a count for each document. Errors: those of ``read_documents``."""
        read = np.asarray(counts if isinstance(counts, np.ndarray) else list(counts))
        if read.ndim != 1 or (read.size and read.dtype.kind not in "iu"):
            raise InvalidArgument("the counts are not whole numbers", "give the result of decrypt(answer, keys, index)")
        numbers = [int(number) for number in np.flatnonzero(read)]
        found = [(document, int(read[document.number])) for document in self.read_documents(numbers, keys)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0].number))

    def require(self, answer: Answer) -> None:
        """Requires that the answer is of this index, and that this index contains all documents of the answer. Errors:
        ParametersMismatch."""
        self._core.require(answer)

    @property
    def folder(self) -> str:
        """Path of the index."""
        return self._folder

    @property
    def words(self) -> int:
        """Number of stored words, with padding. An index that is open for reading counts only its sealed segments."""
        return self._core.words

    @property
    def documents(self) -> int:
        """Number of documents. An index that is open for reading counts only its sealed segments."""
        return self._core.documents

    @property
    def repeats(self) -> int:
        """The largest number of copies of a word that the index stores for a document. 0 means all occurrences."""
        return self._core.most_repeats

    @property
    def most_words(self) -> int:
        """The number of words of the longest document."""
        return self._core.most_words_of_a_document

    @property
    def mode(self) -> Mode:
        """Mode.public_key if a sender wrote a segment of the index. If not, Mode.secret_key."""
        return self._core.mode

    @property
    def parameters(self) -> Parameters:
        """Parameters of the index's ciphertexts."""
        return self._core.parameters

    @property
    def key_id(self) -> bytes:
        """Bytes that name the key pair of the index."""
        return self._core.key_id

    @property
    def id(self) -> bytes:
        """16 random bytes, drawn when the index was created. Copies of the index and its answers contain the same
        id."""
        return self._core.id

    def word_bytes(self, *, as_sender: bool = False) -> int:
        """Returns the bytes that one more word takes on disk."""
        return self._core.word_bytes(Mode.public_key if as_sender else Mode.secret_key)

    @property
    def recovered(self) -> VerifyReport:
        """A report on the words that were removed when the index was opened for appending, because a crash had left
        their document incomplete."""
        return self._core.recovered

    def __repr__(self) -> str:
        if self._opened is None:
            return f"Index({self._folder!r}, closed)"
        return f"Index({self._folder!r}, words={self.words}, documents={self.documents})"
