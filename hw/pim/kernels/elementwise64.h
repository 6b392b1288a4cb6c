// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernel elementwise64. The host writes them before a launch. The kernel computes one verb on
// vectors of 64-bit residues. Products are plain: unlike Montgomery products, they are not divided by a power of two
// (the radix). Offsets are bytes from the start of the MRAM heap, and multiples of 8. hw/pim/README.md explains the
// terms.
#pragma once

#include <stdint.h>

// out = a + b, a - b, -a, a, a * b, c + a * b, a * scalar.
enum Elementwise64Verb {
  kAdd64 = 0,
  kSub64 = 1,
  kNegate64 = 2,
  kCopy64 = 3,
  kMultiply64 = 4,
  kMultiplyAdd64 = 5,
  kMultiplyScalar64 = 6
};

struct Elementwise64Arguments {
  uint64_t q;                  // for sums: below 2^63. For products: 1 mod 128, and below 2^62
  uint64_t scalar;             // for a * scalar: the factor times the radix, mod q
  uint64_t shifted, quotient;  // for kMultiply64 and kMultiplyAdd64: see struct Divisor in modular64.h
  uint32_t shift;
  uint32_t verb;
  uint32_t narrow;  // 0: the radix is 2^64; 1: it is 2^56, and q < 2^54
  uint32_t words;
  uint32_t a, b, c, out;
};
