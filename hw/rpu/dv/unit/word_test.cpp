// SPDX-License-Identifier: Apache-2.0
// Tests the modular arithmetic on words of 128 bits. Compares products with a second method, which doubles and adds.
#include "sim/word.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace ringfort::rpu {
namespace {

constexpr u128 kOnes = ~u128{0};

// Returns a * b mod q by doubling and adding. Every intermediate value is below q.
u128 multiply_by_bits(u128 a, u128 b, u128 q) {
  u128 sum = 0;
  a %= q;
  b %= q;
  for (int bit = 127; bit >= 0; --bit) {
    sum = sum >= q - sum ? sum - (q - sum) : sum + sum;
    if (((b >> bit) & 1) != 0) sum = sum >= q - a ? sum - (q - a) : sum + a;
  }
  return sum;
}

std::vector<u128> moduli() {
  std::vector<u128> all{2,
                        3,
                        5,
                        17,
                        65537,
                        (u128{1} << 61) - 1,
                        (u128{1} << 64) - 1,
                        u128{1} << 64,
                        (u128{1} << 64) + 1,
                        u128{1} << 127,
                        (u128{1} << 127) - 1,
                        (u128{1} << 127) + 1,
                        kOnes,
                        kOnes - 63963134};
  for (int bits = 2; bits < 128; bits += 7) all.push_back((u128{1} << bits) - 1);
  return all;
}

TEST(Word, ProductsAgreeWithAdditionByBits_AllWidthsAndUnreducedOperands) {
  std::mt19937_64 random(1);
  const auto word = [&random] { return (static_cast<u128>(random()) << 64) | random(); };
  for (const u128 q : moduli()) {
    const Modulus modulus(q);
    std::vector<u128> operands{0, 1, q - 1, q, q / 2, kOnes, kOnes - q, word(), word(), word() % q, word() >> 64};
    for (const u128 a : operands)
      for (const u128 b : operands)
        ASSERT_TRUE(modulus.multiply(a, b) == multiply_by_bits(a, b, q))
            << "q " << static_cast<u64>(q >> 64) << ":" << static_cast<u64>(q);
  }
}

TEST(Word, SumsAndDifferencesStayBelowTheModulus_EvenWhereTheyOverflow) {
  for (const u128 q : moduli()) {
    const Modulus modulus(q);
    ASSERT_TRUE(modulus.add(q - 1, q - 1) == (q == 2 ? 0 : q - 2));
    ASSERT_TRUE(modulus.add(q - 1, 1) == 0);
    ASSERT_TRUE(modulus.subtract(0, q - 1) == 1 % q);
    ASSERT_TRUE(modulus.subtract(modulus.add(q / 2, q - 1), q - 1) == q / 2);
  }
}

TEST(Word, EveryProductOfASmallModulusIsExact) {
  for (u32 q = 2; q < 64; ++q) {
    const Modulus modulus(q);
    for (u32 a = 0; a < 2 * q; ++a)
      for (u32 b = 0; b < 2 * q; ++b) ASSERT_TRUE(modulus.multiply(a, b) == a * b % q);
  }
}

}  // namespace
}  // namespace ringfort::rpu
