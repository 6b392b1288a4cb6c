// SPDX-License-Identifier: Apache-2.0
// The kernel expand: expands a seed to random 32-bit words (expand.h). A sample x has 128 bits, that is, eight digits
// of 16 bits. Seven Montgomery rounds (modular.h) compute x / 2^112 mod q. A Montgomery product with 2^144 then gives x
// mod q. The rest of the code is in expand_stream.h.
#include "expand.h"

#include <defs.h>
#include <mram.h>

#include "modular.h"

__host struct ExpandArguments arguments;

// Returns (r + m q) / 2^16 + digit, where m makes the division exact. The result is below q + 2^17 for r < 2^31.
__attribute__((always_inline)) static inline uint32_t next_digit(uint32_t r, uint32_t digit, uint32_t c) {
  return ((r + 0xffff) >> 16) + product_16(0u - r, c) + digit;
}

static uint32_t remainder_of(const uint32_t* sample) {
  const uint32_t q = arguments.q, c = q >> 16;
  uint32_t r = next_digit(sample[0] & 0xffff, sample[0] >> 16, c);
  for (uint32_t i = 1; i < 4; i++) r = next_digit(next_digit(r, sample[i] & 0xffff, c), sample[i] >> 16, c);
  return montgomery_30(reduce_once(r, q), arguments.radix, q);
}

#include "expand_stream.h"
