# SPDX-License-Identifier: Apache-2.0
"""Tables of numbers in the slots of ciphertexts (places, each with one number): layouts, moves, sums, products. The
package depends neither on arrays nor on schemes."""
