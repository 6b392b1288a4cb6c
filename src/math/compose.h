// SPDX-License-Identifier: Apache-2.0
// What residues stand for, divided by a power of two: where an integer is longer than two words, the upper two of it.
// Mixed radix [Garner59] in as many words as the shift needs; RnsBasis::compose_centred is the way for integers that
// fit.
#pragma once

#include <span>

#include "math/rns.h"

namespace ringfort {

inline constexpr u32 kMostShift = 1024;

// The representatives in [-Q/2, Q/2] of residues [limb][coefficient], divided by 2^shift and rounded to nearest,
// upwards from the middle; they are then below 2^127. shift <= kMostShift. No branch and no index depends on a residue.
void compose_rounded(const RnsBasis& basis, Limbs limbs, u32 shift, std::span<const u64> residues,
                     std::span<i128> out) noexcept;

}  // namespace ringfort
