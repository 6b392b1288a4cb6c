// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernels decompose (32-bit words) and decompose64 (64-bit words). The host writes them before a
// launch. The kernels compute the gadget digits d_j of residues x modulo q. The digits recombine to a number y: y =
// sum_j d_j 2^(base_bits j). Digits are plain or centred. If digits are plain, y = floor(x / 2^shift), and every digit
// is in [0, 2^base_bits). If digits are centred, the kernel first replaces x by the congruent number in (-q/2, q/2).
// Then y is x / 2^shift, rounded to nearest, with halves rounded up. Centred digits are in [-2^(base_bits-1),
// 2^(base_bits-1)), except the last digit, which absorbs the carry. Digits are stored mod q. Offsets are bytes from the
// start of the MRAM heap, and multiples of 8. hw/pim/README.md explains the terms.
#pragma once

#include <stdint.h>

struct DecomposeArguments {
  uint32_t q;      // below 2^31
  uint32_t words;  // words per polynomial, even
  uint32_t polynomials;
  uint32_t base_bits;  // 1 .. 31
  uint32_t digits;     // 1 .. 128. If the digits are plain, there are enough of them for x = q - 1
  uint32_t shift;      // 0 .. 32
  uint32_t centred;    // 1: the digits are centred; 0: they are plain
  uint32_t data;
  uint32_t out;  // polynomial p * digits + j has digit j of polynomial p; digit 0 is the least significant
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
