// SPDX-License-Identifier: Apache-2.0
// Checks that public keys belong to a secret. Every row encrypts a known polynomial. Its phase minus this polynomial
// must be an error that the sampler can draw: integers in -21 .. 21, equal modulo all primes. The owner's keys always
// pass, because the sampler never exceeds 21. Another key passes only if uniform residues are that small by chance.
#pragma once

#include <span>
#include <string_view>

#include "ring/ring.h"

namespace ringfort {

inline constexpr u64 kLargestError = 21;  // largest value of the centred binomial distribution, k = 21

// Tells whether one polynomial is such an error. residues: canonical, [limb][coefficient]. No branch depends on them.
[[nodiscard]] bool is_error(const Ring& ring, Limbs limbs, std::span<const u64> residues) noexcept;

[[noreturn]] void refuse_key(std::string_view which);  // throws parameters_mismatch

}  // namespace ringfort
