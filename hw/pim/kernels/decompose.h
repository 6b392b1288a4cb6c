// SPDX-License-Identifier: Apache-2.0
// What the host writes into `arguments` of the program decompose before a launch: gadget digits of residues of one
// modulus. With x lifted to (-q/2, q/2) when centred, y = floor(x / 2^shift), rounded to nearest (halves up) when
// centred, and y = sum_j d_j 2^(base_bits j); plain digits are in [0, 2^base_bits), centred ones in [-2^(base_bits-1),
// 2^(base_bits-1)), where the last absorbs the carry. Digits are stored mod q. Offsets are bytes from the start of the
// MRAM heap, multiples of 8.
#pragma once

#include <stdint.h>

struct DecomposeArguments {
  uint32_t q;      // below 2^31
  uint32_t words;  // of a polynomial, even
  uint32_t polynomials;
  uint32_t base_bits;  // 1 .. 31
  uint32_t digits;     // 1 .. 128; plain digits hold q - 1
  uint32_t shift;      // 0 .. 32
  uint32_t centred;
  uint32_t data;
  uint32_t out;  // polynomial p gives polynomials p digits + j, least significant digit first
};
