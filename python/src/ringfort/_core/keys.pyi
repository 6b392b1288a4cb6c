# SPDX-License-Identifier: Apache-2.0
# Written by tools/gen_stubs; do not edit, run the tool again.
"""Keys of the leveled schemes; the public API is ringfort.Context."""

from collections.abc import Sequence
from typing import overload

import ringfort._core
import ringfort._core.parameters


class KeyContext:
    """
    The part of a context that all schemes share: ring and primes, on a device.
    """

    @property
    def chain(self) -> ringfort._core.parameters.ChainParameters: ...

    def profile(self, profile: ringfort._core.Profile | None) -> None: ...

    def memory(self) -> ringfort._core.DeviceMemory: ...

    def keep_at_most(self, bytes: int) -> None: ...

    def trim(self) -> None: ...

    def keep_copies(self, bytes: int) -> None: ...

    @property
    def device(self) -> str: ...

    @property
    def top_level(self) -> int: ...

    @property
    def wants_batches(self) -> bool: ...

class RotationPath:
    """A requested rotation, as a sequence of rotations that have keys."""

    @property
    def step(self) -> int: ...

    @property
    def keys(self) -> list[int]: ...

class KeyPlan:
    """The keys that a set of rotations needs, and the memory of these keys."""

    @property
    def steps(self) -> list[int]: ...

    @property
    def conjugation(self) -> bool: ...

    @property
    def paths(self) -> list[RotationPath]: ...

    @property
    def bytes_per_key(self) -> int: ...

    @property
    def galois_bytes(self) -> int: ...

    @property
    def relinearization_bytes(self) -> int: ...

    def __repr__(self) -> str: ...

def plan_keys(context: KeyContext, rotations: Sequence[int], conjugation: bool, max_bytes: int) -> KeyPlan: ...

class SecretKey:
    """The key that decrypts."""

    def to(self, target: KeyContext) -> SecretKey: ...

    @property
    def device(self) -> str: ...

    def for_modulus_of(self, target: KeyContext) -> SecretKey: ...

class PublicKey:
    """A key that encrypts."""

    def to(self, target: KeyContext) -> PublicKey: ...

    @property
    def device(self) -> str: ...

    @property
    def key_id(self) -> int: ...

class RelinearizationKey:
    """The key that products of ciphertexts need."""

    def to(self, target: KeyContext) -> RelinearizationKey: ...

    @property
    def device(self) -> str: ...

class GaloisKeys:
    """The keys that rotations, conjugate and swap_rows need."""

    def to(self, target: KeyContext) -> GaloisKeys: ...

    @property
    def device(self) -> str: ...

    def joined(self, more: GaloisKeys) -> GaloisKeys: ...

    @property
    def plan(self) -> KeyPlan: ...

def same_identity(secret: SecretKey, key: PublicKey) -> bool: ...

@overload
def require_matching(secret: SecretKey, key: PublicKey) -> None: ...

@overload
def require_matching(secret: SecretKey, key: RelinearizationKey) -> None: ...

@overload
def require_matching(secret: SecretKey, keys: GaloisKeys) -> None: ...

class KeyGenerator:
    """Makes keys for a secret key: for ``secret``, or else for a fresh one."""

    @overload
    def __init__(self, context: KeyContext) -> None: ...

    @overload
    def __init__(self, context: KeyContext, secret: SecretKey) -> None: ...

    def secret_key(self) -> SecretKey: ...

    def create_public_key(self) -> PublicKey: ...

    def create_relinearization_key(self) -> RelinearizationKey: ...

    def create_galois_keys(self, plan: KeyPlan, progress: object | None) -> GaloisKeys: ...
