# SPDX-License-Identifier: Apache-2.0
"""Arrays of encrypted numbers: ``Context`` makes keys and arrays, ``EncryptedArray`` computes."""

from __future__ import annotations

from .array import EncryptedArray
from .context import Context, Explanation
from .files import load, save
from .keys import Keys, PublicKeys
from .options import Options, Primes, Release
from .shadow import debug

__all__ = [
    "Context",
    "EncryptedArray",
    "Explanation",
    "Keys",
    "Options",
    "Primes",
    "PublicKeys",
    "Release",
    "debug",
    "load",
    "save",
]
