// SPDX-License-Identifier: Apache-2.0
// Reduction for moduli q = 2^A - 2^B + 1 [MartinsSousa16, eq. 3]. Modulo q, 2^A is 2^B - 1. Let u be the part of x from
// bit A on, so that x = 2^A u + v with v < 2^A. Then x can be replaced by (2^B - 1) u + v. This step is a fold. After
// enough folds, x is below 2^A. Then one conditional subtraction follows. The paper's modulus 0x7FFE0001 (A = 31,
// B = 17) needs four folds. Every x gets the number of folds that the largest product needs. Therefore no branch
// depends on x.
#pragma once

#include "math/reduction.h"

namespace ringfort {

template <class W, u32 A, u32 B>
class SpecialForm {
  static_assert(B >= 1 && B < A && A < kWordBits<W>);

 public:
  static constexpr std::string_view kName = "special form";
  static constexpr u32 kMaxBits = A;
  static constexpr u32 kMostCorrections = 1;
  static constexpr W kModulus = static_cast<W>((W(1) << A) - (W(1) << B) + W(1));
  [[nodiscard]] static constexpr bool accepts(W q) noexcept { return q == kModulus; }
  constexpr explicit SpecialForm(W q) noexcept { RF_ASSERT(accepts(q)); }
  [[nodiscard]] constexpr W modulus() const noexcept { return kModulus; }

  // The number of folds that bring every x < 2^(2A) below 2^A. It is found by computing the largest value after each
  // fold.
  static constexpr u32 kFolds = [] {
    const Wide<W> limit = Wide<W>(1) << A;
    u32 folds = 0;
    for (Wide<W> largest = (Wide<W>(1) << (2 * A)) - 1; largest >= limit; ++folds) {
      // Two values can give the greatest sum: `largest`, and the value whose upper part is less by one and whose lower
      // bits are all set.
      const Wide<W> upper = largest >> A, lower = largest & (limit - 1), weight = (Wide<W>(1) << B) - 1;
      const Wide<W> at_top = upper * weight + lower, below_top = (upper - 1) * weight + (limit - 1);
      largest = at_top > below_top ? at_top : below_top;
    }
    return folds;
  }();

  [[nodiscard]] constexpr W reduce(Wide<W> x) const noexcept { return subtract_if_not_below<W>(folded(x), kModulus); }
  [[nodiscard]] constexpr W multiply(W a, W b) const noexcept { return reduce(mul_wide<W>(a, b)); }
  [[nodiscard]] constexpr u32 corrections(Wide<W> x) const noexcept { return folded(x) >= kModulus ? 1 : 0; }

 private:
  [[nodiscard]] static constexpr W folded(Wide<W> x) noexcept {
    constexpr Wide<W> kLower = (Wide<W>(1) << A) - 1;
    for (u32 i = 0; i < kFolds; ++i) {
      const Wide<W> upper = x >> A;
      x = (upper << B) - upper + (x & kLower);
    }
    return WordTraits<W>::low(x);
  }
};

using MartinsSousaReduction = SpecialForm<u32, 31, 17>;
static_assert(MartinsSousaReduction::kModulus == 0x7FFE0001);

}  // namespace ringfort
