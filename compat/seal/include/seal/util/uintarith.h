// SPDX-License-Identifier: Apache-2.0
// Arithmetic of words and of numbers of several words (lowest first) under SEAL's names. A result may be at the place
// of an operand, except that of multiply_uint. Shifts are below the length of the number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "seal/util/common.h"
#include "seal/util/pointer.h"
#include "seal/util/uintcore.h"

namespace seal {
namespace util {

namespace uintarith_detail {
__extension__ using Wide = unsigned __int128;
// Returns the word of a number that is longer than it is written.
[[nodiscard]] inline std::uint64_t word_at(const std::uint64_t* number, std::size_t count, std::size_t i) {
  return i < count ? number[i] : 0;
}
}  // namespace uintarith_detail

// Sums and differences return the carry or the borrow.
template <typename T, typename S, typename = std::enable_if_t<is_uint64_v<T, S>>>
inline unsigned char add_uint64(T a, S b, unsigned char carry, unsigned long long* result) {
  const uintarith_detail::Wide sum = static_cast<uintarith_detail::Wide>(a) + b + carry;
  *result = static_cast<unsigned long long>(sum);
  return static_cast<unsigned char>(sum >> 64);
}
template <typename T, typename S, typename R, typename = std::enable_if_t<is_uint64_v<T, S, R>>>
inline unsigned char add_uint64(T a, S b, R* result) {
  *result = a + b;
  return static_cast<unsigned char>(*result < b);
}
template <typename T, typename S, typename = std::enable_if_t<is_uint64_v<T, S>>>
inline unsigned char sub_uint64(T a, S b, unsigned char borrow, unsigned long long* result) {
  const uintarith_detail::Wide difference = static_cast<uintarith_detail::Wide>(a) - b - borrow;
  *result = static_cast<unsigned long long>(difference);
  return static_cast<unsigned char>(difference >> 127);
}
template <typename T, typename S, typename R, typename = std::enable_if_t<is_uint64_v<T, S, R>>>
inline unsigned char sub_uint64(T a, S b, R* result) {
  *result = a - b;
  return static_cast<unsigned char>(b > a);
}
template <typename T, typename S, typename = std::enable_if_t<is_uint64_v<T, S>>>
inline unsigned char add_uint128(const T* a, const S* b, unsigned long long* result) {
  const unsigned char carry = add_uint64(a[0], b[0], 0, result);
  return add_uint64(a[1], b[1], carry, result + 1);
}

inline unsigned char add_uint(const std::uint64_t* a, std::size_t a_count, const std::uint64_t* b, std::size_t b_count,
                              unsigned char carry, std::size_t result_count, std::uint64_t* result) {
  for (std::size_t i = 0; i < result_count; ++i) {
    unsigned long long word = 0;
    carry =
        add_uint64(uintarith_detail::word_at(a, a_count, i), uintarith_detail::word_at(b, b_count, i), carry, &word);
    result[i] = word;
  }
  return carry;
}
inline unsigned char add_uint(const std::uint64_t* a, const std::uint64_t* b, std::size_t count,
                              std::uint64_t* result) {
  return add_uint(a, count, b, count, 0, count, result);
}
inline unsigned char add_uint(const std::uint64_t* a, std::size_t count, std::uint64_t b, std::uint64_t* result) {
  return add_uint(a, count, &b, 1, 0, count, result);
}
inline unsigned char sub_uint(const std::uint64_t* a, std::size_t a_count, const std::uint64_t* b, std::size_t b_count,
                              unsigned char borrow, std::size_t result_count, std::uint64_t* result) {
  for (std::size_t i = 0; i < result_count; ++i) {
    unsigned long long word = 0;
    borrow =
        sub_uint64(uintarith_detail::word_at(a, a_count, i), uintarith_detail::word_at(b, b_count, i), borrow, &word);
    result[i] = word;
  }
  return borrow;
}
inline unsigned char sub_uint(const std::uint64_t* a, const std::uint64_t* b, std::size_t count,
                              std::uint64_t* result) {
  return sub_uint(a, count, b, count, 0, count, result);
}
inline unsigned char sub_uint(const std::uint64_t* a, std::size_t count, std::uint64_t b, std::uint64_t* result) {
  return sub_uint(a, count, &b, 1, 0, count, result);
}
inline unsigned char increment_uint(const std::uint64_t* operand, std::size_t count, std::uint64_t* result) {
  return add_uint(operand, count, std::uint64_t(1), result);
}
inline unsigned char decrement_uint(const std::uint64_t* operand, std::size_t count, std::uint64_t* result) {
  return sub_uint(operand, count, std::uint64_t(1), result);
}
inline void negate_uint(const std::uint64_t* operand, std::size_t count, std::uint64_t* result) {
  const std::uint64_t zero = 0;
  sub_uint(&zero, 1, operand, count, 0, count, result);
}

inline void not_uint(const std::uint64_t* operand, std::size_t count, std::uint64_t* result) {
  for (std::size_t i = 0; i < count; ++i) result[i] = ~operand[i];
}
inline void and_uint(const std::uint64_t* a, const std::uint64_t* b, std::size_t count, std::uint64_t* result) {
  for (std::size_t i = 0; i < count; ++i) result[i] = a[i] & b[i];
}
inline void or_uint(const std::uint64_t* a, const std::uint64_t* b, std::size_t count, std::uint64_t* result) {
  for (std::size_t i = 0; i < count; ++i) result[i] = a[i] | b[i];
}
inline void xor_uint(const std::uint64_t* a, const std::uint64_t* b, std::size_t count, std::uint64_t* result) {
  for (std::size_t i = 0; i < count; ++i) result[i] = a[i] ^ b[i];
}

inline void left_shift_uint(const std::uint64_t* operand, int shift_amount, std::size_t count, std::uint64_t* result) {
  const std::size_t words = static_cast<std::size_t>(shift_amount) / 64,
                    bits = static_cast<std::size_t>(shift_amount) % 64;
  for (std::size_t i = count; i-- > 0;) {
    const std::uint64_t high = i >= words ? operand[i - words] : 0, low = i > words ? operand[i - words - 1] : 0;
    result[i] = bits == 0 ? high : high << bits | low >> (64 - bits);
  }
}
inline void right_shift_uint(const std::uint64_t* operand, int shift_amount, std::size_t count, std::uint64_t* result) {
  const std::size_t words = static_cast<std::size_t>(shift_amount) / 64,
                    bits = static_cast<std::size_t>(shift_amount) % 64;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t low = uintarith_detail::word_at(operand, count, i + words);
    const std::uint64_t high = uintarith_detail::word_at(operand, count, i + words + 1);
    result[i] = bits == 0 ? low : low >> bits | high << (64 - bits);
  }
}
inline void left_shift_uint128(const std::uint64_t* operand, int shift_amount, std::uint64_t* result) {
  left_shift_uint(operand, shift_amount, 2, result);
}
inline void right_shift_uint128(const std::uint64_t* operand, int shift_amount, std::uint64_t* result) {
  right_shift_uint(operand, shift_amount, 2, result);
}
inline void left_shift_uint192(const std::uint64_t* operand, int shift_amount, std::uint64_t* result) {
  left_shift_uint(operand, shift_amount, 3, result);
}
inline void right_shift_uint192(const std::uint64_t* operand, int shift_amount, std::uint64_t* result) {
  right_shift_uint(operand, shift_amount, 3, result);
}
// Computes the half of a number, rounded up.
inline void half_round_up_uint(const std::uint64_t* operand, std::size_t count, std::uint64_t* result) {
  const bool is_odd = count != 0 && (operand[0] & 1) != 0;
  right_shift_uint(operand, 1, count, result);
  if (is_odd) increment_uint(result, count, result);
}

template <typename T, typename S, typename = std::enable_if_t<is_uint64_v<T, S>>>
inline void multiply_uint64(T a, S b, unsigned long long* result128) {
  const uintarith_detail::Wide product = static_cast<uintarith_detail::Wide>(a) * b;
  result128[0] = static_cast<unsigned long long>(product);
  result128[1] = static_cast<unsigned long long>(product >> 64);
}
template <typename T, typename S, typename = std::enable_if_t<is_uint64_v<T, S>>>
inline void multiply_uint64_hw64(T a, S b, unsigned long long* hw64) {
  *hw64 = static_cast<unsigned long long>(static_cast<uintarith_detail::Wide>(a) * b >> 64);
}
// Adds Count products to a number of 128 bits.
template <std::size_t Count>
inline void multiply_accumulate_uint64(const std::uint64_t* a, const std::uint64_t* b,
                                       unsigned long long* accumulator) {
  uintarith_detail::Wide sum = static_cast<uintarith_detail::Wide>(accumulator[1]) << 64 | accumulator[0];
  for (std::size_t i = 0; i < Count; ++i) sum += static_cast<uintarith_detail::Wide>(a[i]) * b[i];
  accumulator[0] = static_cast<unsigned long long>(sum);
  accumulator[1] = static_cast<unsigned long long>(sum >> 64);
}
// Compute the lowest words of a product.
void multiply_uint(const std::uint64_t* a, std::size_t a_count, const std::uint64_t* b, std::size_t b_count,
                   std::size_t result_count, std::uint64_t* result);
inline void multiply_uint(const std::uint64_t* a, const std::uint64_t* b, std::size_t count, std::uint64_t* result) {
  multiply_uint(a, count, b, count, 2 * count, result);
}
inline void multiply_uint(const std::uint64_t* a, std::size_t a_count, std::uint64_t b, std::size_t result_count,
                          std::uint64_t* result) {
  multiply_uint(a, a_count, &b, 1, result_count, result);
}
inline void multiply_truncate_uint(const std::uint64_t* a, const std::uint64_t* b, std::size_t count,
                                   std::uint64_t* result) {
  multiply_uint(a, count, b, count, count, result);
}

// The numerator becomes the remainder. std::invalid_argument: the denominator is zero.
void divide_uint_inplace(std::uint64_t* numerator, const std::uint64_t* denominator, std::size_t count,
                         std::uint64_t* quotient);
inline void divide_uint_inplace(std::uint64_t* numerator, const std::uint64_t* denominator, std::size_t count,
                                std::uint64_t* quotient, MemoryPool&) {
  divide_uint_inplace(numerator, denominator, count, quotient);
}
inline void divide_uint(const std::uint64_t* numerator, const std::uint64_t* denominator, std::size_t count,
                        std::uint64_t* quotient, std::uint64_t* remainder, MemoryPool&) {
  set_uint(numerator, count, remainder);
  divide_uint_inplace(remainder, denominator, count, quotient);
}
// Divide a number of two or three words by a word. The quotient has as many words as the numerator.
void divide_uint128_inplace(std::uint64_t* numerator, std::uint64_t denominator, std::uint64_t* quotient);
void divide_uint192_inplace(std::uint64_t* numerator, std::uint64_t denominator, std::uint64_t* quotient);

// std::logic_error of the first: the power does not fit a word. The second computes modulo 2^64.
[[nodiscard]] std::uint64_t exponentiate_uint_safe(std::uint64_t operand, std::uint64_t exponent);
[[nodiscard]] std::uint64_t exponentiate_uint(std::uint64_t operand, std::uint64_t exponent);

}  // namespace util
}  // namespace seal
