// SPDX-License-Identifier: Apache-2.0
// Conversions between doubles and integers of two words. No branch and no index depends on the value. The compiler's
// own conversions call functions that branch on the value. The functions here use shifts and masks on the sign, the
// exponent and the fraction. They give the results that IEEE 754 defines. Inputs must not be NaN or infinity. Shifts
// take constant time on the supported processors.
#pragma once

#include <bit>

#include "math/word.h"

namespace ringfort {

// Returns 2^exponent, for exponent in -1022 .. 1023.
[[nodiscard]] inline double power_of_two(int exponent) noexcept {
  return std::bit_cast<double>(static_cast<u64>(exponent + 1023) << 52);
}

// Returns e with 2^(e - 1) <= |x| < 2^e. If |x| < 2^-1022, returns -1022.
[[nodiscard]] inline int exponent_of(double x) noexcept {
  return static_cast<int>(std::bit_cast<u64>(x) >> 52 & 0x7FF) - 1022;
}

// Returns the number of bits up to the highest set bit. For 0, returns 1.
[[nodiscard]] inline u32 bit_length_at_least_one(u128 x) noexcept {
  const u64 high = static_cast<u64>(x >> 64), low = static_cast<u64>(x), none = mask_if<u64>(high == 0);
  return 64 - static_cast<u32>(std::countl_zero((high | (low & none)) | 1)) + static_cast<u32>(64 & ~none);
}

namespace conversions {

[[nodiscard]] inline int larger(int a, int b) noexcept { return b + ((a - b) & ~((a - b) >> 31)); }

// |x| = m 2^(left - right). One of the two shifts is 0. For |x| < 2^-10, the rounded result is 0.
struct ShiftedMantissa {
  u64 m;
  u32 left, right;
  i128 sign;  // 0 or -1
};

[[nodiscard]] inline ShiftedMantissa shifted_mantissa(double x) noexcept {
  const u64 bits = std::bit_cast<u64>(x), field = bits >> 52 & 0x7FF;
  const int shift = static_cast<int>(field) - 1075;
  const int right = larger(-shift, 0);
  return {(bits & ((u64{1} << 52) - 1)) | u64{field != 0} << 52, static_cast<u32>(larger(shift, 0)) & 127,
          static_cast<u32>(63 - larger(63 - right, 0)), -static_cast<i128>(bits >> 63)};
}

// Returns x shifted by 0 .. 127. It shifts the two words separately. For a shift of a double word, compilers branch on
// the count.
[[nodiscard]] inline u128 shifted_left(u128 x, u32 count) noexcept {
  const u64 high = static_cast<u64>(x >> 64), low = static_cast<u64>(x), far = u64{0} - (count >> 6 & 1);
  const u32 by = count & 63;
  const u64 upper = high << by | (low >> 1 >> (63 - by)), lower = low << by;
  return static_cast<u128>(upper ^ ((upper ^ lower) & far)) << 64 | (lower & ~far);
}

[[nodiscard]] inline i128 shifted_right(i128 x, u32 count) noexcept {
  const i64 high = static_cast<i64>(x >> 64);
  const u64 low = static_cast<u64>(x), far = u64{0} - (count >> 6 & 1);
  const u32 by = count & 63;
  const u64 upper = static_cast<u64>(high >> by), lower = low >> by | (static_cast<u64>(high) << 1 << (63 - by)),
            sign = static_cast<u64>(high >> 63);
  return static_cast<i128>(static_cast<u128>(upper ^ ((upper ^ sign) & far)) << 64 | (lower ^ ((lower ^ upper) & far)));
}

[[nodiscard]] inline i128 signed_by(u128 magnitude, i128 sign) noexcept {
  return static_cast<i128>((magnitude ^ static_cast<u128>(sign)) - static_cast<u128>(sign));
}

}  // namespace conversions

// Rounds towards zero. Requires |x| < 2^127.
[[nodiscard]] inline i128 truncated(double x) noexcept {
  const conversions::ShiftedMantissa p = conversions::shifted_mantissa(x);
  return conversions::signed_by(conversions::shifted_left(p.m >> p.right, p.left), p.sign);
}

// Rounds to nearest, ties to even. Requires |x| < 2^127.
[[nodiscard]] inline i128 to_nearest(double x) noexcept {
  const conversions::ShiftedMantissa p = conversions::shifted_mantissa(x);
  const u64 shifted = u64{p.right != 0}, odd = p.m >> p.right & shifted;
  // Adding the bias to m rounds m >> right to nearest. The bias is 2^right / 2. If the integer part is even, the bias
  // is one less.
  const u64 bias = (u64{1} << p.right >> 1) - shifted + odd;
  return conversions::signed_by(conversions::shifted_left((p.m + bias) >> p.right, p.left), p.sign);
}

// Rounds to nearest, ties to even. Requires |x| < 2^127. The function shifts the highest set bit to the top, and keeps
// 63 bits. The last kept bit is also set if any dropped bit is set. These bits suffice to round correctly to 53 bits.
[[nodiscard]] inline double to_double(i128 x) noexcept {
  const i128 sign = x >> 127;
  const u128 magnitude = static_cast<u128>(conversions::signed_by(static_cast<u128>(x), sign));
  const u64 high = static_cast<u64>(magnitude >> 64), low = static_cast<u64>(magnitude), none = mask_if<u64>(high == 0);
  const u64 first = high | (low & none), second = low & ~none;
  const u32 up = static_cast<u32>(std::countl_zero(first | 1));
  const u64 top = first << up | (second >> 1 >> (63 - up)), rest = second << up;
  const u64 kept = top >> 1 | (top & 1) | u64{rest != 0};
  const int exponent = 1 - static_cast<int>(up) + static_cast<int>(64 & ~none);
  const double size = static_cast<double>(static_cast<i64>(kept)) * power_of_two(exponent);
  return std::bit_cast<double>(std::bit_cast<u64>(size) | (static_cast<u64>(sign) & u64{1} << 63));
}

}  // namespace ringfort
