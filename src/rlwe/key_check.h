// SPDX-License-Identifier: Apache-2.0
// Checks that public keys belong to a secret (require_matching in ringfort/keys.h). Every row of a public key encrypts
// a polynomial that the owner of the secret knows. Take the phase b + a s of the row (b, a), and subtract this
// polynomial. The difference must be f (keys.h) times an error that the sampler can draw: the error's coefficients are
// integers in -21 .. 21, the same modulo all primes. The owner's keys always pass, because the sampler never exceeds
// 21. For a key of another secret, the residues of the difference are uniform. Such a key passes only if all of them
// happen to be this small.
#pragma once

#include <span>
#include <string_view>

#include "ring/ring.h"

namespace ringfort {

inline constexpr u64 kLargestError = 21;  // largest value of the centred binomial distribution, k = 21

// Tells whether the coefficients of one polynomial are integers in -21 .. 21, equal modulo all primes. The residues are
// canonical and ordered as [limb][coefficient]. No branch depends on a residue.
[[nodiscard]] bool is_error(const Ring& ring, Limbs limbs, std::span<const u64> residues) noexcept;

[[noreturn]] void refuse_key(std::string_view which);  // throws parameters_mismatch

}  // namespace ringfort
