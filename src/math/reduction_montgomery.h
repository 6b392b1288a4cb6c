// SPDX-License-Identifier: Apache-2.0
// Montgomery's reduction [Montgomery85] for any odd modulus q of one word. R = 2^w, where w is the length of a word.
// multiply(a, b) = a b / R mod q, if a b < q R. One factor may be any word if the other is below q. If one factor is in
// Montgomery form (to_form) and the other is not, the product is not in Montgomery form.
#pragma once

#include "math/reduction.h"

namespace ringfort {

template <class W>
class Montgomery {
 public:
  static constexpr std::string_view kName = "Montgomery";
  static constexpr u32 kMaxBits = kWordBits<W>;
  static constexpr u32 kMostCorrections = 1;
  [[nodiscard]] static constexpr bool accepts(W q) noexcept { return (q & W(1)) != W(0) && q != W(1); }
  constexpr explicit Montgomery(W q) noexcept : q_(q) {
    RF_ASSERT(accepts(q));
    W inverse = q;  // q q = 1 mod 8; each Newton step doubles the correct bits
    for (u32 bits = 3; bits < kWordBits<W>; bits *= 2) {
      inverse = mullo<W>(inverse, static_cast<W>(W(2) - mullo<W>(inverse, q)));
    }
    inverse_ = inverse;
    one_ = divide_wide<W>(W(1), W(0), q).remainder;
    square_ = one_;  // R^2 mod q, by w doublings of R mod q
    for (u32 i = 0; i < kWordBits<W>; ++i) square_ = add_mod<W>(square_, square_, q);
  }

  [[nodiscard]] constexpr W modulus() const noexcept { return q_; }
  [[nodiscard]] constexpr W one() const noexcept { return one_; }

  // Returns (hi R + lo) / R mod q in [0, q), for hi < q.
  [[nodiscard]] constexpr W reduce(W hi, W lo) const noexcept {
    const W cancel = mulhi<W>(mullo<W>(lo, inverse_), q_);
    return static_cast<W>(hi - cancel + (q_ & mask_if<W>(hi < cancel)));
  }
  [[nodiscard]] constexpr W multiply(W a, W b) const noexcept {
    const Wide<W> product = mul_wide<W>(a, b);
    return reduce(WordTraits<W>::high(product), WordTraits<W>::low(product));
  }
  // Returns 1 if the reduction of (hi R + lo) / R must add q, because the difference is negative. If not, returns 0.
  [[nodiscard]] constexpr u32 corrections(W hi, W lo) const noexcept {
    return hi < mulhi<W>(mullo<W>(lo, inverse_), q_) ? 1 : 0;
  }
  [[nodiscard]] constexpr W to_form(W a) const noexcept { return multiply(a, square_); }
  [[nodiscard]] constexpr W from_form(W a) const noexcept { return reduce(W(0), a); }

  // Returns base^exponent. `base` and the result are in Montgomery form.
  [[nodiscard]] constexpr W power(W base, W exponent) const noexcept {
    W result = one_;
    for (; exponent != W(0); exponent = static_cast<W>(exponent >> 1)) {
      if ((exponent & W(1)) != W(0)) result = multiply(result, base);
      base = multiply(base, base);
    }
    return result;
  }

 private:
  W q_{};
  W inverse_{};  // q^-1 mod R
  W one_{};      // R mod q
  W square_{};   // R^2 mod q
};

}  // namespace ringfort
