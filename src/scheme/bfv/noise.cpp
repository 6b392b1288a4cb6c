// SPDX-License-Identifier: Apache-2.0
// Bounds the noise of BFV's products (noise.h, which derives the formulas).
#include "scheme/bfv/noise.h"

namespace ringfort::bfv {

NoiseGrowth::NoiseGrowth(u32 n, u64 plain_modulus)
    : embedding_(n),
      t_(Bound::of(static_cast<double>(plain_modulus))),
      plain_rounding_(embedding_.any(Bound::of(0.5))),
      phase_of_two_(t_ * embedding_.uniform_phase(2)) {}

Bound NoiseGrowth::tensor(const Factor& a, const Factor& b) const noexcept {
  const Bound x = a.noise, y = b.noise;
  const Bound of_phases =
      a.components == b.components ? phase(a.components) * (x + y) : phase(a.components) * y + phase(b.components) * x;
  return of_phases + Bound::of(3) * x * y;
}

Bound NoiseGrowth::product(const Factor& a, const Factor& b, double log2_q) const noexcept {
  return tensor(a, b) + division(log2_q, a.components + b.components - 1);
}

}  // namespace ringfort::bfv
