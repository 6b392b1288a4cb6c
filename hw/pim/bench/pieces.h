// SPDX-License-Identifier: Apache-2.0
// The operations that figures are made of, as pieces for one DPU.
#pragma once

#include "bench/vector_run.h"

namespace ringfort::pim::bench {

inline constexpr std::uint32_t kShortPrime = 65537;

Piece add_piece(std::uint32_t q, std::uint32_t words);
// Products divided by 2^32, or 2^24 for q < 2^24; the same thing as plain ones for 2^16 + 1.
Piece multiply_piece(std::uint32_t q, std::uint32_t words);
// Towers of 60 bits: `words` of 64 bits.
Piece add60_piece(std::uint32_t words);
Piece multiply60_piece(std::uint32_t words);
// One Cooley-Tukey iteration: `words` butterflies of 64 bits; halves in one push, roots in another, both results in one pull.
Piece butterfly60_piece(std::uint32_t words);
// Products of slices of `words` words each, modulo x^words + 1.
Piece convolve_piece(std::uint32_t words);

}  // namespace ringfort::pim::bench
