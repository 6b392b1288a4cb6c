# SPDX-License-Identifier: Apache-2.0
"""Implements the rings of CKKS, BFV and BGV directly from their definitions, with Python's big integers.

Scripts use it to compute or check known answers. A polynomial is a list of integers modulo x^n + 1. Products are
schoolbook products, and evaluations are plain sums. The file does not use the library, fast transforms or residue
arithmetic.
"""

import math


def is_prime(x):
    """Tells whether x is prime. The answer is exact below 3.3e24."""
    bases = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41]
    if any(x % p == 0 for p in bases):
        return x in bases
    odd, twos = x - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(pow(a, odd, x) in (1, x - 1) or any(pow(a, odd << i, x) == x - 1 for i in range(1, twos)) for a in bases)


def primes_below(bits, n, count, taken):
    x, found = ((1 << bits) - 2) // (2 * n) * (2 * n) + 1, []
    while len(found) < count:
        if is_prime(x) and x not in taken:
            found.append(x)
        x -= 2 * n
    return found


def centred(x, q):
    x %= q
    return x - q if x > q // 2 else x


def minimal_root(q, n):
    """Returns the smallest primitive 2n-th root of unity."""
    root = next(r for x in range(2, 1000) if pow(r := pow(x, (q - 1) // (2 * n), q), n, q) == q - 1)
    return min(pow(root, k, q) for k in range(1, 2 * n, 2))


class Prime:
    """Evaluates modulo one prime, at the powers of the minimal primitive 2n-th root in bit-reversed order."""

    def __init__(self, q, n):
        self.q, self.n = q, n
        psi = minimal_root(q, n)
        bits = n.bit_length() - 1
        self.powers = [pow(psi, k, q) for k in range(2 * n)]
        self.exponents = [2 * int(format(j, f"0{bits}b")[::-1], 2) + 1 for j in range(n)]

    def evaluate(self, a):
        order = 2 * self.n
        return [sum(c * self.powers[e * i % order] for i, c in enumerate(a)) % self.q for e in self.exponents]

    def interpolate(self, values):
        order, inverse_n = 2 * self.n, pow(self.n, -1, self.q)
        return [
            inverse_n * sum(v * self.powers[-e * i % order] for v, e in zip(values, self.exponents)) % self.q
            for i in range(self.n)
        ]


def composed(residues, moduli):
    """Returns the integer in [0, Q) that has these residues."""
    q = math.prod(moduli)
    return sum(r * (q // m) * pow(q // m, -1, m) for r, m in zip(residues, moduli)) % q


def multiply(a, b):
    """Returns the product of a and b modulo x^n + 1, over the integers."""
    n = len(a)
    out = [0] * n
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[(i + j) % n] += x * y if i + j < n else -x * y
    return out


def automorphism(a, g):
    """Returns a(x^g)."""
    n = len(a)
    out = [0] * n
    for i, x in enumerate(a):
        at = i * g % (2 * n)
        out[at % n] = x if at < n else -x
    return out


def divided(x, by, t):
    """Returns (x - delta) / by, where delta is the multiple of t of least magnitude with delta = x (mod by)."""
    return (x - t * centred(x * pow(t, -1, by), by)) // by
