// SPDX-License-Identifier: Apache-2.0
// Checks that public keys belong to a secret (require_matching in ringfort/keys.h). Every row of a public key encrypts
// a polynomial that the owner of the secret knows. The row's phase minus this polynomial must be an error that the
// sampler can draw: integers in -21 .. 21, equal modulo all primes. The owner's keys always pass, because the sampler
// never exceeds 21. Another key passes only if uniform residues are that small by chance.
#pragma once

#include <span>
#include <string_view>

#include "ring/ring.h"

namespace ringfort {

inline constexpr u64 kLargestError = 21;  // largest value of the centred binomial distribution, k = 21

// Tells whether one polynomial has integers in -21 .. 21 as coefficients, equal modulo all primes. residues: canonical,
// [limb][coefficient]. No branch depends on them.
[[nodiscard]] bool is_error(const Ring& ring, Limbs limbs, std::span<const u64> residues) noexcept;

[[noreturn]] void refuse_key(std::string_view which);  // throws parameters_mismatch

}  // namespace ringfort
