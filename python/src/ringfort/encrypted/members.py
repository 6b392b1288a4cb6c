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
import re
from collections.abc import Iterable
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from .._core import files as core
from ..errors import InvalidArgument, ParametersMismatch, SecretRefused
from ..locks import CachedProperty
from ..values import kind_of
from .residues.parameters import MOST_MODULI

__all__ = [
    "AXES",
    "KEY_SET_MEMBERS",
    "PUBLIC_KEYS",
    "RANGE",
    "Container",
    "Covered",
    "Seals",
    "foreign",
    "key_sets",
    "names",
    "require_storable",
]
__all__ += ["numbered", "of_first_modulus", "of_moduli"]

Container = dict[str, NDArray[np.uint8]]  # maps the name of each member to its bytes
RANGE = "@range"
PUBLIC_KEYS = ("public", "relinearization", "galois")
KEY_SET_MEMBERS = (*PUBLIC_KEYS, "ledger", "secret")
AXES = "axes"
_KINDS = ("@f", "@c", "@i")
_ONCE = (AXES, "ledger", "secret")  # members that exist once for all plaintext moduli
_SUFFIXES = frozenset(map(str, range(1, MOST_MODULI)))  # suffixes of the members of further moduli
_LONGEST_NAME = 64  # bytes
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")  # src/io/text.cpp
_DIGEST = slice(-32, None)  # every member ends with its digest, which the reader checks


class Covered(Enum):
    """The part of a file that a secret key covers."""

    ALL = "all other members"
    SET = "its own key set, kind and range: older files"
    NOTHING = "nothing: secret keys older than version 3"


def numbered(name: str, index: int) -> str:
    """Returns the name of a member for a plaintext modulus. index: the number of the modulus, from 0."""
    return name if index == 0 else f"{name}.{index}"


def of_moduli(container: Container, name: str) -> list[NDArray[np.uint8]]:
    """Returns the members of this name for all plaintext moduli. Empty if there is no such member."""
    found: list[NDArray[np.uint8]] = []
    while (data := container.get(numbered(name, len(found)))) is not None:
        found.append(data)
    return found


def _split(name: str) -> tuple[str, int]:
    """Inverts ``numbered``: returns the name and the number of the modulus."""
    owner, _, last = name.rpartition(".")
    return (owner, int(last)) if last in _SUFFIXES else (name, 0)


def of_first_modulus(container: Iterable[str]) -> list[str]:
    """Returns the names of the members that belong to the first plaintext modulus."""
    return [name for name in container if _split(name)[1] == 0]


def key_sets(container: Iterable[str]) -> list[str]:
    """Returns the names of key sets."""
    split = (name.split(".") for name in of_first_modulus(container))
    return sorted({owner[0] for owner in split if len(owner) > 1 and owner[1] != AXES})


def require_storable(container: Iterable[str]) -> None:
    """Refuses names of members that a file cannot have: names of more than 64 bytes, and names with characters that
    control a terminal or the order of text. Errors: InvalidArgument."""
    for name in container:
        if len(name.encode()) > _LONGEST_NAME or _CONTROL.search(name):
            raise InvalidArgument(
                f"a file cannot have a member {name!r}",
                f"a name has printable characters only; with its suffix, it has at most {_LONGEST_NAME} bytes of UTF-8",
            )


def names(path: object, container: Container) -> None:
    """Refuses names that ``save`` does not write, and a secret key under a name other than NAME.secret.

    Errors: InvalidArgument, SecretRefused.
    """
    for name, data in container.items():
        if not name.endswith(".secret") and core.is_secret(data):
            raise SecretRefused(f"{path}: the member {name!r} is a secret key", "load files that ringfort.save wrote")
    first = of_first_modulus(container)
    for name in first:
        _require_name(path, name, container)
    _require_every_modulus(path, container, first)


def _require_name(path: object, name: str, container: Container) -> None:
    owner, *suffix = name.split(".")
    good = name == RANGE or name in _KINDS if name.startswith("@") else owner not in ("", "context")
    if suffix == [AXES]:
        good = good and owner in container
    elif suffix:
        good = good and len(suffix) == 1 and suffix[0] in KEY_SET_MEMBERS and owner not in container
    if not good:
        raise InvalidArgument(f"{path}: {name!r} is not the name of a member", "load files that ringfort.save wrote")
    if suffix == ["ledger"] and f"{owner}.secret" not in container:
        raise InvalidArgument(
            f"{path} has {name!r}, but no secret key of this set", "load files that ringfort.save wrote"
        )


def _require_every_modulus(path: object, container: Container, first: list[str]) -> None:
    """Requires that each further modulus has the same members as the first modulus, except the members that exist once
    for all moduli."""
    every = {name for name in first if name.partition(".")[2] not in _ONCE}
    further: dict[int, set[str]] = {}
    for name in container.keys() - set(first):
        owner, index = _split(name)
        further.setdefault(index, set()).add(owner)
    for index in range(1, max(further, default=0) + 1):
        for name in sorted(every ^ further.get(index, set())):
            raise InvalidArgument(
                f"{path} has the member {name!r} for some plaintext moduli, but not for modulus {index}",
                "the file is damaged, or a member was removed or added: get it again",
            )


class Seals:
    """Computes the digests that the secret keys of a file contain.

    All secret keys share one pass over the members.
    """

    def __init__(self, container: Container, associated: object) -> None:
        if not isinstance(associated, bytes):
            raise InvalidArgument(f"associated is {kind_of(associated)}", "give bytes")
        self._container = container
        self._associated = associated

    @CachedProperty
    def _members(self) -> bytes:
        """Returns a digest of all members. For secret keys, the digest includes only their names, because a key cannot
        contain a digest of itself."""
        digest = hashlib.blake2b(digest_size=32, person=b"ringfort members")
        for name in sorted(self._container):
            secret, data = name.endswith(".secret"), self._container[name]
            known = data if name.startswith("@") else data[_DIGEST]
            for piece in (name.encode(), b"" if secret else known.tobytes()):
                digest.update(len(piece).to_bytes(8, "little") + piece)
            digest.update((0 if secret else data.size).to_bytes(8, "little"))
        return digest.digest()

    @CachedProperty
    def _meaning_before(self) -> NDArray[np.uint8]:
        digest = hashlib.blake2b(digest_size=32)
        for name in sorted(name for name in self._container if name.startswith("@")):
            digest.update(f"{name}\0{len(self._container[name])}\0".encode())
            digest.update(self._container[name].tobytes())
        digest.update(self._associated)
        return np.frombuffer(digest.digest(), np.uint8)

    def of(self, owner: str) -> list[NDArray[np.uint8]]:
        """Returns the digest that the secret key of the key set ``owner`` contains. The list has one array."""
        digest = hashlib.blake2b(digest_size=32, person=b"ringfort secret")
        for piece in (owner.encode(), self._associated, self._members):
            digest.update(len(piece).to_bytes(8, "little") + piece)
        return [np.frombuffer(digest.digest(), np.uint8)]

    def _of_before(self, owner: str) -> list[NDArray[np.uint8]]:
        beside = (self._container.get(f"{owner}.{kind}") for kind in (*PUBLIC_KEYS, "ledger"))
        return [*(data for data in beside if data is not None), self._meaning_before]

    def covered(self, owner: str) -> Covered:
        """Returns which members a secret key covers. The result is certain only after a passphrase has opened the
        secret key. Errors: ParametersMismatch."""
        secret = self._container[f"{owner}.secret"]
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
        "somebody removed, renamed or replaced a member: others may read what you encrypt; restore the file; or the "
        "argument associated= differs from that of save",
    )
