# SPDX-License-Identifier: Apache-2.0
"""The encrypted array as an object: shape, ciphertexts, range.

This package does not import the operations on arrays, nor the functions that replace NumPy's functions.
"""
