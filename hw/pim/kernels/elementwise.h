// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernel elementwise, which the host writes before a launch. The kernel computes one verb (a sum,
// a product ...) on vectors of 32-bit residues. Offsets are bytes from the start of the MRAM heap, multiples of 8.
// Every DPU has its own vectors, modulus and length.
#pragma once

#include <stdint.h>

// Verbs: out = a + b, a - b, -a, a * b, c + a * b, a * scalar. Products are Montgomery products: a * b / 2^32 mod q
// with the 30-bit verbs, a * b / 2^24 with the 24-bit verbs. Such a product is the plain product if one operand is in
// Montgomery form, that is, multiplied by 2^32 or 2^24.
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
  kMultiplyByte = 9  // a plain product with a scalar below 256, for any prime c 2^16 + 1 below 2^30
};

struct ElementwiseArguments {
  uint32_t verb;
  uint32_t q;       // below 2^31 for the sums, below 2^30 or 2^24 and 1 mod 2^16 for the products
  uint32_t words;   // even
  uint32_t scalar;  // below q
  uint32_t a, b, c, out;
  uint32_t byte_quotient, byte_shift;  // for kMultiplyByte: see times_byte() in modular.h
};
