// SPDX-License-Identifier: Apache-2.0
// Shoup's multiplication by a constant [Harvey14, section 3]. It takes one high product and two low products. The
// constant has a companion, floor(value 2^w / q), where w is the length of a word. For any word x, the result is in [0,
// 2q). Moduli have at most w - 1 bits, so that 2q fits into a word.
#pragma once

#include "math/reduction.h"

namespace ringfort {

template <class W>
struct ShoupFactor {
  W value{};
  W quotient{};  // floor(value * 2^w / q)
};

// Returns the constant `value`, which is below q, with its companion.
template <class W>
[[nodiscard]] constexpr ShoupFactor<W> shoup_factor(W value, W q) noexcept {
  return {value, divide_wide<W>(value, W(0), q).quotient};
}

// Returns x * factor mod q in [0, 2q), for any word x.
template <class W>
[[nodiscard]] constexpr W shoup_multiply_lazy2(W x, const ShoupFactor<W>& factor, W q) noexcept {
  return static_cast<W>(mullo<W>(x, factor.value) - mullo<W>(mulhi<W>(x, factor.quotient), q));
}

template <class W>
[[nodiscard]] constexpr W shoup_multiply(W x, const ShoupFactor<W>& factor, W q) noexcept {
  return subtract_if_not_below<W>(shoup_multiply_lazy2<W>(x, factor, q), q);
}

// The interface of reduction.h for a constant factor.
template <class W>
class Shoup {
 public:
  static constexpr std::string_view kName = "Shoup";
  static constexpr u32 kMaxBits = kWordBits<W> - 1;
  static constexpr u32 kMostCorrections = 1;
  [[nodiscard]] static constexpr bool accepts(W q) noexcept { return q >= W(2) && bit_length(q) <= kMaxBits; }
  constexpr explicit Shoup(W q) noexcept : q_(q) {}
  [[nodiscard]] constexpr W modulus() const noexcept { return q_; }
  [[nodiscard]] constexpr ShoupFactor<W> factor(W value) const noexcept { return shoup_factor<W>(value, q_); }
  [[nodiscard]] constexpr W multiply(W x, const ShoupFactor<W>& factor) const noexcept {
    return shoup_multiply<W>(x, factor, q_);
  }
  [[nodiscard]] constexpr u32 corrections(W x, const ShoupFactor<W>& factor) const noexcept {
    return shoup_multiply_lazy2<W>(x, factor, q_) >= q_ ? 1 : 0;
  }

 private:
  W q_{};
};

}  // namespace ringfort
