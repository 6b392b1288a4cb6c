# SPDX-License-Identifier: Apache-2.0
"""Compute on an array that the computer cannot read, without choosing a single parameter.

Run it: python examples/03_first_steps.py
"""

import numpy as np

import ringfort as rf

# 1. State the requirements. The defaults are real numbers, four successive products, and 20 bits after the binary
#    point.
ctx = rf.Context()
print(ctx.explain())

# 2. The owner makes keys. The secret key stays here. Everybody who encrypts or computes gets keys.public.
keys = ctx.keygen()

# 3. Encrypt an array. It may have any shape. The library divides it into ciphertexts.
values = np.random.default_rng(1).random((100, 64))
x = ctx.encrypt(values, keys.public)
print(x)

# 4. Compute with NumPy's operators. Each operand is an encrypted array, a plain array or a number.
y = 3 * x + x**2 - values
column_means = y.mean(axis=0)
scores = x @ np.linspace(-1, 1, 64)

# 5. Only the owner can decrypt the results. Every result states the precision that the library guarantees.
expected = 3 * values + values**2 - values
print(f"precision guaranteed: {y.precision_bits:.1f} bits; worst error: {np.abs(y.decrypt(keys) - expected).max():.1e}")
assert np.abs(y.decrypt(keys) - expected).max() < 2 ** -(y.precision_bits + 1)
assert np.allclose(column_means.decrypt(keys), expected.mean(axis=0), atol=1e-4)
assert np.allclose(scores.decrypt(keys), values @ np.linspace(-1, 1, 64), atol=1e-4)

# 6. If an operation does not fit the parameters, it fails before it computes. The message states the fix.
try:
    _ = y**16
except rf.DepthExhausted as error:
    print("refused:", error)
