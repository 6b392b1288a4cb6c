# SPDX-License-Identifier: Apache-2.0
"""Tries the published attack on shared CKKS decryptions [LiMicciancio21], on raw and on rounded decryptions.

An onlooker has the files of two ciphertexts, and their decrypted values as doubles. These doubles are the real parts of
the slots. If the onlooker encodes raw doubles again, the result is the phase c0 + c1 s plus its conjugate, which is an
exact integer polynomial. Two such polynomials give two linear equations in s and its conjugate.
"""

from __future__ import annotations

import os
import struct
from typing import Any

import numpy as np
import pytest
from leveled_files import Parameters, fields_of, secret_of

import ringfort as rf
from ringfort import _core

FULL = os.environ.get("RINGFORT_COUNTS") == "full"
SMALL = [(0, 10), (1, 15), (3, 10)]  # pairs (depth, precision) whose scale is exactly a double
PRESETS = ["ckks-8192-3", "ckks-32768-8", "ckks-65536-24"] if FULL else ["ckks-8192-3"]


def context(shape: Any) -> rf.Context:
    if isinstance(shape, str):
        return rf.Context.preset(shape)
    depth, precision = shape
    return rf.Context(depth=depth, precision=precision, n=1024, insecure="a test")


class Onlooker:
    """An onlooker with public data: the parameters, and the residues of ciphertexts modulo the first prime."""

    def __init__(self, parameters: bytes) -> None:
        self.p = Parameters.read(parameters)
        self.n, self.q = self.p.n, self.p.data[0]
        self.ntt = rf.ring.Ntt(self.n, self.q)
        self.equations: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def polynomials(self, file: bytes) -> tuple[float, np.ndarray, np.ndarray]:
        """Returns the scale, and the coefficients of c0 and c1 modulo the first prime."""
        data = fields_of(file, 14)
        widths = [(q - 1).bit_length() for q in self.p.data]
        sizes = [self.n * width // 8 for width in widths]
        (scale,) = struct.unpack_from("<d", data, 16)
        found = []
        for component in (0, 1):
            at = 40 + component * sum(sizes)
            bits = np.unpackbits(np.frombuffer(data, np.uint8, sizes[0], at), bitorder="little").reshape(self.n, -1)
            weights = np.uint64(1) << np.arange(widths[0], dtype=np.uint64)
            found.append(self.ntt.inverse((bits * weights).sum(axis=1, dtype=np.uint64)))
        return scale, found[0], found[1]

    def conjugate(self, a: np.ndarray) -> np.ndarray:
        """Returns the conjugate a(1/x) of a."""
        return np.concatenate([a[:1], (self.q - a[1:][::-1]) % np.uint64(self.q)])

    def sees(self, file: bytes, shown: np.ndarray) -> None:
        scale, c0, c1 = self.polynomials(file)
        powers = np.array([pow(5, j, 2 * self.n) for j in range(self.n // 2)])
        roots = np.zeros(2 * self.n, complex)
        roots[powers] = roots[2 * self.n - powers] = 2 * scale * shown
        both = np.rint(np.fft.fft(roots)[: self.n].real / self.n).astype(np.int64) % self.q
        right = (both.astype(np.uint64) + np.uint64(2 * self.q) - c0 - self.conjugate(c0)) % np.uint64(self.q)
        self.equations.append(tuple(self.ntt.forward(each) for each in (c1, self.conjugate(c1), right)))

    def key(self) -> np.ndarray:
        """Solves the two equations for the key, by Cramer's rule at every root."""
        (a, b, u), (c, d, v) = (tuple(each.astype(object) for each in row) for row in self.equations[-2:])
        inverse = np.array([pow(int(x), -1, self.q) for x in (a * d - b * c) % self.q], object)
        s = self.ntt.inverse(((u * d - b * v) * inverse % self.q).astype(np.uint64)).astype(np.int64)
        return np.where(s > self.q // 2, s - self.q, s)


@pytest.mark.parametrize("shape", [*SMALL, *PRESETS], ids=str)
def test_raw_decryptions_reveal_the_secret_key_and_rounded_ones_do_not(shape, record_property):
    ctx = context(shape)
    keys = ctx.keygen(rotations=[])
    scope, on = ctx._scopes.per_modulus[0], ctx._on("cpu")
    parameters = bytes(_core.files.encode_parameters(scope))
    secret = secret_of(bytes(_core.files.encode_secret_key(scope, keys._secret, "", 0)), Parameters.read(parameters))
    raw, rounded, random = Onlooker(parameters), Onlooker(parameters), np.random.default_rng(1)
    wide, narrow = [], []
    for _ in range(2):
        values = random.uniform(-1, 1, ctx.slots)
        x = ctx.encrypt(values, keys.public, magnitude=1)
        file = bytes(_core.files.encode_ciphertext(on, x._packed.ciphertexts[0]))
        with_error, shown = x.decrypt_raw(keys), x.decrypt(keys)
        raw.sees(file, with_error)
        rounded.sees(file, shown)
        narrow.append(np.std(with_error - values))
        wide.append(np.std(with_error - shown))
    assert (raw.key() == secret).all()  # a control of this test: the attack finds the key in raw decryptions
    found = rounded.key()
    assert np.mean(found == secret) < 0.01
    assert np.abs(found).max() > raw.q // 8
    # After rounding, the onlooker has only samples whose error is wider than the error of the ciphertext.
    ratio = float(np.mean(wide) / np.mean(narrow))
    record_property("residue of rounding / error", f"{ratio:.1f}")
    print(f"{shape}: residue of rounding / error {ratio:.1f}")
    assert ratio > 2
