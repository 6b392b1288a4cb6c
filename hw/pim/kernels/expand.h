// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernels expand (32-bit words) and expand64 (64-bit words), which the host writes before a
// launch. The kernels compute public uniform polynomials from a seed. Coefficient i of polynomial p is the
// little-endian number in bytes 16 i .. 16 i + 15 of a ChaCha20 stream [RFC8439], mod q. The stream has the seed as
// key, begins at block counter 0, and has the nonce purpose (16 bits) | object (48) | limb (16) | digit + p (16),
// little endian in this order. `out` is in bytes from the start of the MRAM heap.
#pragma once

#include <stdint.h>

struct ExpandArguments {
  uint32_t key[8];
  uint32_t nonce[3];  // nonce of polynomial 0; the digit is the upper half of the last word
  uint32_t q;         // 1 mod 2^16, below 2^30
  uint32_t radix;     // 2^144 mod q
  uint32_t words;     // words per polynomial, a multiple of 4
  uint32_t polynomials;
  uint32_t out;
};

struct Expand64Arguments {
  uint32_t key[8];
  uint32_t nonce[3], words;
  uint64_t q;              // 1 mod 128, below 2^62
  uint64_t radix, square;  // 2^64 and 2^128 mod q
  uint32_t polynomials;
  uint32_t out;
};
