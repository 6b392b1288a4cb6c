// SPDX-License-Identifier: Apache-2.0
// Arithmetic modulo one word under SEAL's names. Operands are below the modulus, unless a function states otherwise.
// Products are reduced with the quotients that Modulus and MultiplyUIntModOperand hold [Barrett86] [Harvey14].
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "seal/modulus.h"
#include "seal/util/numth.h"
#include "seal/util/uintarith.h"

namespace seal {
namespace util {

[[nodiscard]] inline std::uint64_t increment_uint_mod(std::uint64_t operand, const Modulus& modulus) {
  return operand + 1 == modulus.value() ? 0 : operand + 1;
}
[[nodiscard]] inline std::uint64_t decrement_uint_mod(std::uint64_t operand, const Modulus& modulus) {
  return operand == 0 ? modulus.value() - 1 : operand - 1;
}
[[nodiscard]] inline std::uint64_t negate_uint_mod(std::uint64_t operand, const Modulus& modulus) {
  return operand == 0 ? 0 : modulus.value() - operand;
}
// Halves a residue of an odd modulus.
[[nodiscard]] inline std::uint64_t div2_uint_mod(std::uint64_t operand, const Modulus& modulus) {
  return ((operand & 1) != 0 ? operand + modulus.value() : operand) >> 1;
}
// The sum of the operands is below twice the modulus.
[[nodiscard]] inline std::uint64_t add_uint_mod(std::uint64_t a, std::uint64_t b, const Modulus& modulus) {
  const std::uint64_t sum = a + b;
  return sum >= modulus.value() ? sum - modulus.value() : sum;
}
[[nodiscard]] inline std::uint64_t sub_uint_mod(std::uint64_t a, std::uint64_t b, const Modulus& modulus) {
  return a < b ? a - b + modulus.value() : a - b;
}

// Reduce any number of one or two words.
template <typename T, typename = std::enable_if_t<is_uint64_v<T>>>
[[nodiscard]] inline std::uint64_t barrett_reduce_64(T input, const Modulus& modulus) {
  // The quotient of 2^64 is at most 1 too small.
  const auto quotient =
      static_cast<std::uint64_t>(static_cast<uintarith_detail::Wide>(input) * modulus.const_ratio()[1] >> 64);
  const std::uint64_t rest = input - quotient * modulus.value();
  return rest >= modulus.value() ? rest - modulus.value() : rest;
}
template <typename T, typename = std::enable_if_t<is_uint64_v<T>>>
[[nodiscard]] inline std::uint64_t barrett_reduce_128(const T* input, const Modulus& modulus) {
  // The quotient is the third word of input * floor(2^128 / modulus), without the fourth. It is at most 1 too small.
  const std::uint64_t low = modulus.const_ratio()[0], high = modulus.const_ratio()[1];
  const uintarith_detail::Wide first = static_cast<uintarith_detail::Wide>(input[0]) * low >> 64;
  const uintarith_detail::Wide second = static_cast<uintarith_detail::Wide>(input[0]) * high + first;
  const uintarith_detail::Wide third =
      static_cast<uintarith_detail::Wide>(input[1]) * low + static_cast<std::uint64_t>(second);
  const std::uint64_t quotient =
      input[1] * high + static_cast<std::uint64_t>(second >> 64) + static_cast<std::uint64_t>(third >> 64);
  const std::uint64_t rest = input[0] - quotient * modulus.value();
  return rest >= modulus.value() ? rest - modulus.value() : rest;
}

// The product and the sum of any words.
[[nodiscard]] inline std::uint64_t multiply_uint_mod(std::uint64_t a, std::uint64_t b, const Modulus& modulus) {
  unsigned long long product[2];
  multiply_uint64(a, b, product);
  return barrett_reduce_128(product, modulus);
}
[[nodiscard]] inline std::uint64_t multiply_add_uint_mod(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                                         const Modulus& modulus) {
  unsigned long long sum[2];
  multiply_uint64(a, b, sum);
  sum[1] += add_uint64(sum[0], c, sum);
  return barrett_reduce_128(sum, modulus);
}

// A residue that multiplies many words, with its quotient floor(2^64 operand / modulus).
struct MultiplyUIntModOperand {
  std::uint64_t operand;
  std::uint64_t quotient;

  void set_quotient(const Modulus& modulus) {
    std::uint64_t wide[2] = {0, operand}, ratio[2] = {0, 0};
    divide_uint128_inplace(wide, modulus.value(), ratio);
    quotient = ratio[0];
  }
  void set(std::uint64_t value, const Modulus& modulus) {
    operand = value;
    set_quotient(modulus);
  }
};

// Multiply any word. The lazy result is below twice the modulus.
[[nodiscard]] inline std::uint64_t multiply_uint_mod_lazy(std::uint64_t x, MultiplyUIntModOperand y,
                                                          const Modulus& modulus) {
  const auto quotient = static_cast<std::uint64_t>(static_cast<uintarith_detail::Wide>(x) * y.quotient >> 64);
  return x * y.operand - quotient * modulus.value();
}
[[nodiscard]] inline std::uint64_t multiply_uint_mod(std::uint64_t x, MultiplyUIntModOperand y,
                                                     const Modulus& modulus) {
  const std::uint64_t product = multiply_uint_mod_lazy(x, y, modulus);
  return product >= modulus.value() ? product - modulus.value() : product;
}
[[nodiscard]] inline std::uint64_t multiply_add_uint_mod(std::uint64_t a, MultiplyUIntModOperand b, std::uint64_t c,
                                                         const Modulus& modulus) {
  return add_uint_mod(multiply_uint_mod(a, b, modulus), barrett_reduce_64(c, modulus), modulus);
}

// Reduce a number of several words, lowest first.
[[nodiscard]] inline std::uint64_t modulo_uint(const std::uint64_t* value, std::size_t count, const Modulus& modulus) {
  std::uint64_t rest[2] = {0, 0};
  for (std::size_t i = count; i-- > 0;) {
    rest[0] = value[i];
    rest[1] = barrett_reduce_128(rest, modulus);
  }
  return rest[1];
}
inline void modulo_uint_inplace(std::uint64_t* value, std::size_t count, const Modulus& modulus) {
  const std::uint64_t rest = modulo_uint(value, count, modulus);
  set_uint(rest, count, value);
}

// false: the operand has no inverse, and result is unchanged.
inline bool try_invert_uint_mod(std::uint64_t operand, const Modulus& modulus, std::uint64_t& result) {
  return try_invert_uint_mod(operand, modulus.value(), result);
}
[[nodiscard]] std::uint64_t exponentiate_uint_mod(std::uint64_t operand, std::uint64_t exponent,
                                                  const Modulus& modulus);
// Returns the sum of `count` products.
[[nodiscard]] std::uint64_t dot_product_mod(const std::uint64_t* a, const std::uint64_t* b, std::size_t count,
                                            const Modulus& modulus);

}  // namespace util
}  // namespace seal
