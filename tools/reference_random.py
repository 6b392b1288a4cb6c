# SPDX-License-Identifier: Apache-2.0
"""Addressed randomness in plain Python: ChaCha20 (RFC 8439), samplers of src/math/random.h, seeds of the tests.

A seed and an address determine each random value. Scripts use this file to compute known answers. It was written from
the descriptions, and is independent of the library.
"""

import hashlib
import struct

UNIFORM_A, SECRET_KEY, ERROR_0, ERROR_1, ENCRYPTION_R = 1, 2, 3, 4, 5

QUARTERS = [
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
]


def rotate(x, k):
    return (x << k | x >> (32 - k)) & 0xFFFFFFFF


def chacha_block(key, counter, nonce):
    state = list(
        struct.unpack("<4I", b"expand 32-byte k") + struct.unpack("<8I", key) + (counter,) + struct.unpack("<3I", nonce)
    )
    work = state[:]
    for _ in range(10):
        for a, b, c, d in QUARTERS:
            for first, second, third, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                work[first] = (work[first] + work[second]) & 0xFFFFFFFF
                work[third] = rotate(work[third] ^ work[first], turn)
    return struct.pack("<16I", *((x + y) & 0xFFFFFFFF for x, y in zip(work, state)))


def stream(key, nonce, size):
    blocks = (chacha_block(key, i, nonce) for i in range((size + 63) // 64))
    return b"".join(blocks)[:size]


def addressed(seed, purpose, address, size):
    """Returns `size` bytes of the stream for a purpose and an address. The address is (object, limb, digit)."""
    obj, limb, digit = address
    return stream(seed, struct.pack("<H", purpose) + obj.to_bytes(6, "little") + struct.pack("<HH", limb, digit), size)


def uniform(seed, address, n, q):
    data = addressed(seed, UNIFORM_A, address, 16 * n)
    return [int.from_bytes(data[16 * i : 16 * i + 16], "little") % q for i in range(n)]


def ternary(seed, purpose, address, n):
    return [(3 * w >> 64) - 1 for w in struct.unpack(f"<{n}Q", addressed(seed, purpose, address, 8 * n))]


def error(seed, purpose, address, n):
    words = struct.unpack(f"<{n}Q", addressed(seed, purpose, address, 8 * n))
    return [(w & 0x1FFFFF).bit_count() - (w >> 21 & 0x1FFFFF).bit_count() for w in words]


class Entropy:
    """The chosen seeds of the tests. Draw number k is the keystream under the key BLAKE2b-256(chosen, k)."""

    def __init__(self, chosen):
        self.chosen, self.drawn = chosen, 0

    def seed(self):
        key = hashlib.blake2b(struct.pack("<QQ", self.chosen, self.drawn), digest_size=32).digest()
        self.drawn += 1
        return stream(key, bytes(12), 32)
