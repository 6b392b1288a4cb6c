// SPDX-License-Identifier: Apache-2.0
// Bounds the noise of BFV's products (noise.h, which derives the formulas).
#include "scheme/bfv/noise.h"

namespace ringfort::bfv {

NoiseGrowth::NoiseGrowth(u32 n, u64 plain_modulus)
    : embedding_(n),
      t_(Bound::of(static_cast<double>(plain_modulus))),
      plain_rounding_(embedding_.any(Bound::of(0.5))),
      phase_(t_ * embedding_.uniform_phase(2)) {}

Bound NoiseGrowth::tensor(Bound a, Bound b) const noexcept { return phase_ * (a + b) + Bound::of(3) * a * b; }

Bound NoiseGrowth::product(Bound a, Bound b, double log2_q) const noexcept { return tensor(a, b) + division(log2_q); }

}  // namespace ringfort::bfv
