# SPDX-License-Identifier: Apache-2.0
"""Contexts and key sets: options, the choice of a scheme, and the ciphertexts of each scheme. Imports no file code."""
