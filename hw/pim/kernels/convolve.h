// SPDX-License-Identifier: Apache-2.0
// What the host writes into `arguments` of the program convolve before a launch: a piece of a schoolbook product of two
// polynomials of n words each, out[k] for first <= k < first + count, modulo x^n + 1. The full product takes all of a
// and b on every DPU, and n^2 products over all; block-local use gives every DPU slices of a and b and multiplies those
// alone, which is no product of the whole polynomials. For q = 2^16 + 1 a product costs about 12 cycles, for other
// primes a Montgomery product, and is divided by 2^32 (the same thing for q = 2^16 + 1). Offsets are bytes from the
// start of the heap.
#pragma once

#include <stdint.h>

enum { kConvolveChunk = 64, kConvolvePiece = 16 };

struct ConvolveArguments {
  uint32_t q;             // 1 mod 2^16, below 2^30
  uint32_t words;         // n, a multiple of kConvolveChunk
  uint32_t first, count;  // multiples of kConvolvePiece
  uint32_t a, b, out;
};
