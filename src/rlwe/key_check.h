// SPDX-License-Identifier: Apache-2.0
// Checks that public keys belong to a secret. The phase of every row, minus the polynomial that the row encrypts, must
// be an error that the sampler can draw: |e| <= 21 in every coefficient, the same integers modulo every prime. A
// foreign key passes with the probability that a uniform polynomial is that small. The owner's keys always pass,
// because 21 is exact and not an estimate.
#pragma once

#include <span>
#include <string_view>

#include "ring/ring.h"

namespace ringfort {

inline constexpr u64 kLargestError = 21;  // of the centred binomial distribution, k = 21

// Tells whether `residues`, canonical coefficients of one polynomial limb by limb, are such an error. No branch depends
// on them.
[[nodiscard]] bool is_error(const Ring& ring, Limbs limbs, std::span<const u64> residues) noexcept;

[[noreturn]] void refuse_key(std::string_view which);  // throws parameters_mismatch

}  // namespace ringfort
