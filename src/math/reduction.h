// SPDX-License-Identifier: Apache-2.0
// The interface of modular reductions, and the two simple reductions. A reduction R over words W has these members.
// The functions of Montgomery, Shoup and BaselineAddition have other operands.
//   kName: its name;  kMaxBits: length in bits of the longest supported modulus;  accepts(q): checks kMaxBits and all
//     other requirements
//   R(q): precomputes, requires accepts(q);  make_reduction<R>(q): returns R(q), or a Failure with the limit
//   reduce(x): x mod q for a double word x < 2^(2m), m = bit_length(q);  multiply(a, b): a b mod q for a, b < q
//   corrections(x): the number of final subtractions of q that x needs, for tests and for statistics
//                   [Shivdikar22, Fig. 4]
// The other reductions are in reduction_barrett.h, reduction_shoup.h, reduction_montgomery.h and reduction_special.h.
#pragma once

#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/result.h"
#include "math/word.h"

namespace ringfort {

// The value floor(2^exponent / q), if it fits into the word.
template <class W>
struct PowerQuotient {
  bool fits = false;
  W value{};
};

template <class W>
[[nodiscard]] constexpr PowerQuotient<W> power_quotient(u32 exponent, W q) noexcept {
  const bool in_high = exponent >= kWordBits<W>;
  const W bit = static_cast<W>(W(1) << (exponent % kWordBits<W>));
  const W hi = in_high ? bit : W(0), lo = in_high ? W(0) : bit;
  if (exponent >= 2 * kWordBits<W> || hi >= q) return {};
  return {true, divide_wide<W>(hi, lo, q).quotient};
}

template <class Reduction, class W>
[[nodiscard]] Result<Reduction> make_reduction(W q) {
  if (!Reduction::accepts(q)) {
    return Failure{
        Code::unsupported,
        std::string(Reduction::kName) + " does not support this modulus of " + std::to_string(bit_length(q)) + " bits",
        "it takes suitable moduli of at most " + std::to_string(Reduction::kMaxBits) + " bits in words of " +
            std::to_string(kWordBits<W>)};
  }
  return Reduction(q);
}

// Reduces by a plain division, without a precomputed constant.
template <class W>
class BuiltinRemainder {
 public:
  static constexpr std::string_view kName = "builtin";
  static constexpr u32 kMaxBits = kWordBits<W>;
  [[nodiscard]] static constexpr bool accepts(W q) noexcept { return q >= W(2); }
  constexpr explicit BuiltinRemainder(W q) noexcept : q_(q) { RF_ASSERT(accepts(q)); }
  [[nodiscard]] constexpr W modulus() const noexcept { return q_; }
  [[nodiscard]] constexpr W reduce(Wide<W> x) const noexcept { return remainder_wide<W>(x, q_); }
  [[nodiscard]] constexpr W multiply(W a, W b) const noexcept { return reduce(mul_wide<W>(a, b)); }
  [[nodiscard]] constexpr u32 corrections(Wide<W>) const noexcept { return 0; }

 private:
  W q_{};
};

// Addition mod q with one conditional subtraction [Shivdikar22, Alg. 1], for moduli at least one bit shorter than the
// word. add_mod() supports all moduli.
template <class W>
class BaselineAddition {
 public:
  static constexpr std::string_view kName = "baseline addition";
  static constexpr u32 kMaxBits = kWordBits<W> - 1;
  [[nodiscard]] static constexpr bool accepts(W q) noexcept { return q >= W(1) && bit_length(q) <= kMaxBits; }
  constexpr explicit BaselineAddition(W q) noexcept : q_(q) {}
  [[nodiscard]] constexpr W modulus() const noexcept { return q_; }
  [[nodiscard]] constexpr W add(W a, W b) const noexcept { return subtract_if_not_below<W>(static_cast<W>(a + b), q_); }

 private:
  W q_{};
};

}  // namespace ringfort
