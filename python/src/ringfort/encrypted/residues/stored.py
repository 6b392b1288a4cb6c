# SPDX-License-Identifier: Apache-2.0
"""Encodes and decodes keys as files. A key has a file for each plaintext modulus (parameters.py). ``Scopes``
(contexts.py) has the digests of the parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core import files as core
from ...errors import ParametersMismatch
from .contexts import Scopes
from .keys import ResidueKey
from .per_modulus import joined, per_modulus

__all__ = ["decoded_key", "encoded_key"]

File = NDArray[np.uint8]
_IDENTITY = slice(64, 72)  # the bytes of a key's file, after its header, that name the secret key


def encoded_key(scopes: Scopes, key: Any) -> list[File]:
    """Returns the files of a public key, a relinearization key or Galois keys. Returns an empty list if ``key`` is
    None."""
    keys = () if key is None else per_modulus(key)
    return [core.encode_key(scope, each) for scope, each in zip(scopes.per_modulus, keys, strict=False)]


def decoded_key(decode: Callable[[core.Scope, File], Any], scopes: Scopes, data: Sequence[File]) -> Any:
    """Returns the key that the files contain. Returns None if there are no files. Errors: ParametersMismatch (the
    number of files is not the number of moduli, or the files belong to two secret keys), the Io errors."""
    if not data:
        return None
    if len(data) != len(scopes.per_modulus):
        raise ParametersMismatch(
            f"a key is for {len(data)} plaintext moduli, but its context has {len(scopes.per_modulus)}",
            "the file is damaged",
        )
    if len({bytes(file[_IDENTITY]) for file in data}) > 1:
        raise ParametersMismatch("the parts of a key belong to two secret keys", "somebody may have replaced a part")
    return joined(ResidueKey, [decode(scope, file) for scope, file in zip(scopes.per_modulus, data, strict=True)])
