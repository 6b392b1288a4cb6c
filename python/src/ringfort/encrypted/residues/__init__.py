# SPDX-License-Identifier: Apache-2.0
"""Integers beyond one plaintext modulus: a residue number system. An object of a context with several moduli has one
part for each modulus, and every verb runs once for each part (docs/notes/0029-integers-beyond-one-modulus.md)."""

from .contexts import Scopes
from .keys import KeyGenerator, plan_keys
from .parameters import explained, moduli_of
from .stored import encoded_key

__all__ = ["KeyGenerator", "Scopes", "encoded_key", "explained", "moduli_of", "plan_keys"]
