# SPDX-License-Identifier: Apache-2.0
"""Exact integers: thousands of values in one ciphertext, rotations and sums, and results that never wrap around.

Run it: python examples/04_batching_integers.py
"""

import numpy as np

import ringfort as rf

# Integers are exact modulo a prime, as NumPy's int64 are modulo 2^64. From the declared range and the depth the library
# chooses a prime that is large enough (65537 here). It tracks how large results can be and rejects results that may
# exceed the prime's range.
ctx = rf.Context("int", depth=3, range=(0, 1))
keys = ctx.keygen()
print(f"{ctx.slots} integers in one ciphertext, modulo {ctx.plain_modulus}")

votes = np.random.default_rng(2).integers(0, 2, (50, 8))  # 50 voters, 8 proposals
ballots = ctx.encrypt(votes, keys.public)

# Sums take a few rotations, not one per element.
counts = ballots.sum(axis=0)
np.testing.assert_array_equal(counts.decrypt(keys), votes.sum(axis=0))

# On how many proposals does each voter agree with voter 0? a b + (1 - a)(1 - b) is 1 if two bits agree. This takes
# three levels: one to extract a row, one for the product, one to sum each row.
first = ballots[0]
agree = ballots * first + (1 - ballots) * (1 - first)
np.testing.assert_array_equal(agree.sum(axis=1).decrypt(keys), (votes == votes[0]).sum(axis=1))

# Rotate the array with numpy.roll.
np.testing.assert_array_equal(np.roll(ballots, 3, axis=1).decrypt(keys), np.roll(votes, 3, axis=1))

try:
    _ = ballots * 40_000
except rf.RangeExceeded as error:
    print("refused:", error)
