// SPDX-License-Identifier: Apache-2.0
// The operations that figures.cpp and sweeps.cpp measure. Each function returns a KernelCase (vector_run.h): the
// kernel, the arguments, the pushed words and the expected result of one DPU. hw/pim/README.md explains the terms.
#pragma once

#include "bench/vector_run.h"
#include "sim/words.h"

namespace ringfort::pim::bench {

inline constexpr u32 kShortPrime = 65537;

KernelCase add_case(u32 q, u32 words);
// Returns Montgomery products: a b / 2^24 mod q if q is below 2^24 and not 65537, and a b / 2^32 mod q for any other q.
KernelCase multiply_case(u32 q, u32 words);
// Return sums and products modulo a 60-bit prime, in `words` words of 64 bits.
KernelCase add60_case(u32 words);
KernelCase multiply60_case(u32 words);
// Returns one Cooley-Tukey iteration: `words` butterflies on 64-bit words. The first push transfers the two halves of
// the operands, and the second push transfers the roots. One pull transfers the two halves of the results.
KernelCase butterfly60_case(u32 words);
// Returns the product of two slices of `words` words each, modulo x^words + 1.
KernelCase convolve_case(u32 words);

}  // namespace ringfort::pim::bench
