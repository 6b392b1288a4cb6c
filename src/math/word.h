// SPDX-License-Identifier: Apache-2.0
// Arithmetic on residue words W of any width: u32, u64, u128, and words of a few bits that tests use as models.
// WordTraits<W> describes a word type. It has the number of bits, and a type Wide for double words. The operators
// + - * << wrap around. In sums, differences and mul_wide(), no branch depends on a value, because comparisons become
// masks or conditional moves. Lengths in bits, divisions, remainders, mul_mod() and pow_mod() may branch or divide. Use
// these only with public values, or to compute expected values in tests. math/reduction.h and its neighbours have
// reductions with precomputed constants.
#pragma once

#include <bit>
#include <cstdint>

#include "math/types.h"

namespace ringfort {

// Returns the number of bits up to the highest set bit. Returns 0 for 0.
[[nodiscard]] constexpr u32 bits_of(u128 value) noexcept {
  const u64 high = static_cast<u64>(value >> 64);
  return static_cast<u32>(high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(static_cast<u64>(value)));
}

// The double word of u128. The language has no such type.
struct Wide128 {
  u128 lo = 0;
  u128 hi = 0;
};

template <class W>
struct WordTraits;

template <>
struct WordTraits<u32> {
  static constexpr u32 kBits = 32;
  using Wide = u64;
  static constexpr Wide multiply(u32 a, u32 b) noexcept { return static_cast<u64>(a) * b; }
  static constexpr Wide join(u32 hi, u32 lo) noexcept { return static_cast<u64>(hi) << 32 | lo; }
  static constexpr u32 low(Wide x) noexcept { return static_cast<u32>(x); }
  static constexpr u32 high(Wide x) noexcept { return static_cast<u32>(x >> 32); }
  static constexpr u32 shift_low(Wide x, u32 count) noexcept { return static_cast<u32>(x >> count); }
};

template <>
struct WordTraits<u64> {
  static constexpr u32 kBits = 64;
  using Wide = u128;
  static constexpr Wide multiply(u64 a, u64 b) noexcept { return static_cast<u128>(a) * b; }
  static constexpr Wide join(u64 hi, u64 lo) noexcept { return static_cast<u128>(hi) << 64 | lo; }
  static constexpr u64 low(Wide x) noexcept { return static_cast<u64>(x); }
  static constexpr u64 high(Wide x) noexcept { return static_cast<u64>(x >> 64); }
  static constexpr u64 shift_low(Wide x, u32 count) noexcept { return static_cast<u64>(x >> count); }
};

template <>
struct WordTraits<u128> {
  static constexpr u32 kBits = 128;
  using Wide = Wide128;
  static constexpr Wide multiply(u128 a, u128 b) noexcept {
    const u64 a0 = static_cast<u64>(a), a1 = static_cast<u64>(a >> 64);
    const u64 b0 = static_cast<u64>(b), b1 = static_cast<u64>(b >> 64);
    const u128 p00 = static_cast<u128>(a0) * b0, p01 = static_cast<u128>(a0) * b1;
    const u128 p10 = static_cast<u128>(a1) * b0, p11 = static_cast<u128>(a1) * b1;
    const u128 middle = (p00 >> 64) + static_cast<u64>(p01) + static_cast<u64>(p10);
    return {middle << 64 | static_cast<u64>(p00), p11 + (p01 >> 64) + (p10 >> 64) + (middle >> 64)};
  }
  static constexpr Wide join(u128 hi, u128 lo) noexcept { return {lo, hi}; }
  static constexpr u128 low(Wide x) noexcept { return x.lo; }
  static constexpr u128 high(Wide x) noexcept { return x.hi; }
  static constexpr u128 shift_low(Wide x, u32 count) noexcept {  // count is in 0 .. 255
    if (count >= 128) return x.hi >> (count - 128);
    return count == 0 ? x.lo : x.lo >> count | x.hi << (128 - count);
  }
};

template <class W>
using Wide = typename WordTraits<W>::Wide;

template <class W>
inline constexpr u32 kWordBits = WordTraits<W>::kBits;

template <class W>
[[nodiscard]] constexpr Wide<W> mul_wide(W a, W b) noexcept {
  return WordTraits<W>::multiply(a, b);
}

// Returns the upper word of a * b.
template <class W>
[[nodiscard]] constexpr W mulhi(W a, W b) noexcept {
  return WordTraits<W>::high(WordTraits<W>::multiply(a, b));
}

// Returns the lower word of a * b.
template <class W>
[[nodiscard]] constexpr W mullo(W a, W b) noexcept {
  return static_cast<W>(a * b);
}

// Returns all ones if the condition is true, and zero if not.
template <class W>
[[nodiscard]] constexpr W mask_if(bool condition) noexcept {
  return static_cast<W>(W(0) - W(condition));
}

// Returns x - bound if x >= bound, and x if not (conditional subtraction).
template <class W>
[[nodiscard]] constexpr W subtract_if_not_below(W x, W bound) noexcept {
  return static_cast<W>(x - (bound & mask_if<W>(x >= bound)));
}

// Returns the number of bits up to the highest set bit. Returns 0 for 0.
template <class W>
[[nodiscard]] constexpr u32 bit_length(W x) noexcept {
  u32 length = 0;
  while (x != W(0)) {
    x = static_cast<W>(x >> 1);
    ++length;
  }
  return length;
}

// Returns a + b mod q for a, b < q. q may be any word.
template <class W>
[[nodiscard]] constexpr W add_mod(W a, W b, W q) noexcept {
  const W missing = static_cast<W>(q - b);
  return static_cast<W>(a - missing + (q & mask_if<W>(a < missing)));
}

template <class W>
[[nodiscard]] constexpr W subtract_mod(W a, W b, W q) noexcept {
  return static_cast<W>(a - b + (q & mask_if<W>(a < b)));
}

template <class W>
[[nodiscard]] constexpr W negate_mod(W a, W q) noexcept {
  return static_cast<W>((q - a) & mask_if<W>(a != W(0)));
}

// The quotient floor((hi * 2^w + lo) / q) and its remainder, where w is the length of a word, hi < q, and q > 0.
// divide_wide() computes them by shifts and subtractions. It is slow. Use it for constants and for expected values in
// tests.
template <class W>
struct Division {
  W quotient{};
  W remainder{};
};

template <class W>
[[nodiscard]] constexpr Division<W> divide_wide(W hi, W lo, W q) noexcept {
  W quotient(0);
  W rest = hi;
  for (u32 i = kWordBits<W>; i-- > 0;) {
    const bool carry = (rest >> (kWordBits<W> - 1)) != W(0);
    rest = static_cast<W>(rest << 1 | (lo >> i & W(1)));
    const bool take = carry || rest >= q;
    rest = static_cast<W>(rest - (q & mask_if<W>(take)));
    quotient = static_cast<W>(quotient << 1 | W(take));
  }
  return {quotient, rest};
}

// Returns x mod q for any double word x and any word q > 0.
template <class W>
[[nodiscard]] constexpr W remainder_wide(Wide<W> x, W q) noexcept {
  if constexpr (kWordBits<W> == 32 || kWordBits<W> == 64) {
    return static_cast<W>(x % q);
  } else {
    const W reduced = divide_wide<W>(W(0), WordTraits<W>::high(x), q).remainder;
    return divide_wide<W>(reduced, WordTraits<W>::low(x), q).remainder;
  }
}

// Returns a * b mod q for any words a and b, and any word q > 0.
template <class W>
[[nodiscard]] constexpr W mul_mod(W a, W b, W q) noexcept {
  return remainder_wide<W>(mul_wide<W>(a, b), q);
}

template <class W>
[[nodiscard]] constexpr W pow_mod(W base, W exponent, W q) noexcept {
  W result = q == W(1) ? W(0) : W(1);
  for (W square = mul_mod<W>(base, W(1), q); exponent != W(0); exponent = static_cast<W>(exponent >> 1)) {
    if ((exponent & W(1)) != W(0)) result = mul_mod<W>(result, square, q);
    square = mul_mod<W>(square, square, q);
  }
  return result;
}

}  // namespace ringfort
