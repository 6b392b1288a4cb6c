# SPDX-License-Identifier: Apache-2.0
"""Compute on an array that the computer cannot read, without choosing a single parameter.

Run it: python examples/03_first_steps.py
"""

import numpy as np

import ringfort as rf

# 1. What is wanted: real numbers, four products in turn, 20 bits after the binary point. These are the defaults.
ctx = rf.Context()
print(ctx.explain())

# 2. The owner makes keys. The secret stays here; keys.public is for whoever encrypts or computes.
keys = ctx.keygen()

# 3. An array of any shape; how it is cut into ciphertexts is the library's business.
values = np.random.default_rng(1).random((100, 64))
x = ctx.encrypt(values, keys.public)
print(x)

# 4. NumPy's operators, with encrypted arrays, plain arrays and numbers on either side.
y = 3 * x + x**2 - values
column_means = y.mean(axis=0)
scores = x @ np.linspace(-1, 1, 64)

# 5. Only the owner reads the results, and every result says how precise it is.
expected = 3 * values + values**2 - values
print(f"precision guaranteed: {y.precision_bits:.1f} bits; worst error: {np.abs(y.decrypt(keys) - expected).max():.1e}")
assert np.abs(y.decrypt(keys) - expected).max() < 2 ** -(y.precision_bits + 1)
assert np.allclose(column_means.decrypt(keys), expected.mean(axis=0), atol=1e-4)
assert np.allclose(scores.decrypt(keys), values @ np.linspace(-1, 1, 64), atol=1e-4)

# 6. What does not fit is refused before anything is computed, with what to change.
try:
    _ = y**16
except rf.DepthExhausted as error:
    print("refused:", error)
