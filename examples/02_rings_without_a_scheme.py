# SPDX-License-Identifier: Apache-2.0
"""Rings without a scheme: primes, transforms and products in Z_q[x]/(x^n + 1).

Run it: python examples/02_rings_without_a_scheme.py
"""

import numpy as np

import ringfort as rf

# 1. A transform (NTT) of degree n needs primes that are 1 mod 2n. These are the three largest such primes below 2^50.
n = 1024
print("primes:", rf.ring.primes(50, n, 3))
q = rf.ring.primes(50, n, 1)[0]

# 2. Make a ring. psi is the smallest primitive 2n-th root of unity. Therefore psi^n = -1.
ring = rf.ring.Ntt(n, q)
assert pow(ring.psi, n, q) == q - 1
print(ring, "psi =", ring.psi)

# 3. Transform polynomials. An array may have any number of leading axes. This one has four polynomials.
rng = np.random.default_rng(1)
a = rng.integers(0, q, (4, n), np.uint64)
evaluations = ring.forward(a)
assert np.array_equal(ring.inverse(evaluations), a)

# 4. Multiply polynomials. Products are negacyclic: x^(n-1) * x = x^n = -1. Here one polynomial is multiplied by each of
#    four polynomials.
x = np.zeros(n, np.uint64)
x[1] = 1
shifted = ring.multiply(a, x)
assert np.array_equal(shifted[:, 1:], a[:, :-1])
assert np.array_equal(shifted[:, 0], (q - a[:, -1]) % q)

# 5. Multiply in the evaluation domain, where products are element-wise. Python's integers check one element.
b = rng.integers(0, q, n, np.uint64)
product, fb = ring.forward(ring.multiply(a[0], b)), ring.forward(b)
assert int(product[7]) == int(evaluations[0, 7]) * int(fb[7]) % q

# 6. A modulus of 100 bits needs 128-bit words. The last axis of the array has the two 64-bit halves of a word, the
#    lower half first.
wide_q = rf.ring.primes(100, n, 1)[0]
wide = rf.ring.Ntt(n, wide_q)
values = [pow(3, k, wide_q) for k in range(n)]
words = np.array([[v & (2**64 - 1), v >> 64] for v in values], np.uint64)
assert np.array_equal(wide.inverse(wide.forward(words)), words)

# 7. Invalid input raises an error that states the problem and the fix.
try:
    ring.forward(np.full(n, q, np.uint64))
except rf.InvalidArgument as error:
    print("refused:", error.problem, "| fix:", error.fix)
