# SPDX-License-Identifier: Apache-2.0
# Written by tools/gen_stubs; do not edit, run the tool again.
"""
Files of the leveled schemes; the public API is ringfort.save and ringfort.load.
"""

from collections.abc import Sequence
import os
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray

import ringfort._core.bfv
import ringfort._core.bgv
import ringfort._core.ckks
import ringfort._core.keys
import ringfort._core.parameters


class Scope:
    """
    The parameters of the objects in a file, and the digest of these parameters.
    """

    @property
    def digest(self) -> bytes: ...

@overload
def scope(context: ringfort._core.ckks.Context) -> Scope: ...

@overload
def scope(context: ringfort._core.bfv.Context) -> Scope: ...

@overload
def scope(context: ringfort._core.bgv.Context) -> Scope: ...

@overload
def encode_ciphertext(context: ringfort._core.ckks.Context, ciphertext: ringfort._core.ckks.Ciphertext) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

@overload
def encode_ciphertext(context: ringfort._core.bfv.Context, ciphertext: ringfort._core.bfv.Ciphertext) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

@overload
def encode_ciphertext(context: ringfort._core.bgv.Context, ciphertext: ringfort._core.bgv.Ciphertext) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

@overload
def decode_ciphertext(context: ringfort._core.ckks.Context, data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], trust_bound: bool) -> ringfort._core.ckks.Ciphertext: ...

@overload
def decode_ciphertext(context: ringfort._core.bfv.Context, data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], trust_bound: bool) -> ringfort._core.bfv.Ciphertext: ...

@overload
def decode_ciphertext(context: ringfort._core.bgv.Context, data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], trust_bound: bool) -> ringfort._core.bgv.Ciphertext: ...

@overload
def encode_key(scope: Scope, key: ringfort._core.keys.PublicKey) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

@overload
def encode_key(scope: Scope, key: ringfort._core.keys.RelinearizationKey) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

@overload
def encode_key(scope: Scope, key: ringfort._core.keys.GaloisKeys) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

def decode_public_key(scope: Scope, data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ringfort._core.keys.PublicKey: ...

def decode_relinearization_key(scope: Scope, data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ringfort._core.keys.RelinearizationKey: ...

def decode_galois_keys(scope: Scope, data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ringfort._core.keys.GaloisKeys: ...

def encode_secret_key(scope: Scope, key: ringfort._core.keys.SecretKey, passphrase: str, strength: int, beside: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]] = []) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

def require_beside(secret: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], beside: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> bool: ...

def is_secret(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bool: ...

def decode_secret_key(scope: Scope, data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], passphrase: str, most_strength: int = 1) -> ringfort._core.keys.SecretKey: ...

def encode_parameters(scope: Scope) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

def decode_parameters(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], allow_insecure: bool, most_degree: int, most_primes: int) -> ringfort._core.parameters.CkksParameters | ringfort._core.parameters.BfvParameters | ringfort._core.parameters.BgvParameters: ...

class Array:
    """
    An encrypted array as it is stored: its shape, its layout in slots, and the bytes of its ciphertexts.
    """

    def __init__(self) -> None: ...

    @property
    def shape(self) -> list[int]: ...

    @shape.setter
    def shape(self, arg: Sequence[int], /) -> None: ...

    @property
    def rows(self) -> int: ...

    @rows.setter
    def rows(self, arg: int, /) -> None: ...

    @property
    def cols(self) -> int: ...

    @cols.setter
    def cols(self, arg: int, /) -> None: ...

    @property
    def stride(self) -> int: ...

    @stride.setter
    def stride(self, arg: int, /) -> None: ...

    @property
    def unused_slots(self) -> int: ...

    @unused_slots.setter
    def unused_slots(self, arg: int, /) -> None: ...

    @property
    def interval(self) -> tuple[int, int] | None: ...

    @interval.setter
    def interval(self, interval: tuple[int, int] | None) -> None: ...

    @property
    def domain(self) -> tuple[float, float] | None: ...

    @domain.setter
    def domain(self, domain: tuple[float, float] | None) -> None: ...

    @property
    def ciphertexts(self) -> list[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]: ...

    @ciphertexts.setter
    def ciphertexts(self, arg: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]], /) -> None: ...

def encode_array(array: Array) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

def decode_array(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Array: ...

class ReleaseLedger:
    """Counts decryptions for others, in a file beside the secret key."""

    @staticmethod
    def create(path: str | os.PathLike[str], context: ringfort._core.ckks.Context, key: ringfort._core.keys.SecretKey) -> ReleaseLedger: ...

    @staticmethod
    def open(path: str | os.PathLike[str], context: ringfort._core.ckks.Context, key: ringfort._core.keys.SecretKey) -> ReleaseLedger: ...

    @staticmethod
    def mark(context: ringfort._core.ckks.Context, key: ringfort._core.keys.SecretKey) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

    @staticmethod
    def remember(context: ringfort._core.ckks.Context, key: ringfort._core.keys.SecretKey, mark: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def planned(self) -> int: ...

    @property
    def taken(self) -> int: ...

def decrypt_for_others(context: ringfort._core.ckks.Context, key: ringfort._core.keys.SecretKey, ciphertexts: Sequence[ringfort._core.ckks.Ciphertext], release: ringfort._core.parameters.Release, ledger: ReleaseLedger, out: Annotated[NDArray[numpy.complex128], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

def save(path: str | os.PathLike[str], objects: Sequence[tuple[str, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]]) -> int: ...

def load(path: str | os.PathLike[str], limit_bytes: int) -> list[tuple[str, Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]]]: ...

def pack(objects: Sequence[tuple[str, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

def unpack(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[tuple[str, Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]]]: ...

def inspect(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[tuple[str, str]]:
    """
    Returns the name and value of every public field of a file. data: the bytes of the file.
    """
