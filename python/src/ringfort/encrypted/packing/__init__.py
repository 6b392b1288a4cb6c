# SPDX-License-Identifier: Apache-2.0
"""Tables of numbers in the slots of ciphertexts: layouts, moves, sums, products. Knows no array and no scheme."""
