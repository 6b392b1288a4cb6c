# SPDX-License-Identifier: Apache-2.0
"""A second reader of leveled files, written from docs/file-format.md: parameters, secret keys without a passphrase, and
ciphertexts with all their parts. Big integers; nothing of the library is imported."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from math import prod

from reference_ring import Prime

HEADER, TRAILER = 64, 32
PARAMETERS, SECRET_KEY, CIPHERTEXT = 9, 10, 14
SEEDED = 8


def fields_of(data: bytes, kind: int) -> bytes:
    """What stands between a header of this type and the digest of everything before."""
    assert data[:8] == b"RINGFORT"
    version, found, flags = struct.unpack_from("<HHI", data, 8)
    (length,) = struct.unpack_from("<Q", data, 48)
    assert (version, found, length) == (2, kind, len(data) - HEADER - TRAILER)
    assert not flags & SEEDED, "a seed is expanded elsewhere"
    assert hashlib.blake2b(data[:-TRAILER], digest_size=32).digest() == data[-TRAILER:]
    return data[HEADER:-TRAILER]


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

    @classmethod
    def read(cls, file: bytes) -> Parameters:
        data = fields_of(file, PARAMETERS)
        scheme = data[:8].rstrip(b"\0").decode()
        n, group, digit, many, special, numbers, *_ = struct.unpack_from("<9I", data, 8)
        words = list(struct.unpack_from(f"<{many + special + numbers}Q", data, 44))
        return cls(scheme, n, group, digit, words[:many], words[many : many + special], words[many + special :])


def secret_of(file: bytes, n: int) -> list[int]:
    data = fields_of(file, SECRET_KEY)
    body = data[8 + 4 + 16 + 24 : -16]
    return [(body[i // 4] >> 2 * (i % 4) & 3) - 1 for i in range(n)]


@dataclass
class Ciphertext:
    level: int
    numbers: tuple[int, int, int]
    parts: list[list[list[int]]]  # [part][limb][evaluation]

    @classmethod
    def read(cls, file: bytes, p: Parameters) -> Ciphertext:
        data = fields_of(file, CIPHERTEXT)
        _, level, parts, _, zero, *numbers = struct.unpack_from("<QIBBH3Q", data, 0)
        assert zero == 0
        at, found = 40, []
        for _ in range(parts):
            limbs = []
            for q in p.data[: (level + 1) * p.limbs_per_level]:
                width = (q - 1).bit_length()
                size = (p.n * width + 7) // 8
                limbs.append(unpacked(data[at : at + size], width, p.n))
                at += size
            found.append(limbs)
        assert at == len(data)
        return cls(level, tuple(numbers), found)


class Reader:
    """What files hold, for whoever has the secret key: the centred phase c0 + c1 s + c2 s^2 of a ciphertext."""

    def __init__(self, parameters: bytes, secret: bytes) -> None:
        self.p = Parameters.read(parameters)
        self.secret = secret_of(secret, self.p.n)
        self.primes = [Prime(q, self.p.n) for q in self.p.data]
        self.keys = [prime.evaluate(self.secret) for prime in self.primes]

    def phase(self, c: Ciphertext) -> tuple[list[int], int]:
        """Coefficients in [-Q/2, Q/2), and Q."""
        primes = self.primes[: len(c.parts[0])]
        residues = []
        for limb, (prime, key) in enumerate(zip(primes, self.keys, strict=False)):
            total = [0] * self.p.n
            for part in reversed(c.parts):
                total = [(x * s + y) % prime.q for x, s, y in zip(total, key, part[limb], strict=True)]
            residues.append(prime.interpolate(total))
        whole = prod(prime.q for prime in primes)
        weights = [whole // prime.q * pow(whole // prime.q, -1, prime.q) for prime in primes]
        composed = [
            sum(w * x for w, x in zip(weights, column, strict=True)) % whole for column in zip(*residues, strict=True)
        ]
        return [x - whole if x > whole // 2 else x for x in composed], whole
