// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernel inner_product. The host writes them before a launch. The kernel computes a product of two
// matrices whose entries are vectors of residues. Entry out[r][c] is sum_k a[r][k] b[k][c], where vectors are
// multiplied and added word by word. If `accumulate` is 1, the sum is added to out[r][c]. Matrices are row-major arrays
// of consecutive vectors of `words` words. Products are divided by 2^32, or by 2^24 if narrow. Offsets are bytes from
// the start of the MRAM heap, and multiples of 8. hw/pim/README.md explains the terms.
#pragma once

#include <stdint.h>

struct InnerProductArguments {
  uint32_t q;  // 1 mod 2^16, below 2^30, or below 2^24 if narrow
  uint32_t narrow;
  uint32_t words;  // words per vector, even
  uint32_t rows, inner, columns;
  uint32_t accumulate;  // 1: adds to the contents of out; 0: overwrites them
  uint32_t a, b, out;
};

// The arguments of the kernel inner_product64. Words have 64 bits. Products are plain: they are not divided by a power
// of two.
struct InnerProduct64Arguments {
  uint64_t q;       // 1 mod 128, below 2^62
  uint64_t square;  // 2^128 mod q
  uint32_t words;
  uint32_t rows, inner, columns;
  uint32_t accumulate;
  uint32_t a, b, out;
};
