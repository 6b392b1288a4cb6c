// SPDX-License-Identifier: Apache-2.0
// Words of 128 bits, and exact arithmetic modulo any q in 2 .. 2^128 - 1. A product is reduced by a division of 256 by
// 128 bits, with a precomputed reciprocal of the modulus [MollerGranlund11, Algorithm 4]. In the data of a program, the
// word after each modulus is its reduction_constant(). The functions are not constant time and have no vector code.
#pragma once

#include <bit>
#include <cstdint>

namespace ringfort::rpu {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
__extension__ using u128 = unsigned __int128;

struct Wide {
  u128 high;
  u128 low;
};

[[nodiscard]] constexpr Wide multiply_wide(u128 a, u128 b) noexcept {
  const u64 a0 = static_cast<u64>(a), a1 = static_cast<u64>(a >> 64);
  const u64 b0 = static_cast<u64>(b), b1 = static_cast<u64>(b >> 64);
  const u128 low = static_cast<u128>(a0) * b0, high = static_cast<u128>(a1) * b1;
  const u128 cross = static_cast<u128>(a0) * b1, other = static_cast<u128>(a1) * b0;
  const u128 middle = (low >> 64) + static_cast<u64>(cross) + static_cast<u64>(other);
  return {high + (cross >> 64) + (other >> 64) + (middle >> 64), (middle << 64) | static_cast<u64>(low)};
}

[[nodiscard]] constexpr unsigned leading_zeros(u128 value) noexcept {
  const u64 high = static_cast<u64>(value >> 64);
  return high != 0 ? static_cast<unsigned>(std::countl_zero(high))
                   : 64U + static_cast<unsigned>(std::countl_zero(static_cast<u64>(value)));
}

// Returns floor((2^256 - 1) / d) - 2^128 for d >= 2^127. Divides bit by bit, once in each construction of a Modulus.
[[nodiscard]] constexpr u128 reciprocal(u128 d) noexcept {
  u128 remainder = ~d;  // (2^256 - 1) - 2^128 d = (~d) 2^128 + (2^128 - 1), and ~d < d
  u128 quotient = 0;
  for (int bit = 0; bit < 128; ++bit) {
    const bool carry = (remainder >> 127) != 0;
    remainder = (remainder << 1) | 1;
    const bool fits = carry || remainder >= d;
    remainder -= fits ? d : 0;
    quotient = (quotient << 1) | (fits ? 1 : 0);
  }
  return quotient;
}

// A modulus with the constants of its reduction. A default Modulus has the value 0 and is not valid().
class Modulus {
 public:
  constexpr Modulus() = default;
  explicit constexpr Modulus(u128 q) noexcept
      : q_(q),
        shift_(leading_zeros(q)),
        normal_(q << shift_),
        reciprocal_(reciprocal(normal_)) {}

  [[nodiscard]] constexpr bool valid() const noexcept { return q_ >= 2; }
  [[nodiscard]] constexpr u128 value() const noexcept { return q_; }
  [[nodiscard]] constexpr u128 reduction_constant() const noexcept { return reciprocal_; }

  [[nodiscard]] constexpr u128 add(u128 a, u128 b) const noexcept {  // requires a, b < q
    const u128 gap = q_ - b;
    return a >= gap ? a - gap : a + b;
  }
  [[nodiscard]] constexpr u128 subtract(u128 a, u128 b) const noexcept {  // requires a, b < q
    return a >= b ? a - b : a + (q_ - b);
  }
  [[nodiscard]] constexpr u128 multiply(u128 a, u128 b) const noexcept {  // for all a, b
    Wide product = multiply_wide(a, b);
    if (product.high >= q_) product.high = remainder({0, product.high});
    return remainder(product);
  }

 private:
  // Returns x mod q. Requires x.high < q.
  [[nodiscard]] constexpr u128 remainder(Wide x) const noexcept {
    const u128 high = shift_ == 0 ? x.high : (x.high << shift_) | (x.low >> (128 - shift_));
    const u128 low = x.low << shift_;
    const Wide estimate = multiply_wide(reciprocal_, high);
    const u128 fraction = estimate.low + low;
    const u128 quotient = estimate.high + high + (fraction < low ? 1 : 0) + 1;
    u128 rest = low - quotient * normal_;
    if (rest > fraction) rest += normal_;
    if (rest >= normal_) rest -= normal_;
    return rest >> shift_;
  }

  u128 q_ = 0;
  unsigned shift_ = 0;
  u128 normal_ = 0;
  u128 reciprocal_ = 0;
};

}  // namespace ringfort::rpu
