// SPDX-License-Identifier: Apache-2.0
// The operations that figures are made of, as pieces for one DPU.
#pragma once

#include "bench/vector_run.h"
#include "sim/words.h"

namespace ringfort::pim::bench {

inline constexpr u32 kShortPrime = 65537;

Piece add_piece(u32 q, u32 words);
// Products divided by 2^32, or 2^24 for q < 2^24; the same thing as plain ones for 2^16 + 1.
Piece multiply_piece(u32 q, u32 words);
// Towers of 60 bits: `words` of 64 bits.
Piece add60_piece(u32 words);
Piece multiply60_piece(u32 words);
// One Cooley-Tukey iteration: `words` butterflies of 64 bits; halves in one push, roots in another, both results in one
// pull.
Piece butterfly60_piece(u32 words);
// Products of slices of `words` words each, modulo x^words + 1.
Piece convolve_piece(u32 words);

}  // namespace ringfort::pim::bench
