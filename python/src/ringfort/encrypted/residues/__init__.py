# SPDX-License-Identifier: Apache-2.0
"""Integers that exceed one plaintext modulus. They are represented by their residues modulo several primes, the
plaintext moduli. An array, a key or a context has a part for each plaintext modulus. An operation on arrays runs once
for each part (docs/notes/0029-integers-beyond-one-modulus.md)."""

from .contexts import Scopes
from .keys import KeyGenerator, plan_keys
from .parameters import explained, moduli_of
from .stored import encoded_key

__all__ = ["KeyGenerator", "Scopes", "encoded_key", "explained", "moduli_of", "plan_keys"]
