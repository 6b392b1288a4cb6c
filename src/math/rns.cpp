// SPDX-License-Identifier: Apache-2.0
// Computes the constants of an RNS basis, and composes integers from residues (rns.h).
#include "math/rns.h"

#include <cmath>

#include "base/assert.h"

namespace ringfort {

namespace {

// Computes words = words * factor + addend. The result must fit.
void multiply_add_words(std::span<u64> words, u64 factor, u64 addend) noexcept {
  u128 carry = addend;
  for (u64& word : words) {
    carry += u128{word} * factor;
    word = static_cast<u64>(carry);
    carry >>= 64;
  }
  RF_ASSERT(carry == 0);
}

}  // namespace

RnsBasis::RnsBasis(std::span<const u128> primes) : inverses_(primes.size() * primes.size()) {
  moduli_.reserve(primes.size());
  fractions_.reserve(primes.size());
  for (const u128 prime : primes) {
    const Modulus<u64>& q = moduli_.emplace_back(static_cast<u64>(prime));
    RF_ASSERT(prime >> Modulus<u64>::kMaxBits == 0);
    fractions_.push_back(static_cast<u64>((u128{1} << (63 + q.bits())) / q.value()));
  }
  for (u32 of = 0; of < size(); ++of) {
    for (u32 in = 0; in < size(); ++in)
      inverses_[std::size_t{of} * size() + in] = moduli_[in].inverse(moduli_[of].value());
  }
}

bool RnsBasis::is_distinct(Limbs limbs) const noexcept {
  for (u32 i = limbs.first; i < limbs.end(); ++i) {
    for (u32 j = limbs.first; j < i; ++j) {
      if (inverse(i, j) == 0) return false;
    }
  }
  return true;
}

u64 RnsBasis::punctured_inverse(Limbs from, u32 limb) const noexcept {
  u64 result = 1;
  for (u32 i = from.first; i < from.end(); ++i) {
    if (i != limb) result = moduli_[limb].multiply(result, inverse(i, limb));
  }
  return result;
}

u64 RnsBasis::product(Limbs from, u32 in) const noexcept {
  u64 result = 1;
  for (u32 i = from.first; i < from.end(); ++i) result = moduli_[in].reduce(mul_wide<u64>(result, moduli_[i].value()));
  return result;
}

u64 RnsBasis::product_inverse(Limbs from, u32 in) const noexcept {
  u64 result = 1;
  for (u32 i = from.first; i < from.end(); ++i) result = moduli_[in].multiply(result, inverse(i, in));
  return result;
}

void RnsBasis::punctured_products(Limbs from, u32 in, std::span<u64> out) const noexcept {
  const Modulus<u64>& p = moduli_[in];
  u64 before = 1, after = 1;
  for (u32 i = 0; i < from.count; ++i) {
    out[i] = before;
    before = p.reduce(mul_wide<u64>(before, moduli_[from.first + i].value()));
  }
  for (u32 i = from.count; i-- > 0;) {
    out[i] = p.multiply(out[i], after);
    after = p.reduce(mul_wide<u64>(after, moduli_[from.first + i].value()));
  }
}

double RnsBasis::log2_product(Limbs limbs) const noexcept {
  double sum = 0;
  for (u32 i = limbs.first; i < limbs.end(); ++i) sum += std::log2(static_cast<double>(moduli_[i].value()));
  return sum;
}

std::vector<u64> RnsBasis::product_words(Limbs limbs) const {
  std::vector<u64> words(limbs.count + 1);
  words[0] = 1;
  for (u32 i = limbs.first; i < limbs.end(); ++i) multiply_add_words(words, moduli_[i].value(), 0);
  while (words.back() == 0) words.pop_back();
  return words;
}

// Mixed-radix digits: x = digits_0 + digits_1 q_0 + digits_2 q_0 q_1 + ... Returns the next digit, the first one that
// is not in `digits`. `residue` is x modulo the prime at the position of the next digit.
u64 RnsBasis::mixed_digit(Limbs limbs, std::span<const u64> digits, u64 residue) const noexcept {
  const u32 limb = limbs.first + static_cast<u32>(digits.size());
  const Modulus<u64>& q = moduli_[limb];
  for (u32 i = 0; i < digits.size(); ++i) {
    residue = q.multiply(q.subtract(residue, q.reduce(digits[i])), inverse(limbs.first + i, limb));
  }
  return residue;
}

// Works modulo 2^128, which suffices for the result even if Q is longer. The number (Q - 1) / 2 has the digits
// (q_i - 1) / 2.
void RnsBasis::compose_centred(Limbs limbs, std::span<const u64> residues, std::span<i128> out) const noexcept {
  RF_ASSERT(limbs.count >= 1 && limbs.count <= kMostLimbs && residues.size() == limbs.count * out.size());
  u64 digits[kMostLimbs];
  u128 product = 1;
  for (u32 i = limbs.first; i < limbs.end(); ++i) product *= moduli_[i].value();
  for (std::size_t c = 0; c < out.size(); ++c) {
    for (u32 i = 0; i < limbs.count; ++i) digits[i] = mixed_digit(limbs, {digits, i}, residues[i * out.size() + c]);
    u128 value = 0;
    // `upper` is a mask: all ones if the number with the digits up to i is above half the product of their primes.
    u64 upper = 0;
    for (u32 i = 0; i < limbs.count; ++i) {
      const u64 half = moduli_[limbs.first + i].value() / 2;
      upper = mask_if<u64>(digits[i] > half) | (mask_if<u64>(digits[i] == half) & upper);
    }
    for (u32 i = limbs.count; i-- > 0;) value = value * moduli_[limbs.first + i].value() + digits[i];
    out[c] = static_cast<i128>(value - (product & mask_if<u128>(upper != 0)));
  }
}

std::vector<u64> RnsBasis::compose_words(Limbs limbs, std::span<const u64> residues) const {
  std::vector<u64> words = product_words(limbs), digits;
  std::fill(words.begin(), words.end(), 0);
  for (u32 i = 0; i < limbs.count; ++i) digits.push_back(mixed_digit(limbs, digits, residues[i]));
  for (u32 i = limbs.count; i-- > 0;) multiply_add_words(words, moduli_[limbs.first + i].value(), digits[i]);
  return words;
}

}  // namespace ringfort
