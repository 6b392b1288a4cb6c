// SPDX-License-Identifier: Apache-2.0
// Words and arrays of words under SEAL's names: allocation, copies, lengths and hexadecimal text. An array is a number
// in base 2^64, lowest word first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "seal/util/common.h"
#include "seal/util/pointer.h"

namespace seal {
namespace util {

[[nodiscard]] inline Pointer<std::uint64_t> allocate_uint(std::size_t uint64_count, MemoryPool& pool) {
  return allocate<std::uint64_t>(uint64_count, pool);
}
inline void set_zero_uint(std::size_t uint64_count, std::uint64_t* result) {
  std::fill_n(result, uint64_count, std::uint64_t(0));
}
[[nodiscard]] inline Pointer<std::uint64_t> allocate_zero_uint(std::size_t uint64_count, MemoryPool& pool) {
  Pointer<std::uint64_t> words = allocate_uint(uint64_count, pool);
  set_zero_uint(uint64_count, words.get());
  return words;
}
inline void set_uint(std::uint64_t value, std::size_t uint64_count, std::uint64_t* result) {
  set_zero_uint(uint64_count, result);
  *result = value;
}
inline void set_uint(const std::uint64_t* value, std::size_t uint64_count, std::uint64_t* result) {
  if (value != result) std::copy_n(value, uint64_count, result);
}
[[nodiscard]] inline bool is_zero_uint(const std::uint64_t* value, std::size_t uint64_count) {
  return std::all_of(value, value + uint64_count, [](std::uint64_t word) { return word == 0; });
}

[[nodiscard]] inline bool is_equal_uint(const std::uint64_t* a, const std::uint64_t* b, std::size_t uint64_count) {
  return std::equal(a, a + uint64_count, b);
}

// Return -1, 0 or 1: the order of two numbers.
[[nodiscard]] inline int compare_uint(const std::uint64_t* a, const std::uint64_t* b, std::size_t uint64_count) {
  for (std::size_t i = uint64_count; i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}
[[nodiscard]] inline int compare_uint(const std::uint64_t* a, std::size_t a_count, const std::uint64_t* b,
                                      std::size_t b_count) {
  const std::size_t both = (std::min)(a_count, b_count);
  if (!is_zero_uint(a + both, a_count - both)) return 1;
  if (!is_zero_uint(b + both, b_count - both)) return -1;
  return compare_uint(a, b, both);
}
[[nodiscard]] inline bool is_greater_than_uint(const std::uint64_t* a, const std::uint64_t* b, std::size_t count) {
  return compare_uint(a, b, count) > 0;
}
[[nodiscard]] inline bool is_greater_than_or_equal_uint(const std::uint64_t* a, const std::uint64_t* b,
                                                        std::size_t count) {
  return compare_uint(a, b, count) >= 0;
}
[[nodiscard]] inline bool is_less_than_uint(const std::uint64_t* a, const std::uint64_t* b, std::size_t count) {
  return compare_uint(a, b, count) < 0;
}
[[nodiscard]] inline bool is_less_than_or_equal_uint(const std::uint64_t* a, const std::uint64_t* b,
                                                     std::size_t count) {
  return compare_uint(a, b, count) <= 0;
}

[[nodiscard]] constexpr int get_significant_bit_count(std::uint64_t value) noexcept {
  return value == 0 ? 0 : 64 - __builtin_clzll(value);
}
// Returns the number of words up to the highest one that is not zero.
[[nodiscard]] inline std::size_t get_significant_uint64_count_uint(const std::uint64_t* value,
                                                                   std::size_t uint64_count) {
  while (uint64_count != 0 && value[uint64_count - 1] == 0) --uint64_count;
  return uint64_count;
}
[[nodiscard]] inline std::size_t get_nonzero_uint64_count_uint(const std::uint64_t* value, std::size_t uint64_count) {
  return uint64_count - static_cast<std::size_t>(std::count(value, value + uint64_count, std::uint64_t(0)));
}
[[nodiscard]] inline int get_significant_bit_count_uint(const std::uint64_t* value, std::size_t uint64_count) {
  const std::size_t words = get_significant_uint64_count_uint(value, uint64_count);
  return words == 0 ? 0 : static_cast<int>(64 * (words - 1)) + get_significant_bit_count(value[words - 1]);
}
// Returns the exponent of a power of two, and -1 for other numbers.
[[nodiscard]] constexpr int get_power_of_two(std::uint64_t value) noexcept {
  return value == 0 || (value & (value - 1)) != 0 ? -1 : get_significant_bit_count(value) - 1;
}

// A bit's index is below 64 uint64_count.
[[nodiscard]] inline bool is_bit_set_uint(const std::uint64_t* value, std::size_t, int bit_index) {
  return (value[bit_index / 64] >> (bit_index % 64) & 1) != 0;
}
[[nodiscard]] inline bool is_high_bit_set_uint(const std::uint64_t* value, std::size_t uint64_count) {
  return value[uint64_count - 1] >> 63 != 0;
}
inline void set_bit_uint(std::uint64_t* value, std::size_t, int bit_index) {
  value[bit_index / 64] |= std::uint64_t(1) << (bit_index % 64);
}
// Clears the bits from bit_count on.
inline void filter_highbits_uint(std::uint64_t* operand, std::size_t uint64_count, int bit_count) {
  const auto word = static_cast<std::size_t>(bit_count) / 64;
  if (word >= uint64_count) return;
  operand[word] &= (std::uint64_t(1) << (bit_count % 64)) - 1;
  set_zero_uint(uint64_count - word - 1, operand + word + 1);
}

// Reads char_count hexadecimal digits, highest first. std::invalid_argument: another character, or more digits than the
// words hold.
void hex_string_to_uint(const char* hex_string, int char_count, std::size_t uint64_count, std::uint64_t* result);
// Return text without leading zeros. Hexadecimal digits are 0 .. 9 and A .. F.
[[nodiscard]] std::string uint_to_hex_string(const std::uint64_t* value, std::size_t uint64_count);
[[nodiscard]] std::string uint_to_dec_string(const std::uint64_t* value, std::size_t uint64_count, MemoryPool& pool);
// Return a polynomial in SEAL's text form, for example 1x^2 + 3. A coefficient has coeff_uint64_count words.
[[nodiscard]] std::string poly_to_hex_string(const std::uint64_t* value, std::size_t coeff_count,
                                             std::size_t coeff_uint64_count);

}  // namespace util
}  // namespace seal
