# SPDX-License-Identifier: Apache-2.0
"""What the members of a file may be called, and what a secret key among them vouches for.

``@KIND`` parameters, ``@range``, ``NAME`` an array, ``NAME.public`` and so on the parts of a key set: any other name,
and a secret key under any but ``NAME.secret``, is refused. A secret key names its set, all members, of all but secret
keys length and digest too, and ``associated``; a passphrase authenticates that. In files of before it names less.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .._core import files as core
from ..errors import InvalidArgument, ParametersMismatch, SecretRefused
from ..values import kind_of

__all__ = ["KEY_PARTS", "RANGE", "Parts", "Seals", "Vouched", "foreign", "key_sets", "names"]

Parts = dict[str, NDArray[np.uint8]]
RANGE = "@range"
KEY_PARTS = ("public", "relinearization", "galois")
_PARTS = (*KEY_PARTS, "ledger", "secret")
_KINDS = ("@f", "@c", "@i")
_DIGEST = slice(-32, None)  # what ends every file; who reads the file compares it


class Vouched(Enum):
    """How much of its file a secret key names."""

    ALL = "all other members"
    SET = "its own key set, kind and range: files of before"
    NOTHING = "nothing: secret keys of before version 3"


def key_sets(parts: Iterable[str]) -> list[str]:
    return sorted({part.split(".")[0] for part in parts if "." in part})


def names(path: object, parts: Parts) -> None:
    """Each member has a name that ``save`` gives, and no secret key another. Errors: InvalidArgument, SecretRefused."""
    for name, data in parts.items():
        if not name.endswith(".secret") and core.is_secret(data):
            raise SecretRefused(f"{path}: the member {name!r} is a secret key", "load files that ringfort.save wrote")
        owner, *part = name.split(".")
        good = name == RANGE or name in _KINDS if name.startswith("@") else owner not in ("", "context")
        if not good or (part and (len(part) > 1 or part[0] not in _PARTS)) or (part and owner in parts):
            raise InvalidArgument(f"{path}: a member is called {name!r}", "load files that ringfort.save wrote")
        if part == ["ledger"] and f"{owner}.secret" not in parts:
            raise InvalidArgument(f"{path}: {name!r} without a secret key", "load files that ringfort.save wrote")


class Seals:
    """What the secret keys of a file name; each costs the same, however many there are."""

    def __init__(self, parts: Parts, associated: object) -> None:
        if not isinstance(associated, bytes):
            raise InvalidArgument(f"associated is {kind_of(associated)}", "give bytes")
        self._parts = parts
        self._associated = associated

    @cached_property
    def _members(self) -> bytes:
        """Of secret keys the names alone: none can hold another's digest and be in it."""
        digest = hashlib.blake2b(digest_size=32, person=b"ringfort members")
        for name in sorted(self._parts):
            secret, data = name.endswith(".secret"), self._parts[name]
            known = data if name.startswith("@") else data[_DIGEST]
            for piece in (name.encode(), b"" if secret else known.tobytes()):
                digest.update(len(piece).to_bytes(8, "little") + piece)
            digest.update((0 if secret else data.size).to_bytes(8, "little"))
        return digest.digest()

    @cached_property
    def _meaning_before(self) -> NDArray[np.uint8]:
        digest = hashlib.blake2b(digest_size=32)
        for name in sorted(name for name in self._parts if name.startswith("@")):
            digest.update(f"{name}\0{len(self._parts[name])}\0".encode())
            digest.update(self._parts[name].tobytes())
        digest.update(self._associated)
        return np.frombuffer(digest.digest(), np.uint8)

    def of(self, owner: str) -> list[NDArray[np.uint8]]:
        """What the secret key of a set is encoded beside."""
        digest = hashlib.blake2b(digest_size=32, person=b"ringfort secret")
        for piece in (owner.encode(), self._associated, self._members):
            digest.update(len(piece).to_bytes(8, "little") + piece)
        return [np.frombuffer(digest.digest(), np.uint8)]

    def _of_before(self, owner: str) -> list[NDArray[np.uint8]]:
        beside = (self._parts.get(f"{owner}.{part}") for part in (*KEY_PARTS, "ledger"))
        return [*(data for data in beside if data is not None), self._meaning_before]

    def vouched(self, owner: str) -> Vouched:
        """How much a secret key names; it counts once a passphrase opened that. Errors: ParametersMismatch."""
        secret = self._parts[f"{owner}.secret"]
        for much, beside in ((Vouched.ALL, self.of), (Vouched.SET, self._of_before)):
            try:
                return much if core.require_beside(secret, beside(owner)) else Vouched.NOTHING
            except ParametersMismatch:
                continue
        raise foreign(owner)


def foreign(owner: str) -> ParametersMismatch:
    """One sentence, whatever it was: what a stranger put beside a secret key is not to be judged by that key."""
    return ParametersMismatch(
        f"what lies beside the secret key of {owner!r} is not what it was saved with",
        "something was removed, renamed or exchanged: what you encrypt with it may be for somebody else; restore it",
    )
