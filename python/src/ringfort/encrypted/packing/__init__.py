# SPDX-License-Identifier: Apache-2.0
"""Tables of numbers in the slots of ciphertexts: layouts, moves, sums, products. Independent of arrays and schemes."""
