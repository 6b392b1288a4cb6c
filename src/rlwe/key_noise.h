// SPDX-License-Identifier: Apache-2.0
// KeyNoise: bounds of the errors that fresh encryptions and key switches of one chain of primes add to a phase
// (c0 + c1 s, which decryption rounds). The bounds use the canonical embedding (rlwe/embedding_bound.h), and the units
// of the phase. All errors and rounding errors are multiples of the scheme's error factor. This factor is the plain
// modulus in BGV, and 1 in all other schemes. No bound depends on a secret.
#pragma once

#include <vector>

#include "math/rns.h"
#include "rlwe/chain.h"
#include "rlwe/embedding_bound.h"

namespace ringfort {

class KeyNoise {
 public:
  KeyNoise(u32 n, const Chain& chain, const RnsBasis& basis, u64 error_factor);

  [[nodiscard]] const EmbeddingBound& embedding() const noexcept { return embedding_; }
  [[nodiscard]] Bound fresh_under_secret() const noexcept { return embedding_.fresh_secret() * factor_; }
  [[nodiscard]] Bound fresh_under_public() const noexcept { return embedding_.fresh_public() * factor_; }
  // Returns the bound of the rounding error that mod_down causes in a ciphertext.
  [[nodiscard]] Bound rounding(u32 components) const noexcept { return embedding_.rounding(components) * factor_; }
  // Returns the bound of the error of switching one polynomial at this level, including rounding. The chain must have
  // special primes.
  [[nodiscard]] Bound key_switch(u32 level) const noexcept { return switching_[level]; }

 private:
  EmbeddingBound embedding_;
  Bound factor_;
  std::vector<Bound> switching_;  // by level
};

}  // namespace ringfort
