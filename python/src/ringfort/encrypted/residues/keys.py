# SPDX-License-Identifier: Apache-2.0
"""Keys for several plaintext moduli. There is one secret key. Each plaintext modulus has its own public key,
relinearization key (for products) and Galois keys (for rotations).

In BGV the error of a key is a multiple of the plaintext modulus t. Therefore two moduli cannot share such a key. The
keys for further moduli are as secure as further keys of the same secret key s. A key contains samples a s + t e modulo
the product of its primes: ``a`` is random and public, and e is an error. t is invertible modulo this product. Therefore
a s + t e = t ((a / t) s + e). Here (a / t) s + e is an ordinary sample: a / t is as random as ``a``, and the error e
has no factor t. Anyone can multiply or divide by t. Therefore a s + t e and the ordinary sample tell equally much about
s. The errors of all samples are independent. In BFV, keys do not depend on t. But each modulus has its own keys, as in
BGV.

The functions here also accept contexts and keys with one plaintext modulus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..._core import keys as core
from ...errors import InvalidArgument
from .per_modulus import PerModulus, joined, per_modulus

__all__ = ["KeyGenerator", "KeyPlan", "ResidueKey", "plan_keys", "require_matching", "secret_of"]

Told = Callable[[int, int], object]


class ResidueKey(PerModulus):
    """A key for each plaintext modulus. All keys have one kind: secret, public, relinearization or Galois keys."""

    __slots__ = ()

    @property
    def key_id(self) -> int:
        return int(self.per_modulus[0].key_id)

    @property
    def device(self) -> str:
        return str(self.per_modulus[0].device)

    @property
    def plan(self) -> KeyPlan:
        return KeyPlan(tuple(each.plan for each in self.per_modulus))

    def to(self, target: Any) -> ResidueKey:
        return ResidueKey(key.to(on) for key, on in zip(self.per_modulus, target.per_modulus, strict=True))

    def joined(self, more: ResidueKey) -> ResidueKey:
        return ResidueKey(key.joined(other) for key, other in zip(self.per_modulus, more.per_modulus, strict=True))


@dataclass(frozen=True)
class KeyPlan:
    """Plans of keys, one for each plaintext modulus. All plans are equal. The properties are those of
    ``_core.keys.KeyPlan``. A number of bytes is the sum over all moduli."""

    of_moduli: tuple[core.KeyPlan, ...]

    @property
    def steps(self) -> list[int]:
        return self.of_moduli[0].steps

    @property
    def conjugation(self) -> bool:
        return self.of_moduli[0].conjugation

    @property
    def paths(self) -> list[core.RotationPath]:
        return self.of_moduli[0].paths

    @property
    def bytes_per_key(self) -> int:
        return sum(plan.bytes_per_key for plan in self.of_moduli)

    @property
    def galois_bytes(self) -> int:
        return sum(plan.galois_bytes for plan in self.of_moduli)

    @property
    def relinearization_bytes(self) -> int:
        return sum(plan.relinearization_bytes for plan in self.of_moduli)

    def __repr__(self) -> str:
        return f"{self.of_moduli[0]!r} for each of {len(self.of_moduli)} plaintext moduli"


def plan_keys(on: Any, steps: list[int], swap: bool, max_bytes: int) -> Any:
    """Plans the same rotation keys for each plaintext modulus. max_bytes: the largest size of the rotation keys of all
    moduli together. 0 means no limit. Errors: InvalidArgument."""
    contexts = per_modulus(on)
    if len(contexts) == 1:
        return core.plan_keys(contexts[0], steps, swap, max_bytes)
    each_bytes = max(1, max_bytes // len(contexts)) if max_bytes else 0  # 0: no limit
    try:
        return KeyPlan(tuple(core.plan_keys(context, steps, swap, each_bytes) for context in contexts))
    except InvalidArgument as error:
        each = f"for each of {len(contexts)} plaintext moduli, {error.problem}"
        raise InvalidArgument(each, f"for each modulus, {error.fix}; max_bytes is the sum over the moduli") from None


def secret_of(first: core.SecretKey, on: Any) -> Any:
    """Returns the secret key for all plaintext moduli. first: the secret key for the first modulus."""
    others = [first.for_modulus_of(context) for context in per_modulus(on)[1:]]
    return joined(ResidueKey, [first, *others])


def require_matching(secret: Any, key: Any) -> None:
    """Checks that a public or evaluation key was made from the secret key. Errors: ParametersMismatch."""
    for of_secret, of_key in zip(per_modulus(secret), per_modulus(key), strict=True):
        core.require_matching(of_secret, of_key)


class KeyGenerator:
    """Makes keys. secret: the secret key. None means a fresh secret key. A ``ResidueKey`` has a key for each
    plaintext modulus."""

    def __init__(self, on: Any, secret: Any = None) -> None:
        contexts = per_modulus(on)
        if secret is None:
            secret = secret_of(core.KeyGenerator(contexts[0]).secret_key(), on)
        self._secret = secret
        pairs = zip(contexts, per_modulus(secret), strict=True)
        self._generators = [core.KeyGenerator(context, key) for context, key in pairs]

    def secret_key(self) -> Any:
        return self._secret

    def create_public_key(self) -> Any:
        return joined(ResidueKey, (each.create_public_key() for each in self._generators))

    def create_relinearization_key(self) -> Any:
        return joined(ResidueKey, (each.create_relinearization_key() for each in self._generators))

    def create_galois_keys(self, plan: Any, told: Told | None) -> Any:
        """Makes rotation keys. told: a function that is called with the number of finished keys and the number of all
        keys. Both numbers count the keys of all moduli."""
        plans = getattr(plan, "of_moduli", (plan,))
        return joined(ResidueKey, self._each_galois_keys(plans, told))

    def _each_galois_keys(self, plans: tuple[core.KeyPlan, ...], told: Told | None) -> Iterable[core.GaloisKeys]:
        for index, (generator, plan) in enumerate(zip(self._generators, plans, strict=True)):
            yield generator.create_galois_keys(plan, None if told is None else _counted(told, index, len(plans)))


def _counted(told: Told, index: int, moduli: int) -> Told:
    """Returns a function that gets the progress of one modulus, and calls ``told`` with the progress over all moduli.

    index: the index of the modulus, from 0. moduli: how many moduli there are."""
    return lambda done, total: told(index * total + done, moduli * total)
