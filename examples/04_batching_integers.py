# SPDX-License-Identifier: Apache-2.0
"""Exact integers: thousands of values in one ciphertext, rotations and sums, and results that never wrap around.

Run it: python examples/04_batching_integers.py
"""

import numpy as np

import ringfort as rf

# The library computes with integers exactly, modulo a prime, as NumPy's int64 computes modulo 2^64. From the declared
# range and the depth, it chooses a prime that is large enough. Here the prime is 65537. The library tracks how large
# results can be. It refuses an operation whose result may be too large for the prime.
ctx = rf.Context("int", depth=3, range=(0, 1))
keys = ctx.keygen()
print(f"{ctx.slots} integers in one ciphertext, modulo {ctx.plain_modulus}")

votes = np.random.default_rng(2).integers(0, 2, (50, 8))  # 50 voters, 8 proposals
ballots = ctx.encrypt(votes, keys.public)

# The number of rotations of a sum grows with the logarithm of the number of elements.
counts = ballots.sum(axis=0)
np.testing.assert_array_equal(counts.decrypt(keys), votes.sum(axis=0))

# On how many proposals does each voter agree with voter 0? For two bits a and b, a b + (1 - a)(1 - b) is 1 if the bits
# are equal, and 0 if not. The computation takes two of the three levels: the first to extract a row, and the second for
# the products.
first = ballots[0]
agree = ballots * first + (1 - ballots) * (1 - first)
np.testing.assert_array_equal(agree.sum(axis=1).decrypt(keys), (votes == votes[0]).sum(axis=1))

# Rotate the array with numpy.roll.
np.testing.assert_array_equal(np.roll(ballots, 3, axis=1).decrypt(keys), np.roll(votes, 3, axis=1))

try:
    _ = ballots * 40_000
except rf.RangeExceeded as error:
    print("refused:", error)
