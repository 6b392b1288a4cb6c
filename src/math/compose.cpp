// SPDX-License-Identifier: Apache-2.0
// Composition of long integers from residues (compose.h). The mixed-radix digits d_i of x satisfy
// x = d_0 + q_0 (d_1 + q_1 (d_2 ...)), with d_i < q_i. Integers of several words are in two's complement. Of the
// result, only the lowest 128 bits are computed.
#include "math/compose.h"

#include <cmath>

#include "base/assert.h"
#include "base/secret.h"
#include "math/word.h"

namespace ringfort {

namespace {

constexpr u32 kMostWords = kMostShift / 64 + 3;

struct Words {
  u64 word[kMostWords] = {};
  u32 count = 0;

  void multiply_add(u64 factor, u64 addend) noexcept {
    u128 carry = addend;
    for (u32 i = 0; i < count; ++i) {
      carry += u128{word[i]} * factor;
      word[i] = static_cast<u64>(carry);
      carry >>= 64;
    }
  }
  void subtract_if(u64 mask, const Words& other) noexcept {
    u64 borrow = 0;
    for (u32 i = 0; i < count; ++i) {
      const u128 less = u128{word[i]} - (other.word[i] & mask) - borrow;
      word[i] = static_cast<u64>(less);
      borrow = static_cast<u64>(less >> 64) & 1;
    }
  }
  void add_bit(u32 bit) noexcept {
    u64 carry = u64{1} << bit % 64;
    for (u32 i = bit / 64; i < count; ++i) {
      const u128 more = u128{word[i]} + carry;
      word[i] = static_cast<u64>(more);
      carry = static_cast<u64>(more >> 64);
    }
  }
  // Returns the bits shift .. shift + 127.
  [[nodiscard]] u128 from(u32 shift) const noexcept {
    const u32 at = shift / 64, by = shift % 64;
    const u128 low = u128{word[at + 1]} << 64 | word[at];
    return by == 0 ? low : low >> by | u128{word[at + 2]} << (128 - by);
  }
};

// Returns all ones if the number with these mixed-radix digits is above Q / 2. The number (Q - 1) / 2 has the digits
// (q_i - 1) / 2.
u64 upper_half(const RnsBasis& basis, Limbs limbs, const u64* digits) noexcept {
  u64 upper = 0;
  for (u32 i = 0; i < limbs.count; ++i) {
    const u64 half = basis[limbs.first + i].value() / 2;
    upper = mask_if<u64>(digits[i] > half) | (mask_if<u64>(digits[i] == half) & upper);
  }
  return upper;
}

// Writes the mixed-radix digits of coefficient c of `count` coefficients.
void mixed_digits(const RnsBasis& basis, Limbs limbs, std::span<const u64> residues, std::size_t count, std::size_t c,
                  u64* digits) noexcept {
  for (u32 i = 0; i < limbs.count; ++i) {
    const Modulus<u64>& q = basis[limbs.first + i];
    u64 digit = residues[i * count + c];
    for (u32 j = 0; j < i; ++j)
      digit = q.multiply(q.subtract(digit, q.reduce(digits[j])), basis.inverse(limbs.first + j, limbs.first + i));
    digits[i] = digit;
  }
}

// If x is above Q / 2, replaces its digits by the digits of Q - 1 - x. This number is one less than the absolute value
// of the centred representative, x - Q.
void fold(const RnsBasis& basis, Limbs limbs, u64* digits) noexcept {
  const u64 upper = upper_half(basis, limbs, digits);
  for (u32 i = 0; i < limbs.count; ++i)
    digits[i] ^= (digits[i] ^ (basis[limbs.first + i].value() - 1 - digits[i])) & upper;
}

// Replaces `largest` by `digits` if the number of `digits` is larger.
void keep_larger(u64* largest, const u64* digits, u32 count) noexcept {
  u64 larger = 0;
  for (u32 i = 0; i < count; ++i)
    larger = mask_if<u64>(digits[i] > largest[i]) | (mask_if<u64>(digits[i] == largest[i]) & larger);
  for (u32 i = 0; i < count; ++i) largest[i] ^= (largest[i] ^ digits[i]) & larger;
}

}  // namespace

double log2_largest_centred(const RnsBasis& basis, Limbs limbs, std::span<const u64> residues) noexcept {
  RF_ASSERT(limbs.count >= 1 && limbs.count <= kMostLimbs && residues.size() % limbs.count == 0);
  const std::size_t count = residues.size() / limbs.count;
  u64 digits[kMostLimbs], largest[kMostLimbs] = {};
  for (std::size_t c = 0; c < count; ++c) {
    mixed_digits(basis, limbs, residues, count, c, digits);
    fold(basis, limbs, digits);
    keep_larger(largest, digits, limbs.count);
  }
  double mantissa = 0;  // the number is mantissa 2^exponent: a single double could not exceed 2^1024
  int exponent = 0;
  for (u32 i = limbs.count; i-- > 0;) {
    const double q = static_cast<double>(basis[limbs.first + i].value());
    int shift = 0;
    mantissa = std::frexp(mantissa * q + std::ldexp(static_cast<double>(largest[i]), -exponent), &shift);
    exponent += shift;
  }
  wipe(digits, sizeof digits);
  wipe(largest, sizeof largest);
  return std::log2(mantissa + std::ldexp(1.0, -exponent)) + exponent;
}

void compose_rounded(const RnsBasis& basis, Limbs limbs, u32 shift, std::span<const u64> residues,
                     std::span<i128> out) noexcept {
  RF_ASSERT(limbs.count >= 1 && limbs.count <= kMostLimbs && residues.size() == limbs.count * out.size() &&
            shift <= kMostShift);
  u64 digits[kMostLimbs];
  Words product{{1}, shift / 64 + 3};
  for (u32 i = limbs.first; i < limbs.end(); ++i) product.multiply_add(basis[i].value(), 0);
  for (std::size_t c = 0; c < out.size(); ++c) {
    mixed_digits(basis, limbs, residues, out.size(), c, digits);
    Words value{{}, product.count};
    for (u32 i = limbs.count; i-- > 0;) value.multiply_add(basis[limbs.first + i].value(), digits[i]);
    value.subtract_if(upper_half(basis, limbs, digits), product);
    if (shift > 0) value.add_bit(shift - 1);
    out[c] = static_cast<i128>(value.from(shift));
  }
}

}  // namespace ringfort
