# SPDX-License-Identifier: Apache-2.0
# Written by tools/gen_stubs; do not edit, run the tool again.
"""Encrypted word search; the typed face is ringfort.search."""

from collections.abc import Sequence
import enum
import os
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Parameters:
    """Of the ring-GSW scheme."""

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
    """Who encrypted: the owner (secret key) or a sender (public key)."""

    secret_key = 1

    public_key = 2

class SearchPlan:
    """What a search may do and what it proves."""

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
    """The words that a document of so many takes with pad_words."""

class Engine(enum.Enum):
    """How a product is computed."""

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
    """What an index and a query would take and promise."""

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
        128 bits of a digest of all public parts, in groups that people can compare by voice.
        """

    @property
    def has_secret(self) -> bool: ...

    @property
    def has_public(self) -> bool: ...

    def pattern(self, word: str) -> int:
        """
        The bits that are encrypted for a word, and shown to the server as its query.
        """

class Query:
    """One word's hash, as the server sees it."""

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
    """Name and value of all that a file says in the clear."""

class Document:
    """What is encrypted for one message."""

    def __init__(self, message_id: str, subject: str, words: Sequence[str], body: bytes, digest: bytes) -> None: ...

class StoredDocument:
    """What an index says, to the owner, of one message."""

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
    def own(self) -> bool:
        """Added with the secret keys to this index; a copied record counts, too."""

class IndexReport:
    """What one call added."""

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
    """What a check of every byte found."""

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
    """A folder of encrypted words. Threads use it by turns."""

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
    """What the last search did."""

    @property
    def words(self) -> int: ...

    @property
    def prepared_words(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def read_seconds(self) -> float: ...

    @property
    def plan(self) -> SearchPlan: ...

class Server:
    """An index as a server holds it: no secret. Threads use it by turns."""

    def __init__(self, folder: str | os.PathLike[str], device: str, allow_insecure: bool = False) -> None: ...

    def plan(self, options: SearchOptions) -> SearchPlan: ...

    def search(self, query: Query, options: SearchOptions, progress: object | None) -> Answer: ...

    @property
    def report(self) -> SearchReport: ...
