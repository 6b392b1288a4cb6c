// SPDX-License-Identifier: Apache-2.0
// Sums modulo numbers of several words (lowest word first) under SEAL's names. Operands are below the modulus. A result
// may be at the place of an operand.
#pragma once

#include "seal/util/uintarith.h"

namespace seal {
namespace util {

inline void add_uint_uint_mod(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* modulus,
                              std::size_t count, std::uint64_t* result) {
  const unsigned char carry = add_uint(a, b, count, result);
  if (carry != 0 || is_greater_than_or_equal_uint(result, modulus, count)) sub_uint(result, modulus, count, result);
}
inline void sub_uint_uint_mod(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* modulus,
                              std::size_t count, std::uint64_t* result) {
  if (sub_uint(a, b, count, result) != 0) add_uint(result, modulus, count, result);
}
inline void negate_uint_mod(const std::uint64_t* operand, const std::uint64_t* modulus, std::size_t count,
                            std::uint64_t* result) {
  if (is_zero_uint(operand, count)) set_zero_uint(count, result);
  else sub_uint(modulus, operand, count, result);
}

}  // namespace util
}  // namespace seal
