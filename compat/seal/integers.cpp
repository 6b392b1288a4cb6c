// SPDX-License-Identifier: Apache-2.0
// Numbers of one and of several words: the longer functions of
// seal/util/{numth,uintarith,uintarithsmallmod,uintcore}.h. Nothing here takes constant time: the words are those of
// programs.
#include <stdexcept>
#include <vector>

#include "errors.h"
#include "seal/util/uintarithsmallmod.h"

namespace seal::util {

void hex_string_to_uint(const char* hex_string, int char_count, std::size_t uint64_count, std::uint64_t* result) {
  set_zero_uint(uint64_count, result);
  for (int i = 0; i < char_count; ++i) {
    const char c = hex_string[char_count - 1 - i];
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && !(c >= 'A' && c <= 'F') && !(c >= 'a' && c <= 'f'))
      throw std::invalid_argument("a hexadecimal number has another character than 0 .. 9 and A .. F");
    const auto digit = static_cast<std::uint64_t>(is_digit ? c - '0' : (c | 32) - 'a' + 10);
    const std::size_t word = static_cast<std::size_t>(i) / 16;
    if (word < uint64_count) result[word] |= digit << (4 * (i % 16));
    else if (digit != 0) throw std::invalid_argument("a hexadecimal number is longer than its words");
  }
}

std::tuple<std::uint64_t, std::int64_t, std::int64_t> xgcd(std::uint64_t x, std::uint64_t y) {
  std::int64_t a = 1, b = 0, next_a = 0, next_b = 1;
  while (y != 0) {
    const auto quotient = static_cast<std::int64_t>(x / y);
    x = std::exchange(y, x % y);
    a = std::exchange(next_a, a - quotient * next_a);
    b = std::exchange(next_b, b - quotient * next_b);
  }
  return {x, a, b};
}

bool try_invert_uint_mod(std::uint64_t value, std::uint64_t modulus, std::uint64_t& result) {
  if (modulus == 0 || value % modulus == 0) return false;
  const auto [divisor, inverse, unused] = xgcd(value % modulus, modulus);
  if (divisor != 1) return false;
  result = inverse < 0 ? modulus - static_cast<std::uint64_t>(-inverse) : static_cast<std::uint64_t>(inverse);
  return true;
}

bool try_primitive_root(std::uint64_t degree, const Modulus& prime_modulus, std::uint64_t& destination) {
  return try_minimal_primitive_root(degree, prime_modulus, destination);
}

bool try_minimal_primitive_root(std::uint64_t degree, const Modulus& prime_modulus, std::uint64_t& destination) {
  const std::uint64_t q = prime_modulus.value();
  if (degree < 2 || get_power_of_two(degree) < 0 || q < 3 || !prime_modulus.is_prime() || (q - 1) % degree != 0)
    return false;
  std::uint64_t root = 0;
  for (std::uint64_t base = 2; exponentiate_uint_mod(root, degree / 2, prime_modulus) != q - 1; ++base)
    root = exponentiate_uint_mod(base, (q - 1) / degree, prime_modulus);
  MultiplyUIntModOperand square{};
  square.set(multiply_uint_mod(root, root, prime_modulus), prime_modulus);
  std::uint64_t least = root;
  for (std::uint64_t i = 1; i < degree / 2; ++i) {
    root = multiply_uint_mod(root, square, prime_modulus);
    least = std::min(least, root);
  }
  destination = least;
  return true;
}

// The root has the order 2^k if its power 2^(k - 1) is -1.
bool is_primitive_root(std::uint64_t root, std::uint64_t degree, const Modulus& prime_modulus) {
  if (degree < 2 || get_power_of_two(degree) < 0)
    detail::refuse_argument("the degree of a root is " + std::to_string(degree), "it is a power of two above 1");
  const std::uint64_t reduced = barrett_reduce_64(root, prime_modulus);
  return exponentiate_uint_mod(reduced, degree / 2, prime_modulus) == prime_modulus.value() - 1;
}

std::vector<int> naf(int value) {
  std::vector<int> terms;
  std::int64_t rest = value;
  for (std::int64_t power = 1; rest != 0; power *= 2, rest /= 2) {
    if (rest % 2 == 0) continue;
    const std::int64_t digit = 2 - (rest & 3);  // 1 or -1, so that the next digit is 0
    terms.push_back(static_cast<int>(digit * power));
    rest -= digit;
  }
  return terms;
}

void multiply_uint(const std::uint64_t* a, std::size_t a_count, const std::uint64_t* b, std::size_t b_count,
                   std::size_t result_count, std::uint64_t* result) {
  std::vector<std::uint64_t> product(result_count, 0);
  for (std::size_t i = 0; i < a_count && i < result_count; ++i) {
    uintarith_detail::Wide carry = 0;
    for (std::size_t j = 0; i + j < result_count; ++j) {
      carry += static_cast<uintarith_detail::Wide>(a[i]) * uintarith_detail::word_at(b, b_count, j) + product[i + j];
      product[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  std::copy(product.begin(), product.end(), result);
}

// Shifts and subtracts: programs divide few numbers of several words.
void divide_uint_inplace(std::uint64_t* numerator, const std::uint64_t* denominator, std::size_t count,
                         std::uint64_t* quotient) {
  if (is_zero_uint(denominator, count)) throw std::invalid_argument("a number was divided by zero");
  std::vector<std::uint64_t> rest(count, 0), found(count, 0);
  for (std::size_t i = 64 * count; i-- > 0;) {
    const bool is_above = rest[count - 1] >> 63 != 0;
    left_shift_uint(rest.data(), 1, count, rest.data());
    rest[0] |= numerator[i / 64] >> (i % 64) & 1;
    if (!is_above && is_less_than_uint(rest.data(), denominator, count)) continue;
    sub_uint(rest.data(), denominator, count, rest.data());
    found[i / 64] |= std::uint64_t(1) << (i % 64);
  }
  std::copy(rest.begin(), rest.end(), numerator);
  std::copy(found.begin(), found.end(), quotient);
}

namespace {

void divide_by_word(std::uint64_t* numerator, std::size_t count, std::uint64_t denominator, std::uint64_t* quotient) {
  if (denominator == 0) throw std::invalid_argument("a number was divided by zero");
  uintarith_detail::Wide rest = 0;
  for (std::size_t i = count; i-- > 0;) {
    rest = rest << 64 | numerator[i];
    quotient[i] = static_cast<std::uint64_t>(rest / denominator);
    rest %= denominator;
  }
  set_uint(static_cast<std::uint64_t>(rest), count, numerator);
}

}  // namespace

void divide_uint128_inplace(std::uint64_t* numerator, std::uint64_t denominator, std::uint64_t* quotient) {
  divide_by_word(numerator, 2, denominator, quotient);
}
void divide_uint192_inplace(std::uint64_t* numerator, std::uint64_t denominator, std::uint64_t* quotient) {
  divide_by_word(numerator, 3, denominator, quotient);
}

std::uint64_t exponentiate_uint_safe(std::uint64_t operand, std::uint64_t exponent) {
  std::uint64_t power = 1;
  if (operand < 2) return exponent == 0 ? 1 : operand;
  for (std::uint64_t i = 0; i < exponent; ++i) power = mul_safe(power, operand);  // throws after at most 64 rounds
  return power;
}

std::uint64_t exponentiate_uint(std::uint64_t operand, std::uint64_t exponent) {
  std::uint64_t power = 1;
  for (; exponent != 0; exponent >>= 1, operand *= operand) {
    if ((exponent & 1) != 0) power *= operand;
  }
  return power;
}

std::uint64_t exponentiate_uint_mod(std::uint64_t operand, std::uint64_t exponent, const Modulus& modulus) {
  std::uint64_t power = 1;
  for (; exponent != 0; exponent >>= 1, operand = multiply_uint_mod(operand, operand, modulus)) {
    if ((exponent & 1) != 0) power = multiply_uint_mod(power, operand, modulus);
  }
  return power;
}

std::uint64_t dot_product_mod(const std::uint64_t* a, const std::uint64_t* b, std::size_t count,
                              const Modulus& modulus) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum = multiply_add_uint_mod(a[i], b[i], sum, modulus);
  return sum;
}

}  // namespace seal::util
