// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernel convolve, which the host writes before a launch. The kernel computes the results out[k],
// first <= k < first + count, of a schoolbook product of two polynomials of n words modulo x^n + 1. For the full
// product every DPU has all of a and b, and the DPUs together compute n^2 products. In block-local use, every DPU has
// slices of a and b and multiplies only these; the result is not the product of the whole polynomials. A product costs
// about 12 cycles for q = 2^16 + 1. For other primes it is a Montgomery product, divided by 2^32 (which is 1 modulo
// 2^16 + 1). Offsets are bytes from the start of the heap.
#pragma once

#include <stdint.h>

enum { kConvolveChunk = 64, kConvolvePiece = 16 };

struct ConvolveArguments {
  uint32_t q;             // 1 mod 2^16, below 2^30
  uint32_t words;         // n, a multiple of kConvolveChunk
  uint32_t first, count;  // multiples of kConvolvePiece
  uint32_t a, b, out;
};
