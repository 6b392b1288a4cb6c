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

// States how a ciphertext was made. If it is fresh, its noise bound follows from the parameters. The last two values
// are encryptions under a public key without and with the division by the last special prime (encryption.h). The
// numbers are part of the file format.
enum class Origin : u8 { evaluated = 0, fresh_secret = 1, fresh_public = 2, fresh_public_divided = 3 };

class KeyNoise {
 public:
  KeyNoise(u32 n, const Chain& chain, const RnsBasis& basis, u64 error_factor);

  [[nodiscard]] const EmbeddingBound& embedding() const noexcept { return embedding_; }
  // Returns the bound of the error of a fresh encryption of zero. The origin must not be `evaluated`, and must be
  // possible for this chain.
  [[nodiscard]] Bound fresh(Origin origin) const noexcept;
  // Returns the origin of encryptions under the public keys that this version makes.
  [[nodiscard]] Origin of_public_keys() const noexcept {
    return log2_divisor_ > 0 ? Origin::fresh_public_divided : Origin::fresh_public;
  }
  // Returns the bound of the rounding error that mod_down causes in a ciphertext.
  [[nodiscard]] Bound rounding(u32 components) const noexcept { return embedding_.rounding(components) * factor_; }
  // Returns the bound of the error of switching one polynomial at this level, including rounding. The chain must have
  // special primes.
  [[nodiscard]] Bound key_switch(u32 level) const noexcept { return switching_[level]; }

 private:
  EmbeddingBound embedding_;
  Bound factor_;
  double log2_divisor_ = 0;       // log2 of the last special prime, or 0
  std::vector<Bound> switching_;  // by level
};

}  // namespace ringfort
