// SPDX-License-Identifier: Apache-2.0
// The noise nu of BFV [FanVercauteren12]. A phase satisfies (t / Q)(c_0 + c_1 s ..) = m + nu + t K, where the message m
// and the polynomial K have integer coefficients. A ciphertext decrypts to m if every coefficient of nu is below 1/2 in
// absolute value. A bound below 1/2 in the canonical embedding (rlwe/embedding_bound.h) implies this. The noise is
// relative to Q / t and has no unit. The functions below take and return bounds on noises and errors.
#pragma once

#include "rlwe/embedding_bound.h"

namespace ringfort::bfv {

// A factor of a product: its noise, and its number of components.
struct Factor {
  Bound noise;
  u32 components = 2;
};

class NoiseGrowth {
 public:
  NoiseGrowth(u32 n, u64 plain_modulus);

  static constexpr double kLargest = -1;  // log2 of the largest noise that decrypts

  // Returns the noise of an encryption of round(Q m / t). `error` bounds the error of an encryption of zero under the
  // same key. Adding the rounded plaintext increases the noise by plain_rounding.
  [[nodiscard]] Bound fresh(Bound error, double log2_q) const noexcept {
    return relative(error + plain_rounding_, log2_q);
  }
  [[nodiscard]] Bound plain_rounding(double log2_q) const noexcept { return relative(plain_rounding_, log2_q); }
  // Converts an error of the phase, for example of a key switch, to noise.
  [[nodiscard]] Bound relative(Bound phase_error, double log2_q) const noexcept {
    return phase_error * t_ / Bound::power_of_two(log2_q);
  }
  // Returns the noise of the product of two centred ciphertexts (coefficients in [-Q/2, Q/2]) a and b of k and l
  // components. The product is t / Q times the tensor product, rounded. Let phi = (t / Q)(c_0 + c_1 s ..) = m + nu +
  // t K for each factor. The noise of the product is nu_b (phi_a - nu_a) + nu_a (phi_b - nu_b) + nu_a nu_b, plus the
  // rounding of k + l - 1 components. phi is bounded as t times a phase of uniform components.
  [[nodiscard]] Bound product(const Factor& a, const Factor& b, double log2_q) const noexcept;
  // The next two functions return the two parts of `product`. A sum of products has one `tensor` part for each product.
  // It has one `division` part for each division: the rounding error of dividing by Q / t.
  [[nodiscard]] Bound tensor(const Factor& a, const Factor& b) const noexcept;
  [[nodiscard]] Bound division(double log2_q, u32 components) const noexcept {
    return relative(embedding_.rounding(components), log2_q);
  }
  // Returns the noise of a product with a plaintext whose centred coefficients are at most `largest`.
  [[nodiscard]] Bound plain_product(Bound a, Bound largest) const noexcept { return a * embedding_.any(largest); }
  // Returns the noise after a division by the dropped primes.
  [[nodiscard]] Bound mod_switched(Bound a, double log2_smaller_q, u32 components) const noexcept {
    return a + relative(embedding_.rounding(components), log2_smaller_q);
  }
  [[nodiscard]] const EmbeddingBound& embedding() const noexcept { return embedding_; }

 private:
  [[nodiscard]] Bound phase(u32 components) const noexcept {
    return components == 2 ? phase_of_two_ : t_ * embedding_.uniform_phase(components);
  }
  EmbeddingBound embedding_;
  Bound t_, plain_rounding_, phase_of_two_;
};

}  // namespace ringfort::bfv
