# SPDX-License-Identifier: Apache-2.0
"""The encrypted array as an object: shape, ciphertexts, range.

Imports no verb (operation on arrays) and no NumPy function.
"""
