# SPDX-License-Identifier: Apache-2.0
"""Measures the slack between noise bounds and noise.

The library runs verbs with fresh keys. A second reader opens the files that the library writes, and measures noise with
big integers. The size of a noise polynomial is its largest value at the complex roots of x^n + 1. The bounds are the
numbers in the files. The plaintexts are random ones, and the worst ones that are known: all values at their limit,
values aligned with a root, and alternating values. If a verb takes two encrypted operands, the second operand encrypts
the next plaintext of this list. `python tests/model/leveled_noise.py [KEYS]` prints the slack of each verb in bits.
"""

from __future__ import annotations

import math
import struct
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from leveled_files import Ciphertext, Reader

from reference_ring import Prime, centred, primes_below
from ringfort import _core

N, T = 64, 257
PI = np.longdouble("3.14159265358979323846264338327950288")  # doubles are not precise enough for scales of 2^56
SHAPES = {  # bits of the data primes, bits of the special primes, limbs of a level, limbs of a digit
    "one prime a digit": ([58] + [40] * 5, [58], 1, 1),
    "two primes a digit": ([58] + [40] * 5, [58, 58], 1, 2),
    "short words": ([30, 30] + [28] * 8, [30, 30], 2, 2),
}
SCALES = {"short words": 56}


def norm(coefficients: list[float]) -> float:
    """Returns the largest absolute value of the polynomial at the roots of x^n + 1."""
    a = np.array(coefficients, dtype=complex)
    twist = np.exp(1j * np.pi * np.arange(len(a)) / len(a))
    return float(np.max(np.abs(np.fft.fft(a * twist))))


def chain_of(name: str, least_bits: int = 0) -> Any:
    data, special, group, digit = SHAPES[name]
    if least_bits:
        data, special = ([max(bits, least_bits) for bits in row] for row in (data, special))
    found: list[int] = []
    for bits in data + special:
        found += primes_below(bits, N, 1, found)
    chain = _core.parameters.ChainParameters()
    chain.n, chain.limbs_per_level, chain.digit_limbs = N, group, digit
    chain.data, chain.special = found[: len(data)], found[len(data) :]
    chain.insecure_reason = "a measurement"
    return chain


Step = tuple[str, Any, np.ndarray]


class Laboratory:
    """A context of one scheme, with fresh keys. Subclasses define the plaintexts and the noise."""

    def __init__(self, module: Any, parameters: Any) -> None:
        self.module, self.context = module, module.Context(parameters, "cpu")
        keys = _core.keys.KeyGenerator(self.context.keys)
        plan = _core.keys.plan_keys(self.context.keys, [1, 2], True, 0)
        self.secret, self.public, galois = (
            keys.secret_key(),
            keys.create_public_key(),
            keys.create_galois_keys(plan, None),
        )
        self.auto = module.Arithmetic(self.context, keys.create_relinearization_key(), galois)
        self.hand = module.Evaluator(self.context)
        scope = _core.files.scope(self.context)
        files = _core.files.encode_parameters(scope), _core.files.encode_secret_key(scope, self.secret, "", 0)
        self.reader = Reader(*(bytes(file) for file in files))

    def encrypt(self, values: np.ndarray, key: Any) -> Any:
        return self.module.encrypt(self.context, key, values)

    def read(self, c: Any) -> Ciphertext:
        return Ciphertext.read(bytes(_core.files.encode_ciphertext(self.context, c)), self.reader.p)

    def steps(self, x: np.ndarray, y: np.ndarray) -> Iterator[Step]:
        """Yields the names, results and expected values of verbs. The operands are encryptions of x and of y."""
        auto, a, b = self.auto, self.encrypt(x, self.public), self.encrypt(y, self.public)
        yield "encrypt, public key", a, x
        yield "encrypt, secret key", self.hand.negate(self.encrypt(x, self.secret)), -x
        total, rotated, at = a, a, x
        for i in range(1, 5):
            total = auto.add(total, total)
            yield f"add to itself, {i} times", total, x * 2**i
        yield "subtract", auto.subtract(a, b), x - y
        yield "multiply_integer", self.hand.multiply_integer(a, self.factor), x * self.factor
        for i in range(1, 9):
            rotated, at = auto.rotate(rotated, 1), self.rotate_values(at)
            if i in (1, 8):
                yield f"rotate, {i} times", rotated, at
        square = auto.multiply(a, a)
        yield "multiply by itself", square, x * x
        yield "multiply", auto.multiply(a, b), x * y
        yield "add what is a level higher", auto.add(square, b), x * x + y
        yield "power 4", auto.power(a, 4), x**4
        yield from self.more(a, x)


class Integers(Laboratory):
    factor = T // 2

    def __init__(self, scheme: str, shape: str) -> None:
        module, kind = getattr(_core, scheme), scheme.capitalize() + "Parameters"
        parameters = getattr(_core.parameters, kind)()
        parameters.chain = chain_of(shape, 30 if shape == "short words" else 50)
        parameters.plain_modulus = T
        super().__init__(module, parameters)
        self.scheme = scheme

    def plaintexts(self) -> Iterator[np.ndarray]:
        most, prime = T // 2, Prime(T, N)
        yield np.full(N, most)
        yield np.tile([most, -most], N // 2)
        aligned = [most if math.cos(math.pi * (k + 0.5) / N) > 0 else -most for k in range(N)]
        points = [pow(5, j, 2 * N) * sign % (2 * N) for sign in (1, -1) for j in range(N // 2)]
        values = [sum(c * prime.powers[e * i % (2 * N)] for i, c in enumerate(aligned)) for e in points]
        yield np.array([centred(v, T) for v in values])
        yield np.random.default_rng(1).integers(-most, most + 1, N)

    @staticmethod
    def rotate_values(x: np.ndarray) -> np.ndarray:
        return np.concatenate([np.roll(row, -1) for row in np.split(x, 2)])

    def more(self, a: Any, x: np.ndarray) -> Iterator[Step]:
        yield "swap_rows", self.auto.swap_rows(a), np.roll(x, N // 2)
        yield "add_plain", self.auto.add_plain(a, x), 2 * x
        yield "multiply_plain", self.auto.multiply_plain(a, x), x * x

    def margin(self, c: Any, expected: np.ndarray) -> float:
        """Returns log2 of the bound divided by the largest noise at a root."""
        out = np.empty(N, dtype=np.int64)
        self.module.decrypt(self.context, self.secret, c, out)
        assert all((int(x) - int(y)) % T == 0 for x, y in zip(out, expected, strict=True))
        file = self.read(c)
        phase, whole = self.reader.phase(file)
        (claim,) = struct.unpack("<d", struct.pack("<Q", file.numbers[0]))
        if self.scheme == "bgv":
            return claim - math.log2(norm([float(x) for x in phase]))
        noise = [centred(T * x, whole) / whole for x in phase]  # T phase = Q m + Q noise
        return claim - math.log2(norm(noise))


class Reals(Laboratory):
    factor = 3

    def __init__(self, shape: str, least_bits: int = 0, release: Any = None) -> None:
        parameters = _core.parameters.CkksParameters()
        parameters.chain = chain_of(shape, least_bits)
        parameters.scale = 2.0 ** (least_bits or SCALES.get(shape, 40))
        if release is not None:
            parameters.release = release
        super().__init__(_core.ckks, parameters)

    def plaintexts(self) -> Iterator[np.ndarray]:
        slots = N // 2
        yield np.ones(slots)
        yield np.tile([1.0, -1.0], slots // 2)
        yield np.eye(1, slots)[0]
        yield np.sign(np.random.default_rng(2).uniform(-1, 1, slots))
        yield np.random.default_rng(3).uniform(-1, 1, slots)

    @staticmethod
    def rotate_values(x: np.ndarray) -> np.ndarray:
        return np.roll(x, -1)

    def more(self, a: Any, x: np.ndarray) -> Iterator[Step]:
        yield "add_plain", self.auto.add_plain(a, x), 2 * x
        yield "multiply_plain", self.auto.multiply_plain(a, x), x * x

    def margin(self, c: Any, expected: np.ndarray) -> float:
        file = self.read(c)
        phase, _ = self.reader.phase(file)
        scale, magnitude, claim = struct.unpack("<3d", struct.pack("<3Q", *file.numbers))
        assert np.max(np.abs(expected)) <= magnitude * (1 + 2**-40)
        turns = np.array([[pow(5, j, 2 * N) * k % (2 * N) for k in range(N)] for j in range(N // 2)])
        cosines = np.cos(PI * turns.astype(np.longdouble) / N)
        exact = scale * 2 / N * (expected.astype(np.longdouble)[:, None] * cosines).sum(axis=0)
        error = [x - int(y) - (y - int(y)) for x, y in zip(phase, exact, strict=True)]
        return math.log2(claim / norm(error))


def laboratories(shape: str) -> Iterator[tuple[str, Laboratory]]:
    yield "ckks", Reals(shape)
    yield "bfv", Integers("bfv", shape)
    yield "bgv", Integers("bgv", shape)


def measured(laboratory: Laboratory) -> Iterator[tuple[str, float]]:
    """Yields the margin of every verb, for all plaintexts."""
    plaintexts = list(laboratory.plaintexts())
    for x, y in zip(plaintexts, plaintexts[1:] + plaintexts[:1], strict=True):
        for verb, c, expected in laboratory.steps(x, y):
            yield verb, laboratory.margin(c, expected)


def margins(shape: str, keys: int) -> dict[tuple[str, str], list[float]]:
    """Returns the margins of each scheme and verb, for all keys and plaintexts."""
    found = defaultdict(list)
    for _ in range(keys):
        for scheme, laboratory in laboratories(shape):
            for verb, bits in measured(laboratory):
                found[scheme, verb].append(bits)
    return found


def main() -> None:
    keys = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    for shape in SHAPES:
        print(f"\n{shape}, {keys} keys: least, median and largest slack in bits")
        for (scheme, verb), bits in margins(shape, keys).items():
            print(f"{scheme:5} {verb:28} {min(bits):6.1f} {median(bits):6.1f} {max(bits):6.1f}   {len(bits)}")


if __name__ == "__main__":
    main()
