// SPDX-License-Identifier: Apache-2.0
// What the host writes into `arguments` of the program barrett before a launch: out[i] = a[i] b[i] mod q for towers of up to 60
// bits. Offsets are bytes from the start of the MRAM heap, multiples of 8.
#pragma once

#include <stdint.h>

struct BarrettArguments {
  uint64_t q;   // any modulus of `bits` bits, 33 .. 60
  uint64_t mu;  // floor(2^(2 bits) / q)
  uint32_t bits;
  uint32_t words;  // of 64 bits
  uint32_t a, b, out;
};
