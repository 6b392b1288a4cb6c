// SPDX-License-Identifier: Apache-2.0
// Computes the noise bounds of a chain of primes (key_noise.h).
#include "rlwe/key_noise.h"

#include "base/assert.h"

namespace ringfort {

KeyNoise::KeyNoise(u32 n, const Chain& chain, const RnsBasis& basis, u64 error_factor)
    : embedding_(n),
      factor_(Bound::of(static_cast<double>(error_factor))),
      log2_divisor_(basis.log2_product(chain.last_special())) {
  for (u32 level = 0; chain.special_limbs != 0 && level <= chain.top_level(); ++level) {
    std::vector<double> digits;
    for (u32 d = 0; d < chain.digits(level); ++d) digits.push_back(basis.log2_product(chain.digit(level, d)));
    switching_.push_back(embedding_.key_switch(digits, basis.log2_product(chain.special())) * factor_);
  }
}

Bound KeyNoise::fresh(Origin origin) const noexcept {
  RF_ASSERT(origin != Origin::evaluated && (origin != Origin::fresh_public_divided || log2_divisor_ > 0));
  if (origin == Origin::fresh_secret) return embedding_.fresh_secret() * factor_;
  if (origin == Origin::fresh_public) return embedding_.fresh_public() * factor_;
  return embedding_.fresh_public(log2_divisor_) * factor_;
}

}  // namespace ringfort
