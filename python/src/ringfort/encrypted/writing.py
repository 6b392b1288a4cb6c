# SPDX-License-Identifier: Apache-2.0
"""Makes the members of a file (members.py) for ``ringfort.save`` and ``ringfort.dumps``."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from .._core import files as core
from ..errors import InvalidArgument, ParametersMismatch
from ..values import require_seal, text, whole
from . import members
from .array import ranges
from .array.array import EncryptedArray
from .context.context import Context, Keys, PublicKeys
from .members import Container
from .reading import differing_key, identity_of, one_set_each
from .records import encoded, range_records, require_interval
from .residues.per_modulus import per_modulus

__all__ = ["container_of"]


def container_of(
    objects: dict[str, Any], passphrase: str | None, strength: int, unsealed: bool, associated: bytes
) -> Container:
    """Returns the members. Makes the secret keys last, because a secret key contains a digest of the other members.
    Errors: those of ``save``."""
    if not objects:
        raise InvalidArgument("there is nothing to save", "give objects with names: save(path, x=x, keys=keys.public)")
    context = _one_context(objects)
    secret = next((name for name, value in objects.items() if isinstance(value, Keys)), "")
    require_seal(secret, f"{secret}.public", passphrase, unsealed)
    scopes = context._scopes.per_modulus
    kind = f"@{context.dtype.kind}"
    container = {members.numbered(kind, index): core.encode_parameters(scope) for index, scope in enumerate(scopes)}
    for index, record in enumerate(range_records(context)):
        container[members.numbered(members.RANGE, index)] = core.encode_array(record)
    for name, value in objects.items():
        if isinstance(value, EncryptedArray):
            require_interval(name, value._interval, context._range)
        container |= encoded(name, value)
    owners = {name: value for name, value in objects.items() if isinstance(value, Keys)}
    secrets = one_set_each(owners, container)
    if passphrase is None:  # a passphrase authenticates all public keys, so load accepts those that differ
        _require_same_keys(secrets, container)
    with_secrets = container | {
        f"{name}.secret": np.empty(0, np.uint8) for name in owners
    }  # the digest includes the name of a secret key, but not its bytes
    members.require_storable(with_secrets)
    seals, strength = members.Seals(with_secrets, associated), whole("strength", strength, 2**8)
    for name, owner in owners.items():
        container[f"{name}.secret"] = core.encode_secret_key(
            owner.context._scopes.per_modulus[0],
            per_modulus(owner._secret)[0],
            passphrase or "",
            strength,
            seals.of(name),
        )
    return container


def _require_same_keys(owners: dict[bytes, str], container: Container) -> None:
    """Requires that public keys of a secret key in the file equal the public keys in the key set of the secret key.
    Otherwise ``load`` refuses the file. owners: the name of the key set of each secret key, by the identity of the
    secret key. Errors: ParametersMismatch."""
    for name in members.key_sets(container):
        owner = owners.get(identity_of(name, container), name)
        if kind := differing_key(name, container, container, owner):
            raise ParametersMismatch(
                f"{name} belongs to the secret key of {owner}, but has another {kind} key",
                "save the set that extend returned and its own public part, use two files, or give passphrase=...",
            )


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
        context = cast(Context, found)  # for type checkers: the static type is a protocol, not this class
        # Prefers a context with a range. Two contexts are equal even if their ranges differ.
        if context not in contexts or context._range is not None:
            contexts[context] = context
        promises |= set() if context._range is None else {context._range}
    if len(promises) > 1:
        raise ParametersMismatch("the objects have contexts of different ranges", "save them in two files")
    if len(contexts) > 1:
        raise ParametersMismatch("the objects are of two contexts", "save them in two files")
    return contexts.popitem()[1]
