// SPDX-License-Identifier: Apache-2.0
// The noise of BFV [FanVercauteren12]: (t / Q)(c_0 + c_1 s ..) = m + nu + t K with m, K integral; a ciphertext decrypts
// to m while |nu| < 1/2 in every coefficient, so while its bound in the canonical embedding is. Everything is relative
// to Q: no units.
#pragma once

#include "rlwe/embedding_bound.h"

namespace ringfort::bfv {

class NoiseGrowth {
 public:
  NoiseGrowth(u32 n, u64 plain_modulus);

  static constexpr double kLargest = -1;  // log2 of what decryption allows

  // Encryption of round(Q m / t) under the public or the secret key; adding a plaintext adds its rounding.
  [[nodiscard]] Bound fresh(Bound error, double log2_q) const noexcept {
    return relative(error + plain_rounding_, log2_q);
  }
  [[nodiscard]] Bound plain_rounding(double log2_q) const noexcept { return relative(plain_rounding_, log2_q); }
  // What an error in the phase (a key switch, a rounding) adds.
  [[nodiscard]] Bound relative(Bound phase_error, double log2_q) const noexcept {
    return phase_error * t_ / Bound::power_of_two(log2_q);
  }
  // round(t / Q a (x) b) of ciphertexts of 2 parts each, centred: with phi = m + nu + t K, |phi| <= t |c_0 + c_1 s| /
  // Q, nu = nu_b (phi_a - nu_a) + nu_a (phi_b - nu_b) + nu_a nu_b and the rounding of three parts.
  [[nodiscard]] Bound product(Bound a, Bound b, double log2_q) const noexcept;
  // Its two parts: what each product of a sum has, and what dividing the sum by Q / t adds, once for all of them.
  [[nodiscard]] Bound tensor(Bound a, Bound b) const noexcept;
  [[nodiscard]] Bound division(double log2_q) const noexcept { return relative(embedding_.rounding(3), log2_q); }
  // A product with a plaintext whose centred coefficients are at most `largest`.
  [[nodiscard]] Bound plain_product(Bound a, Bound largest) const noexcept { return a * embedding_.any(largest); }
  // Division of Q by dropped primes, for 2 or 3 parts.
  [[nodiscard]] Bound mod_switched(Bound a, double log2_smaller_q, u32 components) const noexcept {
    return a + relative(embedding_.rounding(components), log2_smaller_q);
  }
  [[nodiscard]] const EmbeddingBound& embedding() const noexcept { return embedding_; }

 private:
  EmbeddingBound embedding_;
  Bound t_, plain_rounding_, phase_;
};

}  // namespace ringfort::bfv
