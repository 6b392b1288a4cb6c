// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernels decompose (32-bit words) and decompose64 (64-bit words), which the host writes before a
// launch. The kernels compute gadget digits of residues of one modulus. Plain: y = floor(x / 2^shift), digits in [0,
// 2^base_bits). Centred: x is lifted to (-q/2, q/2), y = x / 2^shift is rounded to nearest (halves up), and digits are
// in [-2^(base_bits-1), 2^(base_bits-1)); the last digit absorbs the carry. In both, y = sum_j d_j 2^(base_bits j), and
// digits are stored mod q. Offsets are bytes from the start of the MRAM heap, multiples of 8.
#pragma once

#include <stdint.h>

struct DecomposeArguments {
  uint32_t q;      // below 2^31
  uint32_t words;  // words per polynomial, even
  uint32_t polynomials;
  uint32_t base_bits;  // 1 .. 31
  uint32_t digits;     // 1 .. 128; enough for q - 1 if the digits are plain
  uint32_t shift;      // 0 .. 32
  uint32_t centred;
  uint32_t data;
  uint32_t out;  // digit j of polynomial p, from the least significant, is polynomial p * digits + j
};

struct Decompose64Arguments {
  uint64_t q;  // below 2^63
  uint32_t words;
  uint32_t polynomials;
  uint32_t base_bits;  // 1 .. 63
  uint32_t digits;
  uint32_t shift;  // 0 .. 64
  uint32_t centred;
  uint32_t data, out;
};
