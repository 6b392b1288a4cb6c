// SPDX-License-Identifier: Apache-2.0
// What the divisions by dropped primes have in common.
#pragma once

#include "backend/cpu/work.h"

namespace ringfort::cpu {

inline constexpr u32 kMostShortBits = 50;                 // of all primes of a plan, for conversions inside transforms

// The coefficients of evaluations `a`.
template <class W>
void coefficients_into(const PreparedLimb<W>& limb, W* out, const W* a) {
  if (limb.kernels->inverse_of != nullptr) return limb.kernels->inverse_of(limb.constants, out, a);
  std::memcpy(out, a, limb.constants.n * sizeof(W));
  limb.kernels->inverse(limb.constants, out);
}

// Without a transform; all pass through the first-level cache in pieces.
template <class W>
void put_quotients(const PreparedLimb<W>& limb, const W* t, const Quotient<W>& to, std::size_t n) {
  constexpr std::size_t kPiece = 1024;
  for (std::size_t at = 0; at < n; at += kPiece) {
    const std::size_t count = std::min(kPiece, n - at);
    W* const out = to.out + at;
    limb.kernels->sub(limb.constants, out, to.a + at, t + at, count);
    limb.kernels->multiply_scalar(limb.constants, out, out, to.factor, count);
    if (to.addend != nullptr) limb.kernels->add(limb.constants, out, out, to.addend + at, count);
  }
}

}  // namespace ringfort::cpu
