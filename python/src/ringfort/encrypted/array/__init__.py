# SPDX-License-Identifier: Apache-2.0
"""The encrypted array as an object: shape, ciphertexts, range.

This package imports no verb (operation on arrays) and no function that takes NumPy's place.
"""
