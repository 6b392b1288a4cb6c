// SPDX-License-Identifier: Apache-2.0
// Whether public keys are those of a secret: the phase of every row, less what the row carries, must be an error that
// the sampler can give, |e| <= 21 in every coefficient, the same integers modulo every prime. So a foreign key is
// refused but with the probability that a uniform polynomial is that small. What a key's owner made cannot be refused:
// no bound is estimated here.
#pragma once

#include <span>
#include <string_view>

#include "ring/ring.h"

namespace ringfort {

inline constexpr u64 kLargestError = 21;  // of the centred binomial distribution, k = 21

// `residues`: one polynomial's coefficients, limb by limb, canonical. No branch depends on them.
[[nodiscard]] bool is_error(const Ring& ring, Limbs limbs, std::span<const u64> residues) noexcept;

[[noreturn]] void refuse_key(std::string_view which);  // parameters_mismatch

}  // namespace ringfort
