# SPDX-License-Identifier: Apache-2.0
"""Computes the fingerprint of public keys, which people compare. The keys may be in memory or in a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["fingerprint_of"]


def fingerprint_of(kind: str, promise: tuple[int, int] | None, keys: Iterable[Sequence[NDArray[np.uint8]]]) -> str:
    """Returns the fingerprint.

    kind: the kind of the numbers, as in NumPy's dtype.kind. promise: their declared range. keys: the encoded public
    key, relinearization keys (for products) and Galois keys (for rotations), in this order. An encoded key is a list
    of files, one for each plaintext modulus; integers of a long range have several moduli (residues/parameters.py). The
    list is empty if the key does not exist.
    """
    digest = hashlib.blake2b(digest_size=16, person=b"ringfort public")
    digest.update((kind + ("" if promise is None else f" {promise[0]} {promise[1]}") + "\0").encode())
    for files in keys:
        for key in files or [np.empty(0, np.uint8)]:
            digest.update(key.size.to_bytes(8, "little"))
            digest.update(key.data)
    return digest.digest().hex(" ", 2)
