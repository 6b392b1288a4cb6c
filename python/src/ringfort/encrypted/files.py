# SPDX-License-Identifier: Apache-2.0
"""Contexts, keys and arrays in one file: ``ringfort.save(path, **objects)`` and ``ringfort.load(path)``.

A file is a container of named objects in Ringfort's own formats (docs/file-format.md), never a pickle. It begins with
its context's parameters. A key set is stored in parts (members.py). Its secret part *covers* all other members: it
contains a digest of them.

``load`` checks public keys with a secret key only if the secret key covers them. Otherwise an attacker who changes rows
of the public keys, and learns which changes ``load`` accepts, recovers the secret key. The exception is a secret key
older than version 3, which covers nothing: ``load`` warns.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from .._core import files as core
from .._core import keys as plain
from ..errors import (
    InvalidArgument,
    IoDigest,
    IoLimit,
    KeyMissing,
    ParametersMismatch,
    Passphrase,
    ReleaseRefused,
    SecretRefused,
)
from ..values import flag, kind_of, require_seal, text, whole
from ..warned import warn
from . import members
from .array import ranges
from .array.array import EncryptedArray
from .array.session import Session
from .context.context import Context, Keys, PublicKeys
from .members import Covered, Parts
from .packing.layout import Layout
from .packing.packed import Packed, Rest

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Trust", "array_of", "encoded_ciphertexts", "load", "record_of", "save"]

_REST = [Rest.CLAIMED, Rest.ROWS, Rest.ANY]  # by their number in a file
_LIMIT_BYTES = 8 << 30
_MOST_AXES = 32
_IDENTITY = slice(64, 72)  # the bytes after the header of a key's file


class Trust(TypedDict, total=False):
    """Options for trusting a file."""

    trust_bound: bool
    """True (default) accepts the writer's claims about accuracy and range of computed arrays. False accepts only fresh
    encryptions whose range is within the context's range. Both set ``bound_is_untrusted``: an encryption does not show
    its values. What slots without elements contain is a claim, too: functions that join arrays clear these slots of
    loaded arrays, which takes a level."""
    allow_insecure: bool
    """Accepts parameters below 128 bits. All descriptions of the context then mark them."""
    limit_bytes: int
    """The largest file that load reads. Default: 8 GiB."""
    most_degree: int
    """The largest ring degree in a file. Default: 65536. A ring takes about 36 bytes per coefficient and prime."""
    most_primes: int
    """The most primes of a ring, including the primes that BFV multiplies over. Default: 64."""
    most_strength: int
    """The highest passphrase strength, which determines the memory that load needs (see ``save``). Default: 1."""
    most_secrets: int
    """The most secret keys to try a passphrase on. Default: 1. Each takes the time of stretching the passphrase."""


def save(
    path: str | os.PathLike[str],
    *,
    passphrase: str | None = None,
    strength: int = 1,
    unsealed: bool = False,
    associated: bytes = b"",
    **objects: Any,
) -> None:
    """Writes key sets and arrays of one context, by name. A file with a secret key is readable by its owner only
    (0600).

    A secret key needs a passphrase, which seals it, or unsealed=True: then everybody who reads the file has the key.
    strength: memory that one try of a passphrase needs (Argon2id): 0, 1, 2 for 64 MiB, 256 MiB, 1 GiB. associated:
    bytes that bind the secret key to a purpose. The file does not contain them; pass the same bytes to load. A
    passphrase authenticates these bytes and all members of the file with their names. To load a file with two sealed
    secret keys, give most_secrets=2.
    Errors: SecretRefused (a secret key without either option), InvalidArgument (nothing to save, or an object of
    another type), ParametersMismatch (objects of two contexts), the io codes.
    """
    if not objects:
        raise InvalidArgument(
            "save was given nothing to save", "give objects with names: save(path, x=x, keys=keys.public)"
        )
    context = _one_context(objects)
    secret = next((name for name, value in objects.items() if isinstance(value, Keys)), "")
    require_seal(secret, f"{secret}.public", passphrase, unsealed)
    parts = {f"@{context.dtype.kind}": core.encode_parameters(context._scope)}
    if context._range is not None:
        parts[members.RANGE] = core.encode_array(_range_record(context._range))
    for name, value in objects.items():
        if isinstance(value, EncryptedArray):
            _require_interval(name, value._interval, context._range)
        parts |= _encoded(name, value)
    owners = {name: value for name, value in objects.items() if isinstance(value, Keys)}
    _one_set_each(owners, parts)
    placed = parts | {
        f"{name}.secret": np.empty(0, np.uint8) for name in owners
    }  # each secret covers the other members
    seals, strength = members.Seals(placed, associated), whole("strength", strength, 2**8)
    for name, owner in owners.items():
        parts[f"{name}.secret"] = core.encode_secret_key(
            owner.context._scope, owner._secret, passphrase or "", strength, seals.of(name)
        )
    core.save(_file(path), list(parts.items()))


def load(
    path: str | os.PathLike[str],
    ctx: Context | None = None,
    *,
    keys: Keys | PublicKeys | None = None,
    passphrase: str = "",
    secrets: bool = False,
    associated: bytes = b"",
    **trust: Unpack[Trust],
) -> dict[str, Any]:
    """Returns the objects of a file by name. ctx: the context that they must belong to (None: the file's own context).

    keys: the key set whose public part the arrays compute with. Default: the set with the file's secret key, else the
    file's first key set. If public keys in the file belong to a secret key of the file or to ``keys``, they must be
    byte for byte the public keys of that set. Keys that belong to ``keys`` must also have the parameters, the kind and
    the range of numbers of ``keys``.
    secrets: True accepts a file with a secret key. Without a passphrase or secrets=True, load refuses such a file: a
    server needs no secret key. With a passphrase, load opens only secret keys that the passphrase sealed, and returns
    only objects that these cover: somebody may have replaced the others. associated: the bytes given to save. Other
    options: see ``Trust``.
    Errors: the io codes, ParametersMismatch, KeyMissing, SecretRefused, Passphrase, ModeForbidden, InsecureParameters.
    """
    if unknown := sorted(set(trust) - set(Trust.__annotations__)):
        raise InvalidArgument(f"there is no option {unknown[0]!r}", "options: " + ", ".join(Trust.__annotations__))
    if (ctx is not None and not isinstance(ctx, Context)) or (
        keys is not None and not isinstance(keys, (Keys, PublicKeys))
    ):
        raise InvalidArgument(
            f"load was given ctx {kind_of(ctx)} and keys {kind_of(keys)}",
            "give a Context, and a key set or its public part",
        )
    text("passphrase", passphrase)
    parts = dict(core.load(_file(path), whole("limit_bytes", trust.get("limit_bytes", _LIMIT_BYTES), 2**63)))
    members.names(path, parts)
    seals = members.Seals(parts, associated)
    _require_expected(path, parts, flag("secrets", secrets), passphrase != "")
    promise = core.decode_array(parts[members.RANGE]).interval if members.RANGE in parts else None
    marks = [name for name in parts if name.startswith("@") and name != members.RANGE]
    if len(marks) != 1:
        raise InvalidArgument(f"{path} holds {len(marks)} contexts", "load files that ringfort.save wrote")
    if ctx is not None and marks[0][1:] != ctx.dtype.kind:
        raise ParametersMismatch(
            f"{path} holds numbers of another kind than {ctx!r}", "load it under a context of its dtype"
        )
    if ctx is not None and keys is None and ctx._range != promise and any("." in name for name in parts):
        raise ParametersMismatch(
            f"{path} holds keys for integers "
            + (f"of the range {promise}" if promise else "without a range")
            + f", but {ctx!r} has "
            + (f"the range {ctx._range}" if ctx._range else "no range"),
            "leave ctx out: the file has its own context",
        )
    context = ctx or Context.of_parameters(
        core.decode_parameters(
            parts[marks[0]],
            flag("allow_insecure", trust.get("allow_insecure", False)),
            whole("most_degree", trust.get("most_degree", 2**16), 2**32),
            whole("most_primes", trust.get("most_primes", 64), 2**32),
        ),
        marks[0][1:],
        promise=promise,
    )
    reader = _Reader(path, context, passphrase, seals, trust)
    try:
        if keys is not None:
            _require_own(parts, keys, context)
        sets = reader.key_sets(parts)
        chosen = keys or next((k for k in sets.values() if isinstance(k, Keys)), next(iter(sets.values()), None))
        public = chosen.public if isinstance(chosen, Keys) else chosen
        plain_names = (name for name in parts if not name.startswith("@") and "." not in name)
        arrays = {name: reader.array(name, parts[name], public) for name in plain_names}
    except IoDigest as error:
        raise IoDigest(error.problem, "leave ctx out: the file has its own context") from None
    return sets | arrays | ({"context": context} if ctx is None else {})


def _require_expected(path: object, parts: Parts, secrets: bool, passphrase: bool) -> None:
    """Requires permission to load a secret, and a secret if a passphrase is given."""
    found = any(name.endswith(".secret") for name in parts)
    if found and not secrets and not passphrase:
        raise SecretRefused(
            f"{path} holds a secret key",
            "its owner loads it with passphrase=... or secrets=True; servers need files with keys.public",
        )
    if passphrase and not found:
        raise Passphrase(
            f"a passphrase was given, but {path} holds no secret key",
            "somebody may have replaced the file; give no passphrase if the file has no secret key",
        )


def _file(path: str | os.PathLike[str]) -> str:
    name = path if isinstance(path, str) else _said_path(path)
    if not isinstance(name, str) or not name or "\0" in name:
        if isinstance(name, str):
            raise InvalidArgument("the path is empty or contains a NUL byte", "give a file name")
        raise InvalidArgument(f"the path is {kind_of(name)}", "give a path as text")
    return name if _is_name(name) else text("path", name)


def _said_path(path: object) -> object:
    """Returns the path of a path-like object, else the object itself."""
    try:
        return os.fspath(path)  # type: ignore[call-overload]
    except TypeError:
        return path


def _is_name(text: str) -> bool:
    """Tells whether the text is a file name. File names may have bytes that are not UTF-8 (Python's surrogates)."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def _one_context(objects: dict[str, Any]) -> Context:
    contexts: dict[Context, Context] = {}
    promises: set[ranges.Interval] = set()
    for name, value in objects.items():
        if not text("a name", name) or "." in name or name.startswith("@") or name == "context":
            raise InvalidArgument(
                f"an object has the name {name!r}", "a name is not empty, has no dot or @, and is not 'context'"
            )
        if not isinstance(value, (EncryptedArray, Keys, PublicKeys)):
            raise InvalidArgument(f"{name} is {type(value).__name__}", "save arrays and key sets")
        found = value._session.keys.context if isinstance(value, EncryptedArray) else value.context
        context = cast(Context, found)  # the array's type is a protocol, not the class
        if context not in contexts or context._range is not None:  # equality ignores the range: keep one with it
            contexts[context] = context
        promises |= set() if context._range is None else {context._range}
    if len(promises) > 1:
        raise ParametersMismatch("the objects have contexts of different ranges", "save them in two files")
    if len(contexts) > 1:
        raise ParametersMismatch("the objects are of two contexts", "save them in two files")
    return contexts.popitem()[1]


def _encoded(name: str, value: Any) -> Parts:
    """Encodes all parts except a secret key."""
    if isinstance(value, EncryptedArray):
        record = record_of(value)
        record.ciphertexts = encoded_ciphertexts(value)
        return {name: core.encode_array(record)}
    if isinstance(value, Keys):
        marks = (mark for mark in value.ledger_mark() if mark.size)
        return _encoded(name, value.public) | {f"{name}.ledger": mark for mark in marks}
    scope = value.context._scope
    keys = zip(members.KEY_PARTS, (value._public, value._relinearization, value._galois), strict=True)
    return {f"{name}.{part}": core.encode_key(scope, key) for part, key in keys if key is not None}


def encoded_ciphertexts(array: EncryptedArray) -> list[NDArray[np.uint8]]:
    """Encodes each ciphertext as a file."""
    session = array._session
    context = session.on.context
    return list(session.each(lambda block: core.encode_ciphertext(context, block), array._packed.blocks))


def record_of(array: EncryptedArray) -> core.Array:
    """Encodes shape, table and interval, without the ciphertexts. Errors: InvalidArgument (too many axes for files)."""
    if array.ndim > _MOST_AXES:
        raise InvalidArgument(f"an array of {array.ndim} axes; files and pickles hold {_MOST_AXES}", "reshape it first")
    record, packed = core.Array(), array._packed
    record.shape = list(array.shape)
    record.rows, record.cols, record.stride = packed.layout.rows, packed.layout.cols, packed.layout.stride
    record.rest = _REST.index(Rest.CLAIMED if packed.rest is Rest.ZERO else packed.rest)
    record.interval = array._interval
    return record


def _range_record(promise: ranges.Interval) -> core.Array:
    """Encodes a context's range as an array without ciphertexts."""
    record = core.Array()
    record.shape, record.ciphertexts, record.interval = [], [], promise
    record.rows = record.cols = record.stride = 1
    record.rest = _REST.index(Rest.CLAIMED)
    return record


def array_of(record: core.Array, keys: PublicKeys, name: str, trust_bound: bool) -> EncryptedArray:
    """Returns a record's array under these keys, on their device."""
    context = keys.context
    session = keys.session(keys.device)
    layout = _layout(name, record, session)
    ready = session.on.context
    blocks = session.each(lambda data: core.decode_ciphertext(ready, data, trust_bound), record.ciphertexts)
    _require_interval(name, record.interval, context._range)
    if not trust_bound:
        _require_promised(name, record.interval, context._range)
    interval = ranges.untrusted(record.interval if trust_bound else context._range, context.plain_modulus)
    return EncryptedArray(session, tuple(record.shape), Packed(layout, tuple(blocks), _REST[record.rest]), interval)


def _layout(name: str, record: core.Array, session: Session) -> Layout:
    """Checks the claims of a file: its numbers must make a table that holds the shape in as many ciphertexts."""
    slots, size = session.on.slots, 1
    for length in record.shape:
        size *= length
    stride = record.stride
    if 0 < stride <= slots.lane and stride & (stride - 1) == 0 and 0 < size <= record.rows * record.cols:
        layout = Layout(slots, size, record.rows, record.cols, stride)
        if layout.blocks == len(record.ciphertexts) and (record.rest != 1 or record.rows == 1):
            return layout
    raise ParametersMismatch(f"the array {name!r} does not fit its ciphertexts", "the file is damaged")


def _require_interval(name: str, interval: ranges.Interval | None, promise: ranges.Interval | None) -> None:
    """Requires an interval if the context has a range. Errors: ParametersMismatch."""
    if interval is None and promise is not None:
        raise ParametersMismatch(
            f"the array {name!r} may hold any residue, but its context promises integers in "
            f"{promise[0]} .. {promise[1]}",
            "it was encrypted under keys whose range was removed: compare their fingerprints, and encrypt it again",
        )


def _require_promised(name: str, interval: ranges.Interval | None, promise: ranges.Interval | None) -> None:
    """Requires an untrusted interval to stay within the context's range. Errors: ParametersMismatch."""
    if promise is not None and interval is not None and (interval[0] < promise[0] or interval[1] > promise[1]):
        raise ParametersMismatch(
            f"the array {name!r} claims integers in {interval[0]} .. {interval[1]}, but its context promises "
            f"{promise[0]} .. {promise[1]}",
            "it was computed, or encrypted under keys with another range: compare fingerprints, or trust its bound",
        )


def _identity_of(name: str, parts: Parts) -> bytes:
    """Returns the identity of the secret key that all parts of a set belong to. Errors: ParametersMismatch."""
    held = (parts.get(f"{name}.{part}") for part in (*members.KEY_PARTS, "secret"))
    identities = {bytes(data[_IDENTITY]) for data in held if data is not None}
    if not identities:
        raise KeyMissing(f"the key set {name!r} has no public key", "save whole key sets")
    if len(identities) > 1:
        raise ParametersMismatch(
            f"the parts of the key set {name!r} belong to two secret keys", "somebody may have replaced a part"
        )
    return identities.pop()


def _one_set_each(owners: Iterable[str], parts: Parts) -> dict[bytes, str]:
    """Returns the names of the sets with a secret key, by the identity of the key. Errors: ParametersMismatch."""
    found: dict[bytes, str] = {}
    for name in owners:
        if found.setdefault(_identity_of(name, parts), name) != name:
            raise ParametersMismatch(f"the key set {name!r} has the secret key of another set", "keep one of the two")
    return found


def _require_same(name: str, parts: Parts, own: Parts, owner: str) -> None:
    """Requires public keys to equal, byte by byte, the keys of the set ``owner``. Errors: ParametersMismatch."""
    for part in members.KEY_PARTS:
        found, kept = parts.get(f"{name}.{part}"), own.get(f"{owner}.{part}")
        if found is not None and (kept is None or not np.array_equal(found, kept)):
            raise ParametersMismatch(
                f"the {part} key of the key set {name!r} does not belong to its secret key",
                "it was replaced or damaged: its ciphertexts may be readable by somebody else",
            )


def _require_own(parts: Parts, keys: Keys | PublicKeys, context: Context) -> None:
    """Requires key sets of a file that belong to the secret of ``keys`` to equal ``keys``, with the same numbers.

    Reads no secret. Errors: KeyMissing, ParametersMismatch.
    """
    public, names = keys.public if isinstance(keys, Keys) else keys, members.key_sets(parts)
    if not names or (public.is_empty and not isinstance(keys, Keys)):  # an unpickled array's keys are empty
        return
    if public._public is None:
        raise KeyMissing("these keys have no public key", "give the keys of keygen() or of a file")
    identity = bytes(core.encode_key(public.context._scope, public._public)[_IDENTITY])
    own: Parts = {}
    for name in names:
        if identity == _identity_of(name, parts):  # even if the file claims other parameters or another kind
            _require_same_numbers(name, context, public.context)
            own = own or _encoded("own", public)
            _require_same(name, parts, own, "own")


def _require_same_numbers(name: str, found: Context, own: Context) -> None:
    """Requires equal parameters, kinds and declared ranges. Errors: ParametersMismatch."""
    if found == own and found._range == own._range:
        return
    other = "other parameters, or another kind of numbers"
    if found == own:  # equality ignores the range
        other = f"another range of numbers ({_range_text(found._range)}; your keys: {_range_text(own._range)})"
    raise ParametersMismatch(
        f"the key set {name!r} belongs to your secret key, but with {other}",
        "give the context of your keys, or none; if you gave none, somebody changed the file: load your own key file",
    )


def _range_text(declared: ranges.Interval | None) -> str:
    return "none" if declared is None else f"{declared[0]} .. {declared[1]}"


class _Reader:
    def __init__(self, path: object, context: Context, passphrase: str, seals: members.Seals, trust: Trust) -> None:
        self.path = path
        self.context = context
        self.scope = context._scope
        self.passphrase = passphrase
        self.seals = seals
        self.trust_bound = flag("trust_bound", trust.get("trust_bound", True))
        self.most_strength = whole("most_strength", trust.get("most_strength", 1), 2**8)
        self.most_secrets = whole("most_secrets", trust.get("most_secrets", 1), 2**20)

    def key_sets(self, parts: Parts) -> dict[str, Keys | PublicKeys]:
        """Reads each set, and compares it with at most one secret key. Opens sealed keys last: this costs most."""
        names = members.key_sets(parts)
        owners = self._owners(names, parts)
        much = {name: self.seals.covered(name) for name in owners.values()}
        if self.passphrase == "" or Covered.ALL not in much.values():
            self._require_known(names, owners, parts)
        public = {name: self._public(name, parts) for name in names}
        secret = {name: self._keys(name, parts, public[name]) for name in owners.values()}
        if Covered.NOTHING in much.values():
            warn(
                f"{self.path} holds a secret key older than version 3, which covers no other member: somebody who can "
                "change the public keys, and see about 5 n loads succeed or fail, recovers the key; save it again",
                UserWarning,
            )
        return public | secret

    def _owners(self, names: list[str], parts: Parts) -> dict[bytes, str]:
        owners = _one_set_each((name for name in names if f"{name}.secret" in parts), parts)
        if self.passphrase and len(owners) > self.most_secrets:
            raise IoLimit(
                f"the passphrase must open {len(owners)} secret keys, but the limit is {self.most_secrets}",
                f"if you saved that many, give most_secrets={len(owners)}",
            )
        return owners

    def _require_known(self, names: list[str], owners: dict[bytes, str], parts: Parts) -> None:
        """Requires sets that belong to a secret key of the file to equal the set of this key. Reads no secret.

        With a passphrase, requires a secret key for each set.
        """
        for name in names:
            owner = owners.get(_identity_of(name, parts))
            if owner is not None and owner != name:
                _require_same(name, parts, parts, owner)
            elif owner is None and self.passphrase:
                raise Passphrase(
                    f"no sealed secret key covers the key set {name!r}",
                    "somebody may have put it there: load it without a passphrase, and compare its fingerprint",
                )

    def _public(self, name: str, parts: Parts) -> PublicKeys:
        if f"{name}.public" not in parts:
            raise KeyMissing(f"the key set {name!r} has no public key", "save whole key sets")
        _identity_of(name, parts)
        return PublicKeys(
            self.context,
            core.decode_public_key(self.scope, parts[f"{name}.public"]),
            self._optional(core.decode_relinearization_key, parts.get(f"{name}.relinearization")),
            self._optional(core.decode_galois_keys, parts.get(f"{name}.galois")),
        )

    def _keys(self, name: str, parts: Parts, public: PublicKeys) -> Keys:
        """Decodes the secret key, and checks the rows of the public keys with it."""
        sealed = parts[f"{name}.secret"]
        secret = core.decode_secret_key(self.scope, sealed, self.passphrase, self.most_strength)
        for key in (public._public, public._relinearization, public._galois):
            if key is not None:
                try:
                    plain.require_matching(secret, key)
                except ParametersMismatch:
                    raise members.foreign(name) from None
        keys = Keys(public, secret)
        if (mark := parts.get(f"{name}.ledger")) is not None:
            if not keys._releases:
                raise ReleaseRefused(f"{name!r} has a ledger, but its context has no release", "the file is damaged")
            keys.remember_ledger(mark)
        return keys

    def _optional(self, decode: Any, data: NDArray[np.uint8] | None) -> Any:
        return None if data is None else decode(self.scope, data)

    def array(self, name: str, data: NDArray[np.uint8], public: PublicKeys | None) -> EncryptedArray:
        if public is None:
            raise KeyMissing(
                f"the file has no keys for the array {name!r}", "give them: load(path, ctx, keys=keys.public)"
            )
        if public.context != self.context:
            raise ParametersMismatch("the keys are of another context", "load under the context of the keys")
        return array_of(core.decode_array(data), public, name, self.trust_bound)
