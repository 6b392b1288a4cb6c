// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernel elementwise. The host writes them before a launch. The kernel computes one verb (a sum, a
// product ...) on vectors of 32-bit residues. Every DPU has its own vectors, modulus and length. Offsets are bytes from
// the start of the MRAM heap, and multiples of 8. hw/pim/README.md explains the terms.
#pragma once

#include <stdint.h>

// Verbs: out = a + b, a - b, -a, a * b, c + a * b, a * scalar. Except kMultiplyByte, products are Montgomery products:
// the 30-bit verbs compute a * b / 2^32 mod q, and the 24-bit verbs compute a * b / 2^24 mod q. If one operand is in
// Montgomery form, that is, multiplied by 2^32 or 2^24, the result is the plain product.
enum ElementwiseVerb {
  kAdd = 0,
  kSub = 1,
  kNegate = 2,
  kMultiply30 = 3,
  kMultiply24 = 4,
  kMultiplyAdd30 = 5,
  kMultiplyAdd24 = 6,
  kMultiplyScalar30 = 7,
  kMultiplyScalar24 = 8,
  kMultiplyByte = 9  // plain product with a scalar below 256, for any prime c 2^16 + 1 below 2^30
};

struct ElementwiseArguments {
  uint32_t verb;
  uint32_t q;       // for sums: below 2^31. For products: 1 mod 2^16, and below 2^30 or 2^24
  uint32_t words;   // even
  uint32_t scalar;  // below q, and below 256 for kMultiplyByte
  uint32_t a, b, c, out;
  uint32_t byte_quotient, byte_shift;  // for kMultiplyByte: see times_byte() in modular.h
};
