# SPDX-License-Identifier: Apache-2.0
"""Ciphertexts of integers modulo a product of primes, the *plaintext moduli*. Such a ciphertext consists of a
ciphertext of the C++ library for each plaintext modulus.

``ResidueVerbs`` has the operations on integers that packing/arithmetic.py declares. It runs an operation once for each
plaintext modulus. If the operation fails for one modulus, there is no result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..packing.arithmetic import Vector
from .per_modulus import PerModulus, joined, per_modulus

__all__ = ["ResidueCiphertext", "ResidueCiphertexts", "ResidueVerbs", "ciphertexts_of"]


class ResidueCiphertext(PerModulus):
    """A ciphertext for each plaintext modulus. The level and the noise budget are the smallest among these ciphertexts.
    The number of bytes is the sum over these ciphertexts."""

    __slots__ = ()

    @property
    def level(self) -> int:
        return min(each.level for each in self.per_modulus)

    @property
    def budget_bits(self) -> float:
        return min(each.budget_bits for each in self.per_modulus)

    @property
    def key_id(self) -> int:
        return int(self.per_modulus[0].key_id)

    @property
    def bound_is_untrusted(self) -> bool:
        return any(each.bound_is_untrusted for each in self.per_modulus)

    @property
    def bytes(self) -> int:
        return sum(each.bytes for each in self.per_modulus)


class ResidueVerbs:
    """The operations on ``ResidueCiphertext``. objects: for each plaintext modulus, the object of the C++ library that
    has the operations on single ciphertexts."""

    def __init__(self, objects: Sequence[Any], moduli: Sequence[int]) -> None:
        self._objects = tuple(objects)
        self._moduli = tuple(moduli)
        self.wants_batches: bool = self._objects[0].wants_batches

    def _each(self, verb: Callable[..., Any], *operands: ResidueCiphertext) -> ResidueCiphertext:
        """Calls ``verb`` for each plaintext modulus. The arguments of ``verb`` are the library's object and the
        operands' ciphertexts for this modulus."""
        calls = zip(self._objects, *(operand.per_modulus for operand in operands), strict=True)
        return ResidueCiphertext(verb(*call) for call in calls)

    def _each_batch(
        self, verb: Callable[..., list[Any]], *batches: Sequence[ResidueCiphertext]
    ) -> list[ResidueCiphertext]:
        results = [
            verb(on, *([ciphertext.per_modulus[index] for ciphertext in batch] for batch in batches))
            for index, on in enumerate(self._objects)
        ]
        return [ResidueCiphertext(each) for each in zip(*results, strict=True)]

    def add(self, a: ResidueCiphertext, b: ResidueCiphertext) -> ResidueCiphertext:
        return self._each(lambda on, x, y: on.add(x, y), a, b)

    def add_apart(self, a: ResidueCiphertext, b: ResidueCiphertext) -> ResidueCiphertext:
        return self._each(lambda on, x, y: on.add_apart(x, y), a, b)

    def subtract(self, a: ResidueCiphertext, b: ResidueCiphertext) -> ResidueCiphertext:
        return self._each(lambda on, x, y: on.subtract(x, y), a, b)

    def negate(self, a: ResidueCiphertext) -> ResidueCiphertext:
        return self._each(lambda on, x: on.negate(x), a)

    def multiply(self, a: ResidueCiphertext, b: ResidueCiphertext) -> ResidueCiphertext:
        return self._each(lambda on, x, y: on.multiply(x, y), a, b)

    def multiply_each(self, a: Sequence[ResidueCiphertext], b: Sequence[ResidueCiphertext]) -> list[ResidueCiphertext]:
        return self._each_batch(lambda on, x, y: on.multiply_each(x, y), a, b)

    def power(self, a: ResidueCiphertext, exponent: int) -> ResidueCiphertext:
        return self._each(lambda on, x: on.power(x, exponent), a)

    def power_each(self, a: Sequence[ResidueCiphertext], exponent: int) -> list[ResidueCiphertext]:
        return self._each_batch(lambda on, x: on.power_each(x, exponent), a)

    def add_plain(self, a: ResidueCiphertext, values: Vector) -> ResidueCiphertext:
        return self._each_plain(lambda on, x, residues: on.add_plain(x, residues), a, values)

    def multiply_plain(self, a: ResidueCiphertext, values: Vector) -> ResidueCiphertext:
        return self._each_plain(lambda on, x, residues: on.multiply_plain(x, residues), a, values)

    def inner_product_plain(self, a: Sequence[ResidueCiphertext], values: Sequence[Vector]) -> ResidueCiphertext:
        return ResidueCiphertext(
            on.inner_product_plain([each.per_modulus[index] for each in a], [_residues(each, t) for each in values])
            for index, (on, t) in enumerate(zip(self._objects, self._moduli, strict=True))
        )

    masked_sum = inner_product_plain

    def multiply_number(self, a: ResidueCiphertext, value: int) -> ResidueCiphertext:
        triples = zip(self._objects, a.per_modulus, self._moduli, strict=True)
        return ResidueCiphertext(on.multiply_number(x, value % t) for on, x, t in triples)

    def _each_plain(self, verb: Callable[..., Any], a: ResidueCiphertext, values: Vector) -> ResidueCiphertext:
        triples = zip(self._objects, a.per_modulus, self._moduli, strict=True)
        return ResidueCiphertext(verb(on, x, _residues(values, t)) for on, x, t in triples)

    def rotate(self, a: ResidueCiphertext, step: int) -> ResidueCiphertext:
        return self._each(lambda on, x: on.rotate(x, step), a)

    def rotate_each(self, a: Sequence[ResidueCiphertext], step: int) -> list[ResidueCiphertext]:
        return self._each_batch(lambda on, x: on.rotate_each(x, step), a)

    def swap_rows(self, a: ResidueCiphertext) -> ResidueCiphertext:
        return self._each(lambda on, x: on.swap_rows(x), a)


def _residues(values: Vector, t: int) -> Vector:
    """Reduces an array of objects modulo t, because its integers may exceed int64. Returns an array of int64 unchanged,
    because the C++ library reduces it."""
    return values if values.dtype.kind != "O" else np.ascontiguousarray((values % t).astype(np.int64))


class ResidueCiphertexts:
    """Encryption, decryption and noise budgets, with the interface of ``IntegerCiphertexts`` (context/integers.py).
    objects: an object of that class for each plaintext modulus."""

    exact = True
    wide = True
    dtype = np.dtype(np.int64)

    def __init__(self, context: Any, objects: Sequence[Any]) -> None:
        self.context = context
        self.slots = objects[0].slots
        self.modulus: int = context.numbers.product
        self.depth: int = min(each.depth for each in objects)
        self.rotates_sources: bool = objects[0].rotates_sources
        self.verbs = ResidueVerbs([each.verbs for each in objects], context.numbers.moduli)
        self._objects = tuple(objects)

    def _smallest(self, fact: Callable[[Any, Any], Any], a: ResidueCiphertext) -> Any:
        return min(fact(on, ciphertext) for on, ciphertext in zip(self._objects, a.per_modulus, strict=True))

    def residues(self, values: Vector) -> NDArray[np.object_]:
        """Reduces integers of any size modulo the product of the plaintext moduli."""
        return self.context.numbers.centred(values)

    def encrypt(self, key: Any, values: Vector) -> ResidueCiphertext:
        pairs = zip(self._objects, key.per_modulus, strict=True)
        return ResidueCiphertext(on.encrypt(public, values) for on, public in pairs)

    def decrypt(self, key: Any, a: ResidueCiphertext) -> NDArray[np.object_]:
        triples = zip(self._objects, key.per_modulus, a.per_modulus, strict=True)
        return self.context.numbers.recombined([on.decrypt(secret, ciphertext) for on, secret, ciphertext in triples])

    decrypt_raw = decrypt

    def depth_left(self, a: ResidueCiphertext) -> int:
        return int(self._smallest(lambda on, ciphertext: on.depth_left(ciphertext), a))

    def budget(self, a: ResidueCiphertext) -> float:
        """Returns the smallest noise budget of all moduli, in bits. A dry run starts from this budget, and subtracts
        the bits that operations use."""
        return float(self._smallest(lambda on, ciphertext: on.budget(ciphertext), a))

    def measured_budget(self, key: Any, a: ResidueCiphertext) -> float:
        """Returns the smallest noise budget of all moduli, in bits, measured with the secret key. The number is a
        secret."""
        triples = zip(self._objects, key.per_modulus, a.per_modulus, strict=True)
        return min(on.measured_budget(secret, ciphertext) for on, secret, ciphertext in triples)

    @property
    def budget_of_product(self) -> float:
        return min(on.budget_of_product for on in self._objects)

    def budget_of_plain(self, values: Vector) -> float:
        return min(on.budget_of_plain(values) for on in self._objects)

    def is_free(self, value: complex) -> bool:
        """Tells whether a product with the number consumes no level."""
        return True

    def precision_bits(self, a: ResidueCiphertext) -> float:
        return float("inf")

    raw_precision_bits = precision_bits

    def nbytes(self, a: ResidueCiphertext) -> int:
        return a.bytes

    def to(self, a: ResidueCiphertext, target: ResidueCiphertexts) -> ResidueCiphertext:
        pairs = zip(a.per_modulus, target.context.per_modulus, strict=True)
        return ResidueCiphertext(each.to(context) for each, context in pairs)


def ciphertexts_of(context: Any, make: Callable[..., Any], facts: Any, relinearization: Any, galois: Any) -> Any:
    """Returns the object that encrypts, decrypts and computes in a context. make: makes this object for one plaintext
    modulus, from the context, the facts and the keys for this modulus."""
    contexts = per_modulus(context)

    def keys(key: Any) -> Iterable[Any]:
        return [None] * len(contexts) if key is None else per_modulus(key)

    objects = map(make, contexts, per_modulus(facts), keys(relinearization), keys(galois))
    return joined(lambda found: ResidueCiphertexts(context, tuple(found)), objects)
