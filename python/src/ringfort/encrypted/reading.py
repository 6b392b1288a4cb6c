# SPDX-License-Identifier: Apache-2.0
"""Checks and decodes the objects of a file. files.py calls ``objects_of`` for ``load`` and ``loads``.

A *member* is a named part of a file. A *key set* has a name, public keys and, in the file of its owner, a secret key. A
sealed secret key *covers* public keys if it authenticates them (members.py).

``objects_of`` uses a secret key to test public keys only if the secret key covers these public keys. Without this rule,
an attacker could change parts of public keys, and learn which changes the program accepts. From these answers, the
attacker could recover the secret key. A secret key older than version 3 covers nothing. For such a key, the program
breaks the rule, and warns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from .._core import files as core
from ..errors import (
    Error,
    InvalidArgument,
    IoDigest,
    IoLimit,
    KeyMissing,
    ParametersMismatch,
    Passphrase,
    ReleaseRefused,
    SecretRefused,
)
from ..values import flag, kind_of, text, whole
from ..warned import warn
from . import members
from .array import ranges
from .array.array import EncryptedArray
from .array.show import pair_of
from .context.context import Context, Keys, PublicKeys
from .members import Container, Covered
from .records import array_of, encoded, in_order, stated
from .residues.keys import require_matching, secret_of
from .residues.parameters import joined_parameters, moduli_of
from .residues.stored import decoded_key, encoded_key

__all__ = ["Asked", "Trust", "differing_key", "identity_of", "objects_of", "one_set_each", "promise_of"]

_IDENTITY = slice(64, 72)  # bytes of a key's file, after its header; they name the secret key


_KINDS = {"f": "real numbers", "c": "complex numbers", "i": "integers"}  # by NumPy's dtype.kind


class Trust(TypedDict, total=False):
    """Options of ``load`` and ``loads``: what a file may claim, and how large it may be."""

    trust_bound: bool
    """True (default) accepts the writer's claims about the accuracy and the range of computed arrays. False accepts
    only fresh encryptions whose range is within the context's range. In both cases, loaded arrays have
    ``bound_is_untrusted``, because an encryption does not show its values. A file also claims what slots (places of a
    ciphertext) without elements contain. Functions that join arrays do not believe this claim: they clear these slots
    of loaded arrays, by a product that lowers ``depth_left``."""
    allow_insecure: bool
    """Accepts parameters with less than 128 bits of security. Then all descriptions of the context say so."""
    max_bytes: int
    """The largest number of bytes to read. Default: 8 GiB."""
    most_degree: int
    """The largest ring degree (number of coefficients of a polynomial) in a file. Default: 65536. A ring takes about 36
    bytes per coefficient and prime."""
    most_primes: int
    """The largest number of primes of a ring, including the additional primes of BFV's products. Default: 64."""
    most_strength: int
    """The highest accepted strength of a passphrase (see ``save``). The strength determines how much memory ``load``
    takes. Default: 1."""
    most_secrets: int
    """The largest number of secret keys that the passphrase may open. Default: 1. For each secret key, the program
    computes a slow function of the passphrase."""


@dataclass(frozen=True)
class Asked:
    """The arguments of ``load`` or ``loads``. The repr does not show the passphrase, because tools that show errors may
    also show the reprs of local variables. Errors of the constructor: InvalidArgument."""

    ctx: Context | None
    keys: Keys | PublicKeys | None
    passphrase: str = field(repr=False)
    secrets: bool
    associated: bytes
    trust: Trust

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.trust) - set(Trust.__annotations__)):
            raise InvalidArgument(f"there is no option {unknown[0]!r}", "options: " + ", ".join(Trust.__annotations__))
        if (self.ctx is not None and not isinstance(self.ctx, Context)) or (
            self.keys is not None and not isinstance(self.keys, (Keys, PublicKeys))
        ):
            raise InvalidArgument(
                f"load was given ctx {kind_of(self.ctx)} and keys {kind_of(self.keys)}",
                "give a Context, and a key set or its public part",
            )
        text("passphrase", self.passphrase)
        flag("secrets", self.secrets)


def objects_of(source: str, container: Container, asked: Asked) -> dict[str, Any]:
    """Returns the objects by name. container: the members by name. source: the name of the file, for messages. Errors:
    those of ``load``."""
    members.names(source, container)
    seals = members.Seals(container, asked.associated)
    _require_expected(source, container, asked.secrets, asked.passphrase != "")
    context = _context_of(source, container, asked)
    reader = _Reader(source, context, asked.passphrase, seals, asked.trust)
    keys = asked.keys
    try:
        if keys is not None:
            _require_own(container, keys, context)
        sets = reader.key_sets(container)
        chosen = keys or next((k for k in sets.values() if isinstance(k, Keys)), next(iter(sets.values()), None))
        public = chosen.public if isinstance(chosen, Keys) else chosen
        plain_names = (name for name in container if not name.startswith("@") and "." not in name)
        arrays = {name: reader.array(name, container, public) for name in plain_names}
        if keys is not None and public is not None:
            _require_one_of(source, arrays, public)
    except IoDigest as error:
        if asked.ctx is None:
            raise
        raise _of_other_parameters(source, container, asked, error) from None
    return sets | arrays | ({"context": context} if asked.ctx is None else {})


def _context_of(source: str, container: Container, asked: Asked) -> Context:
    """Returns the caller's context, which must fit the members. If the caller gave no context, returns the context of
    the file. Errors: ParametersMismatch, the Io errors."""
    ctx, trust = asked.ctx, asked.trust
    marks = [name for name in members.of_first_modulus(container) if name.startswith("@") and name != members.RANGE]
    if len(marks) != 1:
        raise InvalidArgument(f"{source} holds {len(marks)} contexts", "load files that ringfort.save wrote")
    if ctx is not None and marks[0][1:] != ctx.dtype.kind:
        raise ParametersMismatch(
            f"{source} holds {_KINDS.get(marks[0][1:], 'numbers of another kind')}, but the context is {ctx!r}",
            "load it under a context of its dtype",
        )
    files = members.of_moduli(container, marks[0])
    if ctx is not None and len(files) != len(ctx._scopes.per_modulus):
        raise ParametersMismatch(
            f"{source} has {len(files)} plaintext moduli, but {ctx!r} has {len(ctx._scopes.per_modulus)}",
            "leave ctx out: the file has its own context",
        )
    parameters = _parameters_of(files, trust) if ctx is None else ctx._parameters
    promise = promise_of(container, parameters)
    if ctx is not None and asked.keys is None and ctx._range != promise and members.key_sets(container):
        raise ParametersMismatch(
            f"{source} holds keys for integers "
            + (f"of the range {promise}" if promise else "without a range")
            + f", but {ctx!r} has "
            + (f"the range {ctx._range}" if ctx._range else "no range"),
            "leave ctx out: the file has its own context",
        )
    return ctx or Context.of_parameters(parameters, marks[0][1:], promise=promise)


def _of_other_parameters(source: str, container: Container, asked: Asked, error: IoDigest) -> IoDigest:
    """Returns the error for a file under a context with other parameters. The error names the context of the file, if
    the caller accepts its parameters."""
    fix = "leave ctx out: the file has its own context"
    try:
        own = _context_of(source, container, replace(asked, ctx=None))
    except Error:
        return IoDigest(error.problem, fix)
    if own == asked.ctx:
        return error
    return IoDigest(f"{source} and ctx are of different contexts: {pair_of(own, asked.ctx)}", fix)


def _parameters_of(files: list[NDArray[np.uint8]], trust: Trust) -> Any:
    """Decodes the parameters for all plaintext moduli. They must have the same chain of primes. Errors: the Io
    errors."""
    allow = flag("allow_insecure", trust.get("allow_insecure", False))
    degree = whole("most_degree", trust.get("most_degree", 2**16), 2**32)
    primes = whole("most_primes", trust.get("most_primes", 64), 2**32)
    return joined_parameters([core.decode_parameters(data, allow, degree, primes) for data in files])


def promise_of(container: Container, parameters: Any) -> ranges.Interval | None:
    """Returns the declared range of a file with these parameters. Errors: ParametersMismatch, the Io errors."""
    records = list(map(core.decode_array, members.of_moduli(container, members.RANGE)))
    moduli = moduli_of(parameters)
    if len(moduli) > 1 and any(list(record.shape) != [len(moduli)] for record in records):
        raise ParametersMismatch(
            f"the range is for another number of plaintext moduli than {len(moduli)}", "the file is damaged"
        )
    return stated([record.interval for record in records], moduli) if records else None


def _require_expected(source: str, container: Container, secrets: bool, passphrase: bool) -> None:
    """Refuses a file with a secret key, unless the caller allows secret keys. Refuses a passphrase for a file without a
    secret key."""
    found = any(name.endswith(".secret") for name in container)
    if found and not secrets and not passphrase:
        raise SecretRefused(
            f"{source} holds a secret key",
            "its owner loads it with passphrase=... or secrets=True; servers need files with keys.public",
        )
    if passphrase and not found:
        raise Passphrase(
            f"a passphrase was given, but {source} holds no secret key",
            "somebody may have replaced the file; give no passphrase if the file has no secret key",
        )


def identity_of(name: str, container: Container) -> bytes:
    """Returns the identity of the secret key to which all parts of a key set must belong. Errors:
    ParametersMismatch."""
    of_members = (members.of_moduli(container, f"{name}.{each}") for each in (*members.PUBLIC_KEYS, "secret"))
    identities = {bytes(data[_IDENTITY]) for files in of_members for data in files}
    if not identities:
        raise KeyMissing(f"the key set {name!r} has no public key", "save whole key sets")
    if len(identities) > 1:
        raise ParametersMismatch(
            f"the parts of the key set {name!r} belong to two secret keys", "somebody may have replaced a part"
        )
    return identities.pop()


def one_set_each(owners: Iterable[str], container: Container) -> dict[bytes, str]:
    """Maps the identity of each secret key to the name of its key set. Two key sets must not have the same secret key.
    Errors: ParametersMismatch."""
    found: dict[bytes, str] = {}
    for name in owners:
        if found.setdefault(identity_of(name, container), name) != name:
            raise ParametersMismatch(f"the key set {name!r} has the secret key of another set", "keep one of the two")
    return found


def differing_key(name: str, container: Container, expected: Container, owner: str) -> str:
    """Compares the public keys of the set ``name`` with the keys of the set ``owner``, byte by byte. Returns the kind
    of a key that differs, or an empty text. Ignores keys that the set ``name`` does not have."""
    for kind in members.PUBLIC_KEYS:
        found, kept = (
            members.of_moduli(*each) for each in ((container, f"{name}.{kind}"), (expected, f"{owner}.{kind}"))
        )
        if found and (len(found) != len(kept) or not all(map(np.array_equal, found, kept))):
            return kind
    return ""


def _require_same(name: str, container: Container, expected: Container, owner: str) -> None:
    """Requires that the public keys of the set ``name`` equal, byte by byte, the keys of the set ``owner``. Errors:
    ParametersMismatch."""
    if kind := differing_key(name, container, expected, owner):
        raise ParametersMismatch(
            f"the {kind} key of the key set {name!r} does not belong to its secret key",
            "it was replaced or damaged: its ciphertexts may be readable by somebody else",
        )


def _require_own(container: Container, keys: Keys | PublicKeys, context: Context) -> None:
    """Checks the key sets of a file that belong to the same secret key as ``keys``. Their public keys, parameters, kind
    and range of numbers must equal those of ``keys``.

    Reads no secret. Errors: KeyMissing, ParametersMismatch.
    """
    public, names = keys.public if isinstance(keys, Keys) else keys, members.key_sets(container)
    if not names or (public.is_empty and not isinstance(keys, Keys)):  # an unpickled array's keys are empty
        return
    if public._public is None:
        raise KeyMissing("these keys have no public key", "give the keys of keygen() or of a file")
    identity = bytes(encoded_key(public.context._scopes, public._public)[0][_IDENTITY])
    expected: Container = {}
    for name in names:
        if identity == identity_of(name, container):  # even if the file claims other parameters
            _require_same_numbers(name, context, public.context)
            expected = expected or encoded("own", public)
            _require_same(name, container, expected, "own")


def _require_one_of(source: str, arrays: dict[str, EncryptedArray], public: PublicKeys) -> None:
    """Requires that at least one array was encrypted under the given keys. A file may have arrays of several owners.
    Errors: ParametersMismatch."""
    found = {array.key_id for array in arrays.values()}
    if found and public._public is not None and public.id not in found:
        raise ParametersMismatch(
            f"the arrays of {source} were encrypted under the secret key {' or '.join(sorted(found))}, but the given "
            f"keys belong to the secret key {public.id}",
            "give the keys that the arrays were encrypted under",
        )


def _require_same_numbers(name: str, found: Context, expected: Context) -> None:
    """Requires that both contexts have equal parameters, kinds of numbers and declared ranges. Errors:
    ParametersMismatch."""
    if found == expected and found._range == expected._range:
        return
    other = "other parameters, or another kind of numbers"
    if found == expected:  # equality ignores the range
        other = f"another range of numbers ({_range_text(found._range)}; your keys: {_range_text(expected._range)})"
    raise ParametersMismatch(
        f"the key set {name!r} belongs to your secret key, but with {other}",
        "give the context of your keys, or none; if you gave none, somebody changed the file: load your own key file",
    )


def _range_text(declared: ranges.Interval | None) -> str:
    return "none" if declared is None else f"{declared[0]} .. {declared[1]}"


class _Reader:
    def __init__(self, source: str, context: Context, passphrase: str, seals: members.Seals, trust: Trust) -> None:
        self.source = source
        self.context = context
        self.scope = context._scopes
        self.passphrase = passphrase
        self.seals = seals
        self.trust_bound = flag("trust_bound", trust.get("trust_bound", True))
        self.most_strength = whole("most_strength", trust.get("most_strength", 1), 2**8)
        self.most_secrets = whole("most_secrets", trust.get("most_secrets", 1), 2**20)

    def key_sets(self, container: Container) -> dict[str, Keys | PublicKeys]:
        """Reads each key set. Compares its public keys with at most one secret key. Opens sealed secret keys last,
        because this takes the most time."""
        names = members.key_sets(container)
        owners = self._owners(names, container)
        much = {name: self.seals.covered(name) for name in owners.values()}
        if self.passphrase == "" or Covered.ALL not in much.values():
            self._require_known(names, owners, container)
        public = {name: self._public(name, container) for name in names}
        secret = {name: self._keys(name, container, public[name]) for name in owners.values()}
        if Covered.NOTHING in much.values():
            warn(
                f"{self.source} holds a secret key older than version 3, which covers no other member: somebody who "
                "can change the public keys, and see which of about 5 n loads fail (n is the ring degree), recovers "
                "the key; save it again",
                UserWarning,
            )
        return public | secret

    def _owners(self, names: list[str], container: Container) -> dict[bytes, str]:
        owners = one_set_each((name for name in names if f"{name}.secret" in container), container)
        if self.passphrase and len(owners) > self.most_secrets:
            raise IoLimit(
                f"the passphrase must open {len(owners)} secret keys, but the limit is {self.most_secrets}",
                f"if you saved that many, give most_secrets={len(owners)}",
            )
        return owners

    def _require_known(self, names: list[str], owners: dict[bytes, str], container: Container) -> None:
        """Checks the key sets that have no secret key of their own. Reads no secret.

        If such a set belongs to a secret key of the file, it must equal the set that has this secret key. If a
        passphrase is given, every set must belong to a secret key of the file.
        """
        for name in names:
            owner = owners.get(identity_of(name, container))
            if owner is not None and owner != name:
                _require_same(name, container, container, owner)
            elif owner is None and self.passphrase:
                raise Passphrase(
                    f"no sealed secret key covers the key set {name!r}",
                    "somebody may have put it there: load it without a passphrase, and compare its fingerprint",
                )

    def _public(self, name: str, container: Container) -> PublicKeys:
        if f"{name}.public" not in container:
            raise KeyMissing(f"the key set {name!r} has no public key", "save whole key sets")
        identity_of(name, container)
        decoders = (core.decode_public_key, core.decode_relinearization_key, core.decode_galois_keys)
        keys: list[Any] = [
            decoded_key(decode, self.scope, members.of_moduli(container, f"{name}.{kind}"))
            for decode, kind in zip(decoders, members.PUBLIC_KEYS, strict=True)
        ]
        return PublicKeys(self.context, *keys)

    def _keys(self, name: str, container: Container, public: PublicKeys) -> Keys:
        """Decodes the secret key. Checks that the public keys were made from this secret key."""
        sealed = container[f"{name}.secret"]
        first = core.decode_secret_key(self.scope.per_modulus[0], sealed, self.passphrase, self.most_strength)
        secret = secret_of(first, self.context._on(self.context.device).keys)
        for key in (public._public, public._relinearization, public._galois):
            if key is not None:
                try:
                    require_matching(secret, key)
                except ParametersMismatch:
                    raise members.foreign(name) from None
        keys = Keys(public, secret)
        if (mark := container.get(f"{name}.ledger")) is not None:
            if not keys._releases:
                raise ReleaseRefused(f"{name!r} has a ledger, but its context has no release", "the file is damaged")
            keys.remember_ledger(mark)
        return keys

    def array(self, name: str, container: Container, public: PublicKeys | None) -> EncryptedArray:
        if public is None:
            raise KeyMissing(
                f"the file has no keys for the array {name!r}", "give them: load(path, ctx, keys=keys.public)"
            )
        if public.context != self.context:
            raise ParametersMismatch(
                f"{self.source} and the keys are of different contexts: {pair_of(self.context, public.context)}",
                "load under the context of the keys",
            )
        records = list(map(core.decode_array, members.of_moduli(container, name)))
        found = array_of(records, public, name, self.trust_bound)
        return in_order(found, name, container.get(f"{name}.{members.AXES}"))
