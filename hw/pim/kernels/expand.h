// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernels expand (32-bit words) and expand64 (64-bit words). The host writes them before a launch.
// The kernels compute public uniform polynomials from a seed. Each polynomial p has its own ChaCha20 stream [RFC8439].
// Coefficient i of polynomial p is the little-endian number in bytes 16 i to 16 i + 15 of this stream, mod q. The key
// of the stream is the seed. The block counter begins at 0. The nonce is the library's address of a random polynomial:
// purpose (16 bits) | object (48 bits) | limb (16 bits) | digit + p (16 bits), little endian, in this order. `out` is
// an offset in bytes from the start of the MRAM heap. hw/pim/README.md explains the terms.
#pragma once

#include <stdint.h>

struct ExpandArguments {
  uint32_t key[8];
  uint32_t nonce[3];  // nonce of polynomial 0, whose digit is the upper half of the last word
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
