# SPDX-License-Identifier: Apache-2.0
# Written by tools/gen_stubs; do not edit, run the tool again.
"""Encrypted word search; the public API is ringfort.search."""

from collections.abc import Sequence
import enum
import os
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Parameters:
    """Parameters of the Ring-GSW scheme."""

    @property
    def name(self) -> str: ...

    @property
    def n(self) -> int: ...

    @property
    def q(self) -> int: ...

    @property
    def base_bits(self) -> int: ...

    @property
    def digits(self) -> int: ...

    @property
    def public_key_allowed(self) -> bool: ...

    @property
    def literal_allowed(self) -> bool: ...

    @property
    def failure_bits(self) -> int: ...

    @property
    def insecure_reason(self) -> str: ...

class Security:
    """Estimated security of a parameter set."""

    @property
    def bits(self) -> int: ...

    @property
    def source(self) -> str: ...

    @property
    def log2_q(self) -> float: ...

    @property
    def limit_log2_q(self) -> int: ...

    @property
    def accepted(self) -> bool: ...

def preset(name: str, allow_insecure: bool = False) -> Parameters: ...

def preset_names() -> list[str]: ...

def security(parameters: Parameters) -> Security: ...

class Mode(enum.Enum):
    """
    The key that encrypted: the owner's secret key, or the public key, which senders use.
    """

    secret_key = 1

    public_key = 2

class SearchPlan:
    """Limits of a search, and a bound on the probability of a wrong count."""

    @property
    def mode(self) -> Mode: ...

    @property
    def words(self) -> int: ...

    @property
    def max_matches(self) -> int: ...

    @property
    def factors(self) -> int: ...

    @property
    def count_range(self) -> int: ...

    @property
    def steps(self) -> int: ...

    @property
    def noise_bits(self) -> float: ...

    @property
    def margin_bits(self) -> float: ...

    @property
    def failure_log2(self) -> float: ...

class IndexOptions:
    """See ringfort.search.Index.add."""

    def __init__(self, threads: int, as_sender: bool, pad_bodies: bool, pad_words: bool) -> None: ...

def padded_words(words: int) -> int:
    """
    Returns the number of words that an index stores for a document of ``words`` words if pad_words is set.
    """

class Engine(enum.Enum):
    """The method of comparing words with a query."""

    row = 1

    literal = 2

class SearchOptions:
    """See ringfort.search.search."""

    def __init__(self) -> None: ...

    @property
    def engine(self) -> Engine: ...

    @engine.setter
    def engine(self, arg: Engine, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def total(self) -> bool: ...

    @total.setter
    def total(self, arg: bool, /) -> None: ...

    @property
    def max_matches(self) -> int: ...

    @max_matches.setter
    def max_matches(self, arg: int, /) -> None: ...

    @property
    def count_range(self) -> int: ...

    @count_range.setter
    def count_range(self, arg: int, /) -> None: ...

    @property
    def memory_bytes(self) -> int: ...

    @memory_bytes.setter
    def memory_bytes(self, arg: int, /) -> None: ...

    @property
    def words_at_once(self) -> int: ...

    @words_at_once.setter
    def words_at_once(self, arg: int, /) -> None: ...

class EstimateOptions:
    """See ringfort.search.estimate."""

    def __init__(self) -> None: ...

    @property
    def words(self) -> int: ...

    @words.setter
    def words(self, arg: int, /) -> None: ...

    @property
    def documents(self) -> int: ...

    @documents.setter
    def documents(self, arg: int, /) -> None: ...

    @property
    def most_words(self) -> int: ...

    @most_words.setter
    def most_words(self, arg: int, /) -> None: ...

    @property
    def as_sender(self) -> bool: ...

    @as_sender.setter
    def as_sender(self, arg: bool, /) -> None: ...

    @property
    def search(self) -> SearchOptions: ...

    @search.setter
    def search(self, arg: SearchOptions, /) -> None: ...

    @property
    def measure(self) -> bool: ...

    @measure.setter
    def measure(self, arg: bool, /) -> None: ...

class Estimate:
    """Estimated cost and guarantees of an index and a search."""

    @property
    def security(self) -> Security: ...

    @property
    def plan(self) -> SearchPlan: ...

    @property
    def false_positives(self) -> float: ...

    @property
    def index_bytes(self) -> int: ...

    @property
    def answer_bytes(self) -> int: ...

    @property
    def answers(self) -> int: ...

    @property
    def index_seconds(self) -> float: ...

    @property
    def search_seconds(self) -> float: ...

def estimate(preset: str, allow_insecure: bool, hash_bits: int, constant_weight: bool, options: EstimateOptions) -> Estimate: ...

class Keys:
    """
    Secret keys or public keys. Public keys can only append words and make queries.
    """

    @staticmethod
    def generate(preset: str, allow_insecure: bool, hash_bits: int, constant_weight: bool) -> Keys: ...

    @staticmethod
    def load_secret(path: str | os.PathLike[str], passphrase: str, allow_insecure: bool = False, most_strength: int = 1) -> Keys: ...

    @staticmethod
    def load_public(path: str | os.PathLike[str], allow_insecure: bool = False) -> Keys: ...

    def save_secret(self, path: str | os.PathLike[str], passphrase: str, strength: int) -> None: ...

    def save_public(self, path: str | os.PathLike[str]) -> None: ...

    @property
    def parameters(self) -> Parameters: ...

    @property
    def hash_bits(self) -> int: ...

    @property
    def constant_weight(self) -> bool: ...

    @property
    def key_id(self) -> bytes: ...

    @property
    def fingerprint(self) -> str:
        """
        A digest of the public keys and the parameters: 128 bits, as groups of four digits to read aloud.
        """

    @property
    def has_secret(self) -> bool: ...

    @property
    def has_public(self) -> bool: ...

    def pattern(self, word: str) -> int:
        """
        Returns the bits that represent a word. An index encrypts them. A query shows them to the server.
        """

class Query:
    """The keyed hash of one word, which the server sees."""

    @staticmethod
    def make(arg0: Keys, arg1: str, /) -> Query: ...

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Query: ...

    def save(self, path: str | os.PathLike[str]) -> None: ...

    @property
    def pattern(self) -> int: ...

    @property
    def key_id(self) -> bytes: ...

class Answer:
    """The encrypted counts of a search."""

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Answer: ...

    def save(self, path: str | os.PathLike[str]) -> None: ...

    def decrypt(self, keys: Keys) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

    @property
    def total(self) -> bool: ...

    @property
    def documents(self) -> int: ...

    @property
    def plans(self) -> list[SearchPlan]: ...

    @property
    def key_id(self) -> bytes: ...

    @property
    def index_id(self) -> bytes: ...

    @property
    def parameters(self) -> Parameters: ...

    def __repr__(self) -> str: ...

def inspect(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Returns the name and value of every public field of a file."""

class Document:
    """The parts of one message that an index encrypts."""

    def __init__(self, message_id: str, subject: str, words: Sequence[str], body: bytes, digest: bytes) -> None: ...

class StoredDocument:
    """One message of an index, as the owner of the secret keys sees it."""

    @property
    def number(self) -> int: ...

    @property
    def words(self) -> int: ...

    @property
    def message_id(self) -> str: ...

    @property
    def subject(self) -> str: ...

    @property
    def body_bytes(self) -> int: ...

    @property
    def readable(self) -> bool:
        """
        False if message_id and subject cannot be decrypted: somebody sealed them wrongly, or changed them.
        """

    @property
    def added_by_owner(self) -> bool:
        """True if the owner added the record at this place of this index."""

    @property
    def has_unplaced_tag(self) -> bool:
        """
        True if the owner added the record in format version 2, which does not protect the place.
        """

class IndexReport:
    """Result of one call of Index.add."""

    @property
    def documents(self) -> int: ...

    @property
    def words(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    def __repr__(self) -> str: ...

class VerifyReport:
    """
    Result of Index.verify, or of opening an index to append (Index.recovered).
    """

    @property
    def words(self) -> int: ...

    @property
    def documents(self) -> int: ...

    @property
    def segments(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def dropped_words(self) -> int: ...

    @property
    def dropped_documents(self) -> int: ...

    @property
    def problems(self) -> list[str]: ...

    @property
    def repaired(self) -> bool: ...

class Index:
    """A folder with an encrypted index. Threads use it in turn."""

    def __init__(self, folder: str | os.PathLike[str], append: bool, allow_insecure: bool = False) -> None: ...

    @staticmethod
    def create(folder: str | os.PathLike[str], keys: Keys, most_repeats: int, segment_bytes: int) -> None: ...

    @staticmethod
    def verify(folder: str | os.PathLike[str], repair: bool, progress: object | None) -> VerifyReport: ...

    def add(self, keys: Keys, documents: Sequence[Document], options: IndexOptions, progress: object | None) -> IndexReport: ...

    def seal(self) -> None: ...

    def read_documents(self, numbers: Sequence[int], keys: Keys) -> list[StoredDocument]: ...

    def contains(self, digests: Sequence[bytes], keys: Keys) -> list[bool]: ...

    def body(self, number: int, keys: Keys) -> bytes: ...

    def require(self, answer: Answer) -> None: ...

    def word_bytes(self, mode: Mode) -> int: ...

    @property
    def parameters(self) -> Parameters: ...

    @property
    def hash_bits(self) -> int: ...

    @property
    def constant_weight(self) -> bool: ...

    @property
    def key_id(self) -> bytes: ...

    @property
    def id(self) -> bytes: ...

    @property
    def words(self) -> int: ...

    @property
    def most_words_of_a_document(self) -> int: ...

    @property
    def documents(self) -> int: ...

    @property
    def most_repeats(self) -> int: ...

    @property
    def mode(self) -> Mode: ...

    @property
    def recovered(self) -> VerifyReport: ...

class SearchReport:
    """Facts about the last search of a server."""

    @property
    def words(self) -> int: ...

    @property
    def prepared_words(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def read_seconds(self) -> float: ...

    @property
    def lost_devices(self) -> list[str]:
        """
        Devices that failed during the search. The other devices repeated their work.
        """

    @property
    def plan(self) -> SearchPlan: ...

class Server:
    """
    An index as a server opens it, without secrets. Threads use it in turn.
    """

    def __init__(self, folder: str | os.PathLike[str], devices: Sequence[str], allow_insecure: bool = False) -> None: ...

    def plan(self, options: SearchOptions) -> SearchPlan: ...

    def search(self, query: Query, options: SearchOptions, progress: object | None) -> Answer: ...

    @property
    def report(self) -> SearchReport: ...
