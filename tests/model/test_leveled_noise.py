# SPDX-License-Identifier: Apache-2.0
"""Noise bounds in files exceed the noise that a second reader measures, but only by a few bits.

The tests run verbs on the worst known plaintexts and on random plaintexts. A normal run uses one key for each scheme
and shape. The long run uses 100 keys.
"""

from __future__ import annotations

import math
import os
import struct
from statistics import median

import numpy as np
import pytest
from leveled_noise import SHAPES, Integers, N, Reals, T, margins, norm

from reference_ring import centred
from ringfort import _core

KEYS = 100 if os.environ.get("RINGFORT_COUNTS") == "full" else 1


@pytest.mark.parametrize("shape", SHAPES)
def test_stated_errors_are_above_the_noise_but_not_far_above(shape, record_property):
    for (scheme, verb), bits in margins(shape, KEYS).items():
        record_property(f"{scheme}: {verb}", f"{min(bits):.1f} {median(bits):.1f} {max(bits):.1f}")
        assert min(bits) > 0, f"{scheme}: {verb}"
        # The bound of a fresh encryption fails with probability 2^-150 for one polynomial. Bounds of products hold for
        # the largest plaintexts. Therefore the noise of a test is some bits smaller than its bound.
        assert max(bits) < (8 if verb.startswith("encrypt") else 24), f"{scheme}: {verb}"


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_measured_budgets_are_those_of_big_integers(scheme):
    laboratory, seen = Integers(scheme, "one prime a digit"), []
    for x in laboratory.plaintexts():
        for verb, c, _ in laboratory.steps(x, x):
            found = laboratory.module.measured_budget_bits(laboratory.context, laboratory.secret, c)
            phase, whole = laboratory.reader.phase(laboratory.read(c))
            noise = max(abs(centred((T if scheme == "bfv" else 1) * value, whole)) for value in phase)
            # the library counts a negative number -x as x, and a positive number x as x + 1
            assert math.log2(whole / 2 / (noise + 1)) - 1e-9 <= found <= math.log2(whole / 2 / noise) + 1e-9, verb
            assert c.budget_bits <= found, verb
            seen.append(found)
    assert max(seen) - min(seen) > 10  # verbs use up budget


def test_the_norm_is_the_largest_value_at_a_root():
    a = [3.0, -1.0, 0.5, 2.0]
    roots = [np.exp(1j * math.pi * k / 4) for k in (1, 3, 5, 7)]
    assert norm(a) == pytest.approx(max(abs(sum(c * z**i for i, c in enumerate(a))) for z in roots))


def test_the_noise_of_a_release_has_the_stated_width(tmp_path):
    bits, queries, times = 20, 100, 40
    release = _core.parameters.Release(bits, queries)
    laboratory = Reals("one prime a digit", 58, release)
    x = np.random.default_rng(4).uniform(-1, 1, N // 2)
    # The bound of this ciphertext exceeds the planned error.
    c = laboratory.hand.multiply_integer(laboratory.encrypt(x / 128, laboratory.public), 128)
    scale, _, claim = struct.unpack("<3d", struct.pack("<3Q", *laboratory.read(c).numbers))
    found = 2 ** (math.log2(claim) - laboratory.margin(c, x))
    ledger = _core.files.ReleaseLedger.create(str(tmp_path / "ledger"), laboratory.context, laboratory.secret)
    out, squares = np.empty((1, N // 2), dtype=complex), []
    for _ in range(times):
        _core.files.decrypt_for_others(laboratory.context, laboratory.secret, [c], release, ledger, out)
        squares.append(np.mean(np.abs(out - x) ** 2))
    deviation = scale * math.sqrt(np.mean(squares) / N)  # per coefficient
    stated = math.sqrt(12 * queries) * 2 ** (bits / 2)
    assert ledger.taken == times
    assert deviation == pytest.approx(stated * claim, rel=0.1)
    assert deviation > stated * found
