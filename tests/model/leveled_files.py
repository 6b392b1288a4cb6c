# SPDX-License-Identifier: Apache-2.0
"""A second reader of the files of CKKS, BFV and BGV, by docs/file-format.md. It imports nothing of the library.

It reads parameters, keys without a passphrase, ciphertexts with all their components, and containers. It also expands
seeds. It uses big integers.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from reference_random import uniform
from reference_ring import Prime

HEADER, TRAILER = 64, 32
PARAMETERS, SECRET_KEY, PUBLIC_KEY, RELINEARIZATION_KEY, GALOIS_KEYS, CIPHERTEXT, CONTAINER = 9, 10, 11, 12, 13, 14, 16
SEEDED, SEED_BYTES, REASON = 8, 32, 256
DIVIDED = 3  # the origin of encryptions under a public key that end with a division by a special prime

Polynomial = list[list[int]]  # [limb][evaluation]


def digest_of(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=32).digest()


def version_of(data: bytes) -> int:
    return int(struct.unpack_from("<H", data, 8)[0])


def fields_of(data: bytes, kind: int, scope: bytes | None = None) -> bytes:
    """Checks the type, the scope and the digest of a file, and returns the bytes between the header and the digest."""
    assert data[:8] == b"RINGFORT"
    (found,) = struct.unpack_from("<H", data, 10)
    (length,) = struct.unpack_from("<Q", data, 48)
    assert (found, length) == (kind, len(data) - HEADER - TRAILER)
    assert version_of(data) in ((2, 3) if kind in (PUBLIC_KEY, CIPHERTEXT) else (2,))
    assert scope is None or data[16:48] == scope
    assert digest_of(data[:-TRAILER]) == data[-TRAILER:]
    return data[HEADER:-TRAILER]


def is_seeded(data: bytes) -> bool:
    return bool(struct.unpack_from("<I", data, 12)[0] & SEEDED)


def unpacked(data: bytes, width: int, n: int) -> list[int]:
    bits = int.from_bytes(data, "little")
    return [bits >> i * width & ((1 << width) - 1) for i in range(n)]


@dataclass
class Parameters:
    scheme: str
    n: int
    limbs_per_level: int
    digit_limbs: int
    data: list[int]
    special: list[int]
    numbers: list[int]
    auxiliary: Sequence[int] | None  # BFV's auxiliary primes, which its file does not store; None if they are unknown

    @classmethod
    def read(cls, file: bytes, auxiliary: Sequence[int] | None = None) -> Parameters:
        data = fields_of(file, PARAMETERS)
        assert file[16:48] == digest_of(data[:-REASON])
        scheme = data[:8].rstrip(b"\0").decode()
        n, group, digit, many, special, numbers, *_ = struct.unpack_from("<9I", data, 8)
        words = list(struct.unpack_from(f"<{many + special + numbers}Q", data, 44))
        rows = words[:many], words[many : many + special], words[many + special :]
        return cls(scheme, n, group, digit, *rows, auxiliary if scheme == "bfv" else ())

    def scope(self) -> bytes | None:
        """Returns the scope: a digest of the parameters, which every object of these parameters has in its header."""
        if self.auxiliary is None:
            return None
        counts = self.n, len(self.auxiliary), len(self.special), len(self.data), self.limbs_per_level, self.digit_limbs
        words = [*self.auxiliary, *self.special, *self.data, *self.numbers]
        head = struct.pack("<16s8s6I", b"ringfort scope 1", self.scheme.encode(), *counts)
        return digest_of(head + struct.pack(f"<{len(words)}Q", *words))


def secret_of(file: bytes, p: Parameters) -> list[int]:
    data = fields_of(file, SECRET_KEY, p.scope())
    body = data[8 + 4 + 16 + 24 : -16]
    return [(body[i // 4] >> 2 * (i % 4) & 3) - 1 for i in range(p.n)]


def container_of(file: bytes) -> dict[str, bytes]:
    data = fields_of(file, CONTAINER, bytes(32))
    many, zero = struct.unpack_from("<II", data, 0)
    assert zero == 0
    at, found = 8 + many * 72, {}
    for i in range(many):
        name, length = struct.unpack_from("<64sQ", data, 8 + i * 72)
        found[name.rstrip(b"\0").decode()] = data[at : at + length]
        at += length
    assert at == len(data)
    assert len(found) == many
    return found


class Fields:
    """Reads the fields of one file in order. The file must have the scope of the parameters."""

    def __init__(self, file: bytes, kind: int, p: Parameters) -> None:
        self.data, self.p, self.at = fields_of(file, kind, p.scope()), p, 0

    def numbers(self, form: str) -> tuple[int, ...]:
        self.at += struct.calcsize("<" + form)
        return struct.unpack_from("<" + form, self.data, self.at - struct.calcsize("<" + form))

    def take(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]

    def polynomial(self, primes: list[int]) -> Polynomial:
        widths = [(q - 1).bit_length() for q in primes]
        return [unpacked(self.take((self.p.n * width + 7) // 8), width, self.p.n) for width in widths]

    def expanded(self, seed: bytes, primes: list[int], digit: int = 0) -> Polynomial:
        """Expands a seed. The address of the random values contains the number of the limb in the plan. The plan is the
        list of all primes: first the auxiliary, then the special, then the data primes."""
        assert self.p.auxiliary is not None
        limbs = [*self.p.auxiliary, *self.p.special, *self.p.data]
        return [uniform(seed, (0, limbs.index(q), digit), self.p.n, q) for q in primes]

    def switch_key(self) -> list[tuple[Polynomial, Polynomial]]:
        """Returns the pairs (b, a) of all digits, over special and data primes."""
        primes, seed = self.p.special + self.p.data, self.take(SEED_BYTES)
        digits = range(-(-len(self.p.data) // self.p.digit_limbs))
        return [(self.polynomial(primes), self.expanded(seed, primes, d)) for d in digits]

    def finish(self) -> None:
        assert self.at == len(self.data)


def primes_of_public_key(file: bytes, p: Parameters) -> list[int]:
    return p.data if version_of(file) == 2 else [p.special[-1], *p.data]


def public_key_of(file: bytes, p: Parameters) -> list[Polynomial]:
    fields, primes = Fields(file, PUBLIC_KEY, p), primes_of_public_key(file, p)
    fields.numbers("Q")
    seed = fields.take(SEED_BYTES)
    pair = [fields.polynomial(primes), fields.expanded(seed, primes)]
    fields.finish()
    return pair


def relinearization_key_of(file: bytes, p: Parameters) -> list[tuple[Polynomial, Polynomial]]:
    fields = Fields(file, RELINEARIZATION_KEY, p)
    fields.numbers("Q")
    rows = fields.switch_key()
    fields.finish()
    return rows


def galois_keys_of(file: bytes, p: Parameters) -> dict[int, list[tuple[Polynomial, Polynomial]]]:
    """Returns the keys, each under the exponent g of its automorphism x -> x^g."""
    fields = Fields(file, GALOIS_KEYS, p)
    _, steps, rotations, conjugation, zero = fields.numbers("Q4I")
    assert zero == 0
    elements = [pow(5, step, 2 * p.n) for step in fields.numbers(f"{steps}i")]
    fields.numbers(f"{rotations}i")
    keys = {g: fields.switch_key() for g in elements + [2 * p.n - 1] * conjugation}
    fields.finish()
    return keys


@dataclass
class Ciphertext:
    level: int
    numbers: tuple[int, ...]
    components: list[Polynomial]

    @classmethod
    def read(cls, file: bytes, p: Parameters) -> Ciphertext:
        fields = Fields(file, CIPHERTEXT, p)
        _, level, components, origin, zero, *numbers = fields.numbers("QIBBH3Q")
        assert zero == 0
        assert (origin == DIVIDED) == (version_of(file) == 3)
        primes = p.data[: (level + 1) * p.limbs_per_level]
        seed = fields.take(SEED_BYTES) if is_seeded(file) else None
        found = [fields.polynomial(primes) for _ in range(components if seed is None else 1)]
        if seed is not None:
            found.append(fields.expanded(seed, primes))
        fields.finish()
        return cls(level, tuple(numbers), found)


class Reader:
    """Decrypts files with the secret key. It returns the centred phase c0 + c1 s + c2 s^2."""

    def __init__(self, parameters: bytes, secret: bytes) -> None:
        self.p = Parameters.read(parameters)
        self.secret = secret_of(secret, self.p)
        self.primes = [Prime(q, self.p.n) for q in self.p.data]
        self.keys = [prime.evaluate(self.secret) for prime in self.primes]

    def phase(self, c: Ciphertext) -> tuple[list[int], int]:
        """Returns the coefficients of the phase in [-Q/2, Q/2), and the modulus Q."""
        primes = self.primes[: len(c.components[0])]
        residues = []
        for limb, (prime, key) in enumerate(zip(primes, self.keys, strict=False)):
            total = [0] * self.p.n
            for component in reversed(c.components):
                total = [(x * s + y) % prime.q for x, s, y in zip(total, key, component[limb], strict=True)]
            residues.append(prime.interpolate(total))
        whole = prod(prime.q for prime in primes)
        weights = [whole // prime.q * pow(whole // prime.q, -1, prime.q) for prime in primes]
        composed = [
            sum(w * x for w, x in zip(weights, column, strict=True)) % whole for column in zip(*residues, strict=True)
        ]
        return [x - whole if x > whole // 2 else x for x in composed], whole
