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
    """Parameters of the ring-GSW scheme."""

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
    The party that encrypted: the owner (secret key) or a sender (public key).
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
    Returns to how many words pad_words fills up a document of ``words`` words.
    """

class Engine(enum.Enum):
    """Algorithm of a product."""

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
    """Estimated cost and guarantees of an index and a query."""

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
    """A secret key set (reads counts and names) or a public one (appends)."""

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
        128 bits of a digest of all public parts and parameters, in groups to read aloud.
        """

    @property
    def has_secret(self) -> bool: ...

    @property
    def has_public(self) -> bool: ...

    def pattern(self, word: str) -> int:
        """
        Returns the bits that encrypt a word, which the server sees as the query.
        """

class Query:
    """Hash of one word, as the server sees it."""

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
    """Encrypted counts."""

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Answer: ...

    def save(self, path: str | os.PathLike[str]) -> None: ...

    def decrypt(self, keys: Keys) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

    @property
    def total(self) -> bool: ...

    @property
    def documents(self) -> int: ...

    @property
    def blocks(self) -> int: ...

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
    """Returns name and value of every public field of a file."""

class Document:
    """The encrypted parts of one message."""

    def __init__(self, message_id: str, subject: str, words: Sequence[str], body: bytes, digest: bytes) -> None: ...

class StoredDocument:
    """The owner's view of one message in an index."""

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
        """False if the record does not open: somebody wrote it without the keys."""

    @property
    def own(self) -> bool:
        """Added with the secret keys, at this place of this index."""

    @property
    def own_unplaced(self) -> bool:
        """Like own, in an index of version 2; the record may be moved or copied."""

class IndexReport:
    """Result of one call that adds documents."""

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
    """Result of a check of every byte."""

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
    """A folder of encrypted words. Threads use it in turn."""

    def __init__(self, folder: str | os.PathLike[str], append: bool, allow_insecure: bool = False) -> None: ...

    @staticmethod
    def create(folder: str | os.PathLike[str], keys: Keys, most_repeats: int, segment_bytes: int) -> None: ...

    @staticmethod
    def verify(folder: str | os.PathLike[str], repair: bool, progress: object | None) -> VerifyReport: ...

    def add(self, keys: Keys, documents: Sequence[Document], options: IndexOptions, progress: object | None) -> IndexReport: ...

    def seal(self) -> None: ...

    def read_documents(self, numbers: Sequence[int], keys: Keys) -> list[StoredDocument]: ...

    def held(self, digests: Sequence[bytes], keys: Keys) -> list[bool]: ...

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
    """Result of the last search."""

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
        """Devices that failed during the search; the others repeated their work."""

    @property
    def plan(self) -> SearchPlan: ...

class Server:
    """An index as a server sees it: no secret. Threads use it in turn."""

    def __init__(self, folder: str | os.PathLike[str], devices: Sequence[str], allow_insecure: bool = False) -> None: ...

    def plan(self, options: SearchOptions) -> SearchPlan: ...

    def search(self, query: Query, options: SearchOptions, progress: object | None) -> Answer: ...

    @property
    def report(self) -> SearchReport: ...
