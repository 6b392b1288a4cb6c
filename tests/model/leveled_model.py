# SPDX-License-Identifier: Apache-2.0
"""A model of CKKS, BFV and BGV (the leveled schemes) in Python's big integers, for N <= 64.

It has no residue number system and no transform, and multiplies by schoolbook products. A polynomial is a list of n
integers. The model follows docs/notes/0006-leveled-schemes.md, and shares no code with the library.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from reference_ring import centred, composed, divided, multiply

Poly = list[int]


def compose(residues: list[Poly], primes: list[int]) -> Poly:
    """Returns the polynomial with coefficients in [0, Q) that has these residues."""
    return [composed(column, primes) for column in zip(*residues, strict=True)]


def add(a: Poly, b: Poly) -> Poly:
    return [x + y for x, y in zip(a, b, strict=True)]


def sub(a: Poly, b: Poly) -> Poly:
    return [x - y for x, y in zip(a, b, strict=True)]


def scale(a: Poly, factor: int) -> Poly:
    return [x * factor for x in a]


def reduce(a: Poly, modulus: int) -> Poly:
    return [x % modulus for x in a]


def lift(a: Poly, modulus: int) -> Poly:
    return [centred(x, modulus) for x in a]


def divide(a: Poly, by: int, t: int) -> Poly:
    """Returns a / by, rounded. First it subtracts a multiple of t that is congruent to a modulo `by`."""
    return [divided(x, by, t) for x in a]


def tensor(a: list[Poly], b: list[Poly]) -> list[Poly]:
    return [multiply(a[0], b[0]), add(multiply(a[0], b[1]), multiply(a[1], b[0])), multiply(a[1], b[1])]


@dataclass
class Model:
    """A scheme with data primes q, special primes p (only in keys), and `alpha` primes in a digit of a key switch.
    Errors are multiples of `factor`."""

    q: list[int]
    p: list[int]
    alpha: int
    factor: int
    secret: Poly

    def digits(self, count: int) -> list[list[int]]:
        return [self.q[i : min(i + self.alpha, count)] for i in range(0, count, self.alpha)]

    def phase(self, components: list[Poly]) -> Poly:
        total = components[-1]
        for component in reversed(components[:-1]):
            total = add(multiply(total, self.secret), component)
        return total

    def key_errors(self, rows: list[tuple[Poly, Poly]], source: Poly, under: Poly) -> list[Poly]:
        """Returns the error b + a s' - P g source modulo P Q of each row (b, a) of a key from `source` to s' (`under`).

        P and Q are the products of the special and of the data primes. The gadget constant g belongs to the row."""
        special, whole = prod(self.p), prod(self.p) * prod(self.q)
        errors = []
        for row, digit in zip(rows, self.digits(len(self.q)), strict=True):
            rest = whole // prod(digit)
            gadget = (
                special * (rest // special) * pow(rest // special, -1, prod(digit))
            )  # P times a number that is 1 modulo the digit's primes, and 0 modulo the others
            errors.append(lift(sub(add(row[0], multiply(row[1], under)), scale(source, gadget)), whole))
        return errors

    def switch(self, a: Poly, rows: list[tuple[Poly, Poly]], count: int) -> list[Poly]:
        """Multiplies the centred digits of a by the rows, and divides by P. It uses the first `count` data primes."""
        special, whole = prod(self.p), prod(self.q[:count])
        sums = [[0] * len(a), [0] * len(a)]
        for row, digit in zip(rows, self.digits(count), strict=False):
            lifted = lift(a, prod(digit))
            sums = [add(s, multiply(lifted, r)) for s, r in zip(sums, row, strict=True)]
        return [reduce(divide(reduce(s, special * whole), special, self.factor), whole) for s in sums]
