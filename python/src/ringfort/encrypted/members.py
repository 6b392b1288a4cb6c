# SPDX-License-Identifier: Apache-2.0
"""Names of a file's members, and the members that a secret key covers. A file of keys and arrays (files.py) is a
sequence of named members.

* ``@f``, ``@c`` or ``@i``: the parameters of real, complex or integer numbers. ``@range``: the declared range.
* ``NAME``: an array. ``NAME.axes``: the order of its axes, if the array is a transposed matrix.
* ``NAME.public``, ``NAME.relinearization``, ``NAME.galois``, ``NAME.ledger`` and ``NAME.secret``: the parts of a key
  set. The relinearization key is for products, and the Galois keys are for rotations.

Integers of a long range are encrypted modulo several primes, the plaintext moduli (residues/parameters.py). The members
above belong to the first modulus. The members of the i-th further modulus have the suffix ``.i``. ``NAME.axes``,
``NAME.secret`` and ``NAME.ledger`` exist once for all moduli. Any other name is an error. A secret key under a name
other than ``NAME.secret`` is an error, too.

A secret key *covers* members: it contains a digest. The digest includes the name of the key set, the names of all
members, and ``associated``. It also includes the lengths and digests of all members except secret keys. A passphrase
authenticates this digest. Secret keys of older files cover fewer members.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from .._core import files as core
from ..errors import InvalidArgument, ParametersMismatch, SecretRefused
from ..locks import CachedProperty
from ..values import kind_of
from .residues.parameters import MOST_MODULI

__all__ = ["AXES", "KEY_PARTS", "PARTS", "RANGE", "Parts", "Seals", "Covered", "foreign", "key_sets", "names"]
__all__ += ["numbered", "of_first_modulus", "of_moduli"]

Parts = dict[str, NDArray[np.uint8]]
RANGE = "@range"
KEY_PARTS = ("public", "relinearization", "galois")
PARTS = (*KEY_PARTS, "ledger", "secret")
AXES = "axes"
_KINDS = ("@f", "@c", "@i")
_ONCE = (AXES, "ledger", "secret")  # members that exist once for all plaintext moduli
_PLACES = frozenset(map(str, range(1, MOST_MODULI)))  # suffixes of the members of further moduli
_DIGEST = slice(-32, None)  # every member ends with its digest, which the reader checks


class Covered(Enum):
    """The part of a file that a secret key covers."""

    ALL = "all other members"
    SET = "its own key set, kind and range: older files"
    NOTHING = "nothing: secret keys older than version 3"


def numbered(name: str, place: int) -> str:
    """Returns the name of a member for a plaintext modulus. place: the number of the modulus, from 0."""
    return name if place == 0 else f"{name}.{place}"


def of_moduli(parts: Parts, name: str) -> list[NDArray[np.uint8]]:
    """Returns the members of this name for all plaintext moduli. Empty if there is no such member."""
    found: list[NDArray[np.uint8]] = []
    while (data := parts.get(numbered(name, len(found)))) is not None:
        found.append(data)
    return found


def _split(name: str) -> tuple[str, int]:
    """Inverts ``numbered``: returns the name and the number of the modulus."""
    owner, _, last = name.rpartition(".")
    return (owner, int(last)) if last in _PLACES else (name, 0)


def of_first_modulus(parts: Iterable[str]) -> list[str]:
    """Returns the names of the members that belong to the first plaintext modulus."""
    return [name for name in parts if _split(name)[1] == 0]


def key_sets(parts: Iterable[str]) -> list[str]:
    """Returns the names of key sets."""
    split = (name.split(".") for name in of_first_modulus(parts))
    return sorted({owner[0] for owner in split if len(owner) > 1 and owner[1] != AXES})


def names(path: object, parts: Parts) -> None:
    """Refuses names that ``save`` does not write, and a secret key under a name other than NAME.secret.

    Errors: InvalidArgument, SecretRefused.
    """
    for name, data in parts.items():
        if not name.endswith(".secret") and core.is_secret(data):
            raise SecretRefused(f"{path}: the member {name!r} is a secret key", "load files that ringfort.save wrote")
    first = of_first_modulus(parts)
    for name in first:
        _require_name(path, name, parts)
    _require_every_modulus(path, parts, first)


def _require_name(path: object, name: str, parts: Parts) -> None:
    owner, *part = name.split(".")
    good = name == RANGE or name in _KINDS if name.startswith("@") else owner not in ("", "context")
    if part == [AXES]:
        good = good and owner in parts
    elif part:
        good = good and len(part) == 1 and part[0] in PARTS and owner not in parts
    if not good:
        raise InvalidArgument(f"{path}: {name!r} is not the name of a member", "load files that ringfort.save wrote")
    if part == ["ledger"] and f"{owner}.secret" not in parts:
        raise InvalidArgument(
            f"{path} has {name!r}, but no secret key of this set", "load files that ringfort.save wrote"
        )


def _require_every_modulus(path: object, parts: Parts, first: list[str]) -> None:
    """Requires that each further modulus has the same members as the first modulus, except the members that exist once
    for all moduli."""
    every = {name for name in first if name.partition(".")[2] not in _ONCE}
    further: dict[int, set[str]] = {}
    for name in parts.keys() - set(first):
        owner, place = _split(name)
        further.setdefault(place, set()).add(owner)
    for place in range(1, max(further, default=0) + 1):
        for name in sorted(every ^ further.get(place, set())):
            raise InvalidArgument(
                f"{path} has the member {name!r} for some plaintext moduli, but not for modulus {place}",
                "the file is damaged, or a member was removed or added: get it again",
            )


class Seals:
    """Computes the digests that the secret keys of a file contain.

    The time of one digest does not depend on the number of keys.
    """

    def __init__(self, parts: Parts, associated: object) -> None:
        if not isinstance(associated, bytes):
            raise InvalidArgument(f"associated is {kind_of(associated)}", "give bytes")
        self._parts = parts
        self._associated = associated

    @CachedProperty
    def _members(self) -> bytes:
        """Returns a digest of all members. Of a secret key, it includes only the name, because a key cannot contain a
        digest of itself."""
        digest = hashlib.blake2b(digest_size=32, person=b"ringfort members")
        for name in sorted(self._parts):
            secret, data = name.endswith(".secret"), self._parts[name]
            known = data if name.startswith("@") else data[_DIGEST]
            for piece in (name.encode(), b"" if secret else known.tobytes()):
                digest.update(len(piece).to_bytes(8, "little") + piece)
            digest.update((0 if secret else data.size).to_bytes(8, "little"))
        return digest.digest()

    @CachedProperty
    def _meaning_before(self) -> NDArray[np.uint8]:
        digest = hashlib.blake2b(digest_size=32)
        for name in sorted(name for name in self._parts if name.startswith("@")):
            digest.update(f"{name}\0{len(self._parts[name])}\0".encode())
            digest.update(self._parts[name].tobytes())
        digest.update(self._associated)
        return np.frombuffer(digest.digest(), np.uint8)

    def of(self, owner: str) -> list[NDArray[np.uint8]]:
        """Returns the digest that the secret key of the key set ``owner`` contains. The list has one array."""
        digest = hashlib.blake2b(digest_size=32, person=b"ringfort secret")
        for piece in (owner.encode(), self._associated, self._members):
            digest.update(len(piece).to_bytes(8, "little") + piece)
        return [np.frombuffer(digest.digest(), np.uint8)]

    def _of_before(self, owner: str) -> list[NDArray[np.uint8]]:
        beside = (self._parts.get(f"{owner}.{part}") for part in (*KEY_PARTS, "ledger"))
        return [*(data for data in beside if data is not None), self._meaning_before]

    def covered(self, owner: str) -> Covered:
        """Returns which members a secret key covers. The result is certain only after a passphrase has opened the
        secret key. Errors: ParametersMismatch."""
        secret = self._parts[f"{owner}.secret"]
        for much, beside in ((Covered.ALL, self.of), (Covered.SET, self._of_before)):
            try:
                return much if core.require_beside(secret, beside(owner)) else Covered.NOTHING
            except ParametersMismatch:
                continue
        raise foreign(owner)


def foreign(owner: str) -> ParametersMismatch:
    """Returns the same error for all causes. The error must not reveal how keys that somebody put into the file differ
    from those that were saved with the secret key."""
    return ParametersMismatch(
        f"the secret key of {owner!r} was saved with other members than this file has",
        "somebody removed, renamed or replaced a member: others may read what you encrypt; restore the file",
    )
