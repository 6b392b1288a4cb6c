# SPDX-License-Identifier: Apache-2.0
"""Counts of compiled kernels, which need no GPU. tests/gpu/test_compiled_kernels.py counts them again."""

__all__ = ["OPERATIONS"]

# Integer operations in the PTX of a lane: one round of a forward transform with 64-bit primes, by radix.
OPERATIONS = {2: 56, 4: 103, 8: 210, 16: 453}
