// SPDX-License-Identifier: Apache-2.0
// The noise of BGV [BrakerskiGentryVaikuntanathan12]. The phase c_0 + c_1 s (+ c_2 s^2) is a polynomial with integer
// coefficients. Modulo t, it is congruent to the message times the correction factor, a public number that the
// ciphertext carries. The noise bound of a ciphertext covers the whole phase, including the message. A ciphertext
// decrypts if the coefficients of its phase are below Q / 2 in absolute value. Errors of samples (encryptions of zero)
// and rounding errors are multiples of t.
#pragma once

#include "rlwe/embedding_bound.h"

namespace ringfort::bgv {

class NoiseGrowth {
 public:
  NoiseGrowth(u32 n, u64 plain_modulus)
      : embedding_(n),
        t_(Bound::of(static_cast<double>(plain_modulus))),
        message_(embedding_.any(Bound::of(static_cast<double>(plain_modulus) / 2))) {}

  // Returns log2 of the largest phase that decrypts.
  [[nodiscard]] static double largest(double log2_q) noexcept { return log2_q - 1; }

  // Returns the bound of any centred message. Adding a plaintext increases the noise bound by this bound.
  [[nodiscard]] Bound message() const noexcept { return message_; }
  [[nodiscard]] Bound fresh(Bound error) const noexcept { return message_ + error * t_; }
  // Returns the bound of t e. An error e, for example of a key switch, adds t e to the phase.
  [[nodiscard]] Bound added(Bound error) const noexcept { return error * t_; }
  [[nodiscard]] Bound mod_switched(Bound phase, double log2_dropped, u32 components) const noexcept {
    return phase / Bound::power_of_two(log2_dropped) + added(embedding_.rounding(components));
  }
  [[nodiscard]] const EmbeddingBound& embedding() const noexcept { return embedding_; }

 private:
  EmbeddingBound embedding_;
  Bound t_, message_;
};

}  // namespace ringfort::bgv
