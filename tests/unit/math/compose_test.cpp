// SPDX-License-Identifier: Apache-2.0
// Tests the composition of integers from residues (Chinese remainder theorem), with a division by 2^shift and a
// rounding. A test chooses the quotient, and computes the residues of the integer limb by limb.
#include "math/compose.h"

#include <gtest/gtest.h>

#include <cmath>

#include "math/prime.h"

namespace ringfort::compose_test {
namespace {

u64 power_of_two(const Modulus<u64>& q, u32 exponent) {
  u64 result = 1;
  for (u32 i = 0; i < exponent; ++i) result = q.add(result, result);
  return result;
}

u64 residue(const Modulus<u64>& q, i128 value) {
  const i128 modulus = static_cast<i128>(q.value());
  return static_cast<u64>((value % modulus + modulus) % modulus);
}

TEST(ComposeRounded, GivesTheNearestQuotientOfEveryLengthAndSign) {
  const RnsBasis basis(ntt_primes(60, 64, 20).value());
  const i128 most = (i128{1} << 126) - 1;
  const i128 quotients[] = {0, 1, -1, 2, -3, i128{1} << 64, -(i128{1} << 64), most / 3, -most / 3, most, -most};
  for (const u32 shift : {0u, 1u, 5u, 63u, 64u, 65u, 100u, 127u, 128u, 200u, 640u, 1000u}) {
    const u32 count = (shift + 128) / 59 + 1;  // so many limbs that 2^(shift + 127) < Q / 2
    // the remainders 0, 2^(shift - 1) - 1 and -2^(shift - 1)
    for (const i128 sign : {i128{0}, i128{1}, i128{-1}}) {
      if (shift == 0 && sign != 0) continue;
      std::vector<u64> residues;
      for (u32 limb = 0; limb < count; ++limb) {
        const Modulus<u64>& q = basis[limb];
        const u64 half = shift == 0 ? 0 : power_of_two(q, shift - 1), rest = sign == 0  ? 0
                                                                             : sign > 0 ? q.subtract(half, 1)
                                                                                        : q.subtract(0, half);
        for (const i128 quotient : quotients)
          residues.push_back(q.add(q.multiply(residue(q, quotient), power_of_two(q, shift)), rest));
      }
      std::vector<i128> found(std::size(quotients));
      compose_rounded(basis, {0, count}, shift, residues, found);
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_TRUE(found[i] == quotients[i])
            << "shift " << shift << ", rest " << static_cast<int>(sign) << ", value " << i;
    }
  }
}

// The residues are those of +-2^exponent and of smaller numbers. The largest absolute value determines the result.
TEST(Log2LargestCentred, IsThatOfTheLargestPowerOfTwoOfEitherSign) {
  const RnsBasis basis(ntt_primes(60, 64, 20).value());
  for (const u32 exponent : {0u, 1u, 52u, 53u, 59u, 60u, 64u, 127u, 500u, 1100u, 1170u}) {
    for (const bool negative : {false, true}) {
      std::vector<u64> residues;
      for (u32 limb = 0; limb < 20; ++limb) {
        const Modulus<u64>& q = basis[limb];
        const u64 power = power_of_two(q, exponent), half = exponent == 0 ? 0 : power_of_two(q, exponent - 1);
        for (const u64 value : {u64{0}, half, negative ? q.negate(power) : power, q.negate(half)})
          residues.push_back(value);
      }
      const double found = log2_largest_centred(basis, {0, 20}, residues);
      EXPECT_GE(found, exponent) << negative;
      EXPECT_LE(found, exponent + std::log2(1 + std::exp2(-static_cast<double>(exponent))) + 1e-12) << negative;
    }
  }
}

TEST(Log2LargestCentred, OfNothingButZerosIsZeroAndOfTheLongestIsThatOfHalfTheProduct) {
  const RnsBasis basis(ntt_primes(60, 64, 20).value());
  EXPECT_EQ(log2_largest_centred(basis, {3, 4}, std::vector<u64>(4 * 8)), 0);
  std::vector<u64> half;  // (Q - 1) / 2 and its negative
  for (u32 limb = 3; limb < 7; ++limb) {
    const Modulus<u64>& q = basis[limb];
    half.push_back(q.value() / 2);
    half.push_back(q.value() / 2 + 1);
  }
  EXPECT_NEAR(log2_largest_centred(basis, {3, 4}, half), basis.log2_product({3, 4}) - 1, 1e-9);
}

TEST(ComposeRounded, IsTheExactCompositionWithoutAShift) {
  const RnsBasis basis(ntt_primes(60, 64, 6).value());
  std::vector<u64> residues;
  u64 state = 1;
  for (u32 limb = 1; limb < 3; ++limb) {
    for (int i = 0; i < 64; ++i)
      residues.push_back((state = state * 6364136223846793005u + 1442695040888963407u) % basis[limb].value());
  }
  std::vector<i128> exact(64), found(64);
  basis.compose_centred({1, 2}, residues, exact);
  compose_rounded(basis, {1, 2}, 0, residues, found);
  EXPECT_TRUE(found == exact);
}

}  // namespace
}  // namespace ringfort::compose_test
