// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernel convolve. The host writes them before a launch. The kernel computes a schoolbook product
// of two polynomials a and b of n words modulo x^n + 1. A DPU computes the results first to first + count - 1, and
// writes result k to out[k - first]. There are two uses. For the full product, every DPU has all of a and b, and all
// DPUs together compute n^2 products of words. In block-local use, every DPU has slices of a and b, and multiplies only
// its slices. The results are then not the product of the whole polynomials. For q = 2^16 + 1, a product of words costs
// about 12 cycles. For other primes, it is a Montgomery product, divided by 2^32. For q = 2^16 + 1 this division has no
// effect, because 2^32 is 1 modulo q. Offsets are bytes from the start of the MRAM heap. hw/pim/README.md explains the
// terms.
#pragma once

#include <stdint.h>

enum { kConvolveChunk = 64, kConvolvePiece = 16 };

struct ConvolveArguments {
  uint32_t q;             // 1 mod 2^16, below 2^30
  uint32_t words;         // n, a multiple of kConvolveChunk
  uint32_t first, count;  // multiples of kConvolvePiece
  uint32_t a, b, out;
};
