// SPDX-License-Identifier: Apache-2.0
// Composition of integers that are longer than two words from their residues modulo several primes (Chinese remainder
// theorem), by mixed radix [Garner59]. Q is the product of the primes. The functions return quotients by a power of
// two, or a logarithm. For integers of at most two words, RnsBasis::compose_centred (rns.h) is simpler.
#pragma once

#include <span>

#include "math/rns.h"

namespace ringfort {

inline constexpr u32 kMostShift = 1024;

// Composes residues [limb][coefficient] to their representatives in [-Q/2, Q/2]. Divides them by 2^shift, and rounds to
// nearest, ties upwards. The results must be below 2^127. Requires shift <= kMostShift. No branch and no index depends
// on a residue.
void compose_rounded(const RnsBasis& basis, Limbs limbs, u32 shift, std::span<const u64> residues,
                     std::span<i128> out) noexcept;

// Let m be the largest |x| of the representatives x in [-Q/2, Q/2] of residues [limb][coefficient]. Returns log2(m + 1)
// if some x is m, and log2(m) if only -m occurs. The result is at least 0, and always finite. There may be at most
// kMostLimbs limbs. No branch and no index depends on a residue, except on the largest, which the result reveals.
[[nodiscard]] double log2_largest_centred(const RnsBasis& basis, Limbs limbs, std::span<const u64> residues) noexcept;

}  // namespace ringfort
