// SPDX-License-Identifier: Apache-2.0
// The operations that figures are made of, as pieces for one DPU.
#pragma once

#include "bench/vector_run.h"
#include "sim/words.h"

namespace ringfort::pim::bench {

inline constexpr u32 kShortPrime = 65537;

KernelCase add_case(u32 q, u32 words);
// Products divided by 2^32, or 2^24 for q < 2^24; the same thing as plain ones for 2^16 + 1.
KernelCase multiply_case(u32 q, u32 words);
// Limbs of 60 bits: `words` of 64 bits.
KernelCase add60_case(u32 words);
KernelCase multiply60_case(u32 words);
// One Cooley-Tukey iteration: `words` butterflies of 64 bits; halves in one push, roots in another, both results in one
// pull.
KernelCase butterfly60_case(u32 words);
// Products of slices of `words` words each, modulo x^words + 1.
KernelCase convolve_case(u32 words);

}  // namespace ringfort::pim::bench
