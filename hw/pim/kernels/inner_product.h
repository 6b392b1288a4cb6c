// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernel inner_product, which the host writes before a launch. The kernel computes a matrix
// product of vectors of residues, out[r][c] (+)= sum_k a[r][k] b[k][c], word by word. Matrices are row-major arrays of
// consecutive vectors of `words` words. Products are divided by 2^32, or by 2^24 if narrow. Offsets are bytes from the
// start of the MRAM heap, multiples of 8.
#pragma once

#include <stdint.h>

struct InnerProductArguments {
  uint32_t q;  // 1 mod 2^16, below 2^30, or below 2^24 if narrow
  uint32_t narrow;
  uint32_t words;  // words per vector, even
  uint32_t rows, inner, columns;
  uint32_t accumulate;  // 1: adds to the contents of out
  uint32_t a, b, out;
};

// The arguments of the kernel inner_product64: words of 64 bits, and plain products, not divided by a radix.
struct InnerProduct64Arguments {
  uint64_t q;       // 1 mod 128, below 2^62
  uint64_t square;  // 2^128 mod q
  uint32_t words;
  uint32_t rows, inner, columns;
  uint32_t accumulate;
  uint32_t a, b, out;
};
