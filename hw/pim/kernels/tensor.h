// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernel tensor. The host writes them before a launch. The kernel multiplies two ciphertexts of
// two components each, value by value: (a0, a1) x (b0, b1) = (a0 b0, a0 b1 + a1 b0, a1 b1). Products are divided by
// 2^32 or 2^24 mod q. Offsets are bytes from the start of the MRAM heap, and multiples of 8. hw/pim/README.md explains
// the terms.
#pragma once

#include <stdint.h>

struct TensorArguments {
  uint32_t q;       // 1 mod 2^16, below 2^30, or below 2^24 if narrow
  uint32_t narrow;  // 1: products are divided by 2^24; 0: by 2^32
  uint32_t words;   // words per component, even
  uint32_t a0, a1, b0, b1;
  uint32_t out0, out1, out2;
};

// The arguments of the kernel tensor64. Words have 64 bits. Products are plain: they are not divided by a power of two.
struct Tensor64Arguments {
  uint64_t q;                  // below 2^62
  uint64_t shifted, quotient;  // see struct Divisor in modular64.h
  uint32_t shift, narrow;      // narrow: 1 or 0; 1 is faster, and needs q < 2^54
  uint32_t words;
  uint32_t a0, a1, b0, b1;
  uint32_t out0, out1, out2;
};
