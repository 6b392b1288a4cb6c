// SPDX-License-Identifier: Apache-2.0
// What the host writes into `arguments` of the program expand before a launch: public uniform polynomials of a seed.
// Coefficient i of polynomial p is bytes 16 i .. 16 i + 15, little endian, mod q, of the ChaCha20 stream [RFC8439] with
// block counter 0 for the seed as key and the nonce purpose (16 bits) | object (48) | limb (16) | digit + p (16),
// little endian in this order. `out` is bytes from the start of the MRAM heap.
#pragma once

#include <stdint.h>

struct ExpandArguments {
  uint32_t key[8];
  uint32_t nonce[3];  // of polynomial 0; the digit is the upper half of the last word
  uint32_t q;         // 1 mod 2^16, below 2^30
  uint32_t radix;     // 2^144 mod q
  uint32_t words;     // of a polynomial, a multiple of 4
  uint32_t polynomials;
  uint32_t out;
};
