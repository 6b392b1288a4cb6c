// SPDX-License-Identifier: Apache-2.0
// The operations that figures.cpp and sweeps.cpp measure. Each function returns the kernel, arguments, pushed words and
// expected result of one DPU (KernelCase).
#pragma once

#include "bench/vector_run.h"
#include "sim/words.h"

namespace ringfort::pim::bench {

inline constexpr u32 kShortPrime = 65537;

KernelCase add_case(u32 q, u32 words);
// Returns products divided by 2^32, or by 2^24 for q < 2^24.
KernelCase multiply_case(u32 q, u32 words);
// Return sums and products of limbs of 60 bits, in `words` words of 64 bits.
KernelCase add60_case(u32 words);
KernelCase multiply60_case(u32 words);
// Returns one Cooley-Tukey iteration: `words` butterflies of 64 bits. One push transfers both halves, another push the
// roots; one pull transfers both results.
KernelCase butterfly60_case(u32 words);
// Returns the product of two slices of `words` words each, modulo x^words + 1.
KernelCase convolve_case(u32 words);

}  // namespace ringfort::pim::bench
