// SPDX-License-Identifier: Apache-2.0
// Computes the noise bounds of a chain of primes (key_noise.h).
#include "rlwe/key_noise.h"

namespace ringfort {

KeyNoise::KeyNoise(u32 n, const Chain& chain, const RnsBasis& basis, u64 error_factor)
    : embedding_(n),
      factor_(Bound::of(static_cast<double>(error_factor))) {
  for (u32 level = 0; chain.special_limbs != 0 && level <= chain.top_level(); ++level) {
    std::vector<double> digits;
    for (u32 d = 0; d < chain.digits(level); ++d) digits.push_back(basis.log2_product(chain.digit(level, d)));
    switching_.push_back(embedding_.key_switch(digits, basis.log2_product(chain.special())) * factor_);
  }
}

}  // namespace ringfort
