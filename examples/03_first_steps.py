# SPDX-License-Identifier: Apache-2.0
"""Compute on an array that the computer cannot read, without choosing a single parameter.

Run it: python examples/03_first_steps.py
"""

import numpy as np

import ringfort as rf

# 1. Requirements: real numbers, four successive products, 20 bits after the binary point. These are the defaults.
ctx = rf.Context()
print(ctx.explain())

# 2. The owner makes keys. The secret key stays here; anyone who encrypts or computes gets keys.public.
keys = ctx.keygen()

# 3. Encrypt an array of any shape; the library splits it into ciphertexts.
values = np.random.default_rng(1).random((100, 64))
x = ctx.encrypt(values, keys.public)
print(x)

# 4. NumPy's operators take encrypted arrays, plain arrays and numbers on either side.
y = 3 * x + x**2 - values
column_means = y.mean(axis=0)
scores = x @ np.linspace(-1, 1, 64)

# 5. Only the owner can decrypt the results. Every result has its guaranteed precision.
expected = 3 * values + values**2 - values
print(f"precision guaranteed: {y.precision_bits:.1f} bits; worst error: {np.abs(y.decrypt(keys) - expected).max():.1e}")
assert np.abs(y.decrypt(keys) - expected).max() < 2 ** -(y.precision_bits + 1)
assert np.allclose(column_means.decrypt(keys), expected.mean(axis=0), atol=1e-4)
assert np.allclose(scores.decrypt(keys), values @ np.linspace(-1, 1, 64), atol=1e-4)

# 6. An operation that does not fit the parameters fails before it computes, and the message has the fix.
try:
    _ = y**16
except rf.DepthExhausted as error:
    print("refused:", error)
