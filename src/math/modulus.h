// SPDX-License-Identifier: Apache-2.0
// Modulus<W> is a modulus q >= 2 with its Barrett constant, ratio = floor((2^(2w) - 1) / q), where w is the length of a
// word. It does arithmetic on canonical residues on the host [Barrett86]. Words of type u32 need q < 2^31, and words of
// type u64 need q < 2^62. The ratio is above 2^(2w) / q - 1, or equal to it if q is a power of two. Therefore, for any
// double word x, x ratio / 2^(2w) is above x / q - 1, its floor is at most one too small, and one conditional
// subtraction is enough. No branch, index or division depends on a residue. power() branches on its exponent. For
// batches, use a backend.
#pragma once

#include "math/word.h"

namespace ringfort {

template <class W>
class Modulus {
 public:
  static constexpr u32 kMaxBits = kWordBits<W> == 32 ? 31 : kWordBits<W> - 2;
  constexpr Modulus() = default;
  constexpr explicit Modulus(W q) noexcept
      : value_(q),
        bits_(bit_length(q)),
        ratio_(static_cast<Wide<W>>(~Wide<W>(0)) / q) {}

  [[nodiscard]] constexpr W value() const noexcept { return value_; }
  [[nodiscard]] constexpr u32 bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr Wide<W> ratio() const noexcept { return ratio_; }

  // Returns x mod q for any double word x.
  [[nodiscard]] constexpr W reduce(Wide<W> x) const noexcept {
    const W quotient = static_cast<W>(mulhi<Wide<W>>(x, ratio_));
    return subtract_if_not_below<W>(static_cast<W>(static_cast<W>(x) - mullo<W>(quotient, value_)), value_);
  }
  // Returns the residue of a signed double word x. |x| < 2^(2w - 1).
  [[nodiscard]] constexpr W reduce_signed(std::conditional_t<kWordBits<W> == 32, i64, i128> x) const noexcept {
    const Wide<W> sign = static_cast<Wide<W>>(x >> (2 * kWordBits<W> - 1));  // all ones if x is negative
    const W residue = reduce(static_cast<Wide<W>>((static_cast<Wide<W>>(x) ^ sign) - sign));
    const W negative = static_cast<W>(sign);
    return static_cast<W>((residue & static_cast<W>(~negative)) | (negate(residue) & negative));
  }

  [[nodiscard]] constexpr W add(W a, W b) const noexcept { return add_mod<W>(a, b, value_); }
  [[nodiscard]] constexpr W subtract(W a, W b) const noexcept { return subtract_mod<W>(a, b, value_); }
  [[nodiscard]] constexpr W negate(W a) const noexcept { return negate_mod<W>(a, value_); }
  [[nodiscard]] constexpr W multiply(W a, W b) const noexcept { return reduce(mul_wide<W>(a, b)); }
  [[nodiscard]] constexpr W power(W base, W exponent) const noexcept {
    W result = 1;
    for (; exponent != 0; exponent = static_cast<W>(exponent >> 1), base = multiply(base, base)) {
      if ((exponent & 1) != 0) result = multiply(result, base);
    }
    return result;
  }
  // Returns a^(-1) for a prime modulus (Fermat). Multiples of the modulus have no inverse; for them it returns 0. For
  // other moduli, use inverse_mod (math/prime.h).
  [[nodiscard]] constexpr W inverse(W a) const noexcept { return power(reduce(a), static_cast<W>(value_ - 2)); }

 private:
  W value_ = 0;
  u32 bits_ = 0;
  Wide<W> ratio_ = 0;
};

}  // namespace ringfort
