// SPDX-License-Identifier: Apache-2.0
// Rounded composition of integers with a known quotient by a power of two. The tests compute the integers' residues
// limb by limb.
#include "math/compose.h"

#include <gtest/gtest.h>

#include "math/prime.h"

namespace ringfort {
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
    const u32 count = (shift + 128) / 59 + 1;  // 2^(shift + 127) < Q / 2
    // remainders 0, 2^(shift - 1) - 1 and -2^(shift - 1)
    for (const i128 part : {i128{0}, i128{1}, i128{-1}}) {
      if (shift == 0 && part != 0) continue;
      std::vector<u64> residues;
      for (u32 limb = 0; limb < count; ++limb) {
        const Modulus<u64>& q = basis[limb];
        const u64 half = shift == 0 ? 0 : power_of_two(q, shift - 1), rest = part == 0  ? 0
                                                                             : part > 0 ? q.subtract(half, 1)
                                                                                        : q.subtract(0, half);
        for (const i128 quotient : quotients)
          residues.push_back(q.add(q.multiply(residue(q, quotient), power_of_two(q, shift)), rest));
      }
      std::vector<i128> found(std::size(quotients));
      compose_rounded(basis, {0, count}, shift, residues, found);
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_TRUE(found[i] == quotients[i])
            << "shift " << shift << ", rest " << static_cast<int>(part) << ", value " << i;
    }
  }
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
}  // namespace ringfort
