// SPDX-License-Identifier: Apache-2.0
// The noise nu of BFV [FanVercauteren12]: (t / Q)(c_0 + c_1 s ..) = m + nu + t K, with m and K integral. A ciphertext
// decrypts to m while |nu| < 1/2 in every coefficient; a bound below 1/2 in the canonical embedding implies this. Noise
// is relative to Q and has no unit.
#pragma once

#include "rlwe/embedding_bound.h"

namespace ringfort::bfv {

class NoiseGrowth {
 public:
  NoiseGrowth(u32 n, u64 plain_modulus);

  static constexpr double kLargest = -1;  // log2 of the largest noise that decrypts

  // Returns the noise of an encryption of round(Q m / t). `error` bounds the error of an encryption of zero under the
  // same key. The addition of a plaintext adds plain_rounding.
  [[nodiscard]] Bound fresh(Bound error, double log2_q) const noexcept {
    return relative(error + plain_rounding_, log2_q);
  }
  [[nodiscard]] Bound plain_rounding(double log2_q) const noexcept { return relative(plain_rounding_, log2_q); }
  // Converts an error of the phase, for example of a key switch, to noise.
  [[nodiscard]] Bound relative(Bound phase_error, double log2_q) const noexcept {
    return phase_error * t_ / Bound::power_of_two(log2_q);
  }
  // Returns the noise of t / Q times the tensor product of a and b, rounded, for centred ciphertexts of 2 components
  // each. With phi = m + nu + t K and |phi| <= t |c_0 + c_1 s| / Q, the noise is nu_b (phi_a - nu_a) + nu_a (phi_b -
  // nu_b) + nu_a nu_b plus the rounding of three components.
  [[nodiscard]] Bound product(Bound a, Bound b, double log2_q) const noexcept;
  // These return the two terms of `product`. A sum of products has one `tensor` term for each product, and one
  // `division` term, the rounding of the division by Q / t.
  [[nodiscard]] Bound tensor(Bound a, Bound b) const noexcept;
  [[nodiscard]] Bound division(double log2_q) const noexcept { return relative(embedding_.rounding(3), log2_q); }
  // Returns the noise of a product with a plaintext whose centred coefficients are at most `largest`.
  [[nodiscard]] Bound plain_product(Bound a, Bound largest) const noexcept { return a * embedding_.any(largest); }
  // Returns the noise after division by the dropped primes. components: 2 or 3.
  [[nodiscard]] Bound mod_switched(Bound a, double log2_smaller_q, u32 components) const noexcept {
    return a + relative(embedding_.rounding(components), log2_smaller_q);
  }
  [[nodiscard]] const EmbeddingBound& embedding() const noexcept { return embedding_; }

 private:
  EmbeddingBound embedding_;
  Bound t_, plain_rounding_, phase_;
};

}  // namespace ringfort::bfv
