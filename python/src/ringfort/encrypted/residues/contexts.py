# SPDX-License-Identifier: Apache-2.0
"""Contexts with several plaintext moduli. Such a context consists of a C++ context for each plaintext modulus. All
these C++ contexts are on one device. They divide a limit on kept memory equally."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..._core import files
from ..._core.parameters import ChainParameters
from .numbers import Numbers
from .per_modulus import PerModulus, joined, per_modulus

__all__ = ["Scopes", "context_of"]


class _Contexts(PerModulus):
    """A C++ context for each plaintext modulus. All C++ contexts have the same chain of primes."""

    __slots__ = ("keys", "numbers")

    def __init__(self, contexts: Any) -> None:
        super().__init__(contexts)
        self.keys = _KeyContexts(each.keys for each in self.per_modulus)
        self.numbers = Numbers([each.plain_modulus for each in self.per_modulus])


class _KeyContexts(PerModulus):
    """The ``KeyContext`` of each C++ context: the part that does not depend on the scheme."""

    __slots__ = ()

    @property
    def chain(self) -> ChainParameters:
        chain: ChainParameters = self.per_modulus[0].chain
        return chain

    @property
    def device(self) -> str:
        return str(self.per_modulus[0].device)

    def profile(self, profile: Any) -> None:
        for each in self.per_modulus:
            each.profile(profile)

    def memory(self) -> Any:
        """Returns the fields of ``_core.DeviceMemory``. Each field is the sum over all moduli."""
        memories = [each.memory() for each in self.per_modulus]
        names = [name for name, value in vars(type(memories[0])).items() if isinstance(value, property)]
        return SimpleNamespace(**{name: sum(getattr(each, name) for each in memories) for name in names})

    def keep_at_most(self, size: int) -> None:
        for each in self.per_modulus:
            each.keep_at_most(size // len(self.per_modulus))

    def keep_copies(self, size: int) -> None:
        for each in self.per_modulus:
            each.keep_copies(size // len(self.per_modulus))

    def trim(self) -> None:
        for each in self.per_modulus:
            each.trim()


def context_of(make: Callable[[Any], Any], parameters: Any) -> Any:
    """Returns a context with these parameters. make: returns the C++ context for the parameters of one plaintext
    modulus."""
    return joined(_Contexts, map(make, per_modulus(parameters)))


class Scopes:
    """The scope of each plaintext modulus, and one digest of all scopes. A scope contains the digest of the parameters
    for one plaintext modulus. Files contain these digests. Contexts of the same dtype with equal digests are equal."""

    def __init__(self, context: Any) -> None:
        self.per_modulus: tuple[files.Scope, ...] = tuple(map(files.scope, per_modulus(context)))
        digests = [scope.digest for scope in self.per_modulus]
        self.digest = digests[0] if len(digests) == 1 else hashlib.blake2b(b"".join(digests), digest_size=32).digest()
