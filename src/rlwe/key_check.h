// SPDX-License-Identifier: Apache-2.0
// Checks that public keys belong to a secret. The phase of every row, less the polynomial that the row carries, must be
// an error that the sampler can draw: |e| <= 21 in every coefficient, the same integers modulo every prime. A foreign
// key passes with the probability that a uniform polynomial is that small. An owner's key always passes: no bound is
// estimated.
#pragma once

#include <span>
#include <string_view>

#include "ring/ring.h"

namespace ringfort {

inline constexpr u64 kLargestError = 21;  // of the centred binomial distribution, k = 21

// `residues`: canonical coefficients of one polynomial, limb by limb. No branch depends on them.
[[nodiscard]] bool is_error(const Ring& ring, Limbs limbs, std::span<const u64> residues) noexcept;

[[noreturn]] void refuse_key(std::string_view which);  // parameters_mismatch

}  // namespace ringfort
