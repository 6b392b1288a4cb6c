// SPDX-License-Identifier: Apache-2.0
// Checked integer arithmetic and comparisons under SEAL's names. std::logic_error: a number does not fit its type.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "seal/util/defines.h"

namespace seal {
namespace util {

constexpr int bits_per_nibble = 4;
constexpr int bits_per_byte = 8;
constexpr int bytes_per_uint64 = 8;
constexpr int bits_per_uint64 = 64;
constexpr int nibbles_per_byte = 2;
constexpr int nibbles_per_uint64 = 16;

template <typename T, typename S, typename = std::enable_if_t<std::is_arithmetic_v<T> && std::is_arithmetic_v<S>>>
[[nodiscard]] constexpr bool fits_in(S value) noexcept {
  if constexpr (std::is_floating_point_v<T> || std::is_floating_point_v<S>) {
    return static_cast<long double>(value) >= static_cast<long double>(std::numeric_limits<T>::lowest()) &&
           static_cast<long double>(value) <= static_cast<long double>((std::numeric_limits<T>::max)());
  } else {
    const T there = static_cast<T>(value);
    return static_cast<S>(there) == value && (there < T(0)) == (value < S(0));
  }
}

template <typename T, typename S>
[[nodiscard]] constexpr T safe_cast(S value) {
  if (!fits_in<T>(value)) throw std::logic_error("a number does not fit the type that it is converted to");
  return static_cast<T>(value);
}

template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
[[nodiscard]] constexpr T add_safe(T a, T b) {
  T sum{};
  if (__builtin_add_overflow(a, b, &sum)) throw std::logic_error("a sum does not fit its type");
  return sum;
}
template <typename T, typename... Ts>
[[nodiscard]] constexpr T add_safe(T a, T b, Ts... more) {
  return add_safe(add_safe(a, b), static_cast<T>(more)...);
}
template <typename T>
[[nodiscard]] constexpr T add_safe(T a) {
  return a;
}

template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
[[nodiscard]] constexpr T sub_safe(T a, T b) {
  T difference{};
  if (__builtin_sub_overflow(a, b, &difference)) throw std::logic_error("a difference does not fit its type");
  return difference;
}

template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
[[nodiscard]] constexpr T mul_safe(T a, T b) {
  T product{};
  if (__builtin_mul_overflow(a, b, &product)) throw std::logic_error("a product does not fit its type");
  return product;
}
template <typename T, typename... Ts>
[[nodiscard]] constexpr T mul_safe(T a, T b, Ts... more) {
  return mul_safe(mul_safe(a, b), static_cast<T>(more)...);
}

template <typename T>
[[nodiscard]] constexpr T mul_safe(T a) {
  return a;
}

// Tell whether the sum or product of the numbers fits the type of the first one.
template <typename T, typename... Ts>
[[nodiscard]] constexpr bool sum_fits_in(T first, Ts... more) noexcept {
  T sum = first;
  return (!__builtin_add_overflow(sum, more, &sum) && ...);
}
template <typename T, typename... Ts>
[[nodiscard]] constexpr bool product_fits_in(T first, Ts... more) noexcept {
  T product = first;
  return (!__builtin_mul_overflow(product, more, &product) && ...);
}

// Compare integers of any types. Negative numbers count as very large ones.
template <typename T, typename S>
[[nodiscard]] constexpr bool unsigned_lt(T a, S b) noexcept {
  return static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
}
template <typename T, typename S>
[[nodiscard]] constexpr bool unsigned_gt(T a, S b) noexcept {
  return static_cast<std::uint64_t>(a) > static_cast<std::uint64_t>(b);
}
template <typename T, typename S>
[[nodiscard]] constexpr bool unsigned_leq(T a, S b) noexcept {
  return !unsigned_gt(a, b);
}
template <typename T, typename S>
[[nodiscard]] constexpr bool unsigned_geq(T a, S b) noexcept {
  return !unsigned_lt(a, b);
}
template <typename T, typename S>
[[nodiscard]] constexpr bool unsigned_eq(T a, S b) noexcept {
  return static_cast<std::uint64_t>(a) == static_cast<std::uint64_t>(b);
}
template <typename T, typename S>
[[nodiscard]] constexpr bool unsigned_neq(T a, S b) noexcept {
  return !unsigned_eq(a, b);
}

// Tells whether two numbers differ by less than the resolution of doubles at the larger of them and 1.
template <typename T, typename = std::enable_if_t<std::is_floating_point_v<T>>>
[[nodiscard]] bool are_close(T a, T b) noexcept {
  const T larger = std::fmax(std::fmax(std::fabs(a), std::fabs(b)), T(1));
  return std::fabs(a - b) < std::numeric_limits<T>::epsilon() * larger;
}

template <typename T>
[[nodiscard]] constexpr bool is_zero(T value) noexcept {
  return value == T(0);
}

// True if all types are unsigned words of 64 bits.
template <typename... Ts>
inline constexpr bool is_uint64_v = ((std::is_integral_v<Ts> && std::is_unsigned_v<Ts> && sizeof(Ts) == 8) && ...);

// Reverses all bits of a word, or its lowest bit_count bits, which are then the result.
template <typename T, typename = std::enable_if_t<std::is_unsigned_v<T>>>
[[nodiscard]] constexpr T reverse_bits(T operand) noexcept {
  std::uint64_t bits = __builtin_bswap64(operand);
  bits = (bits >> 4 & 0x0F0F0F0F0F0F0F0F) | (bits & 0x0F0F0F0F0F0F0F0F) << 4;
  bits = (bits >> 2 & 0x3333333333333333) | (bits & 0x3333333333333333) << 2;
  bits = (bits >> 1 & 0x5555555555555555) | (bits & 0x5555555555555555) << 1;
  return static_cast<T>(bits >> (64 - 8 * sizeof(T)));
}
template <typename T, typename = std::enable_if_t<std::is_unsigned_v<T>>>
[[nodiscard]] constexpr T reverse_bits(T operand, int bit_count) noexcept {
  if (bit_count == 0) return 0;
  return static_cast<T>(reverse_bits(operand) >> (static_cast<int>(8 * sizeof(T)) - bit_count));
}

[[nodiscard]] constexpr int hamming_weight(unsigned char value) noexcept { return __builtin_popcount(value); }

template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
[[nodiscard]] constexpr T divide_round_up(T value, T divisor) {
  return static_cast<T>((value + divisor - 1) / divisor);
}

// Calls function(element) for the first `size` elements: SEAL_ITERATE of programs for C++14.
template <typename ForwardIt, typename Size, typename Function>
ForwardIt seal_for_each_n(ForwardIt first, Size size, Function&& function) {
  for (Size i = 0; i < size; ++i, (void)++first) function(*first);
  return first;
}

// Overwrites memory that had a secret. The compiler does not remove the write.
void seal_memzero(void* data, std::size_t size);

}  // namespace util
}  // namespace seal
