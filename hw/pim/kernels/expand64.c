// SPDX-License-Identifier: Apache-2.0
// The kernel expand64: expands a seed to random 64-bit words (expand.h). A sample is x + 2^64 y, with words x and y.
// Its residue is the sum of two Montgomery products: x times (2^64 mod q), and y times (2^128 mod q). The rest of the
// code is in expand_stream.h.
#include "expand.h"

#include <defs.h>
#include <mram.h>

#include "modular64.h"

__host struct Expand64Arguments arguments;

static Word remainder_of(const uint32_t* sample) {
  const Word q = arguments.q, x = (Word)sample[1] << 32 | sample[0], y = (Word)sample[3] << 32 | sample[2];
  return add_mod(multiply_wide(x, arguments.radix, q), multiply_wide(y, arguments.square, q), q);
}

#include "expand_stream.h"
