// SPDX-License-Identifier: Apache-2.0
// Tests the arithmetic on single residues, the primes and the roots of HEXL's interface.
#include <gtest/gtest.h>

#include <numeric>

#include "hexl/hexl.hpp"
#include "ringfort/error.h"
#include "support/refused.h"
#include "support/vectors.h"

namespace ringfort::testing::number_theory_test {
namespace {

using namespace intel::hexl;

const std::vector<u64> kModuli = {1, 2, 3, 10, 12289, (1ull << 52) - 47, (1ull << 61) - 1, (1ull << 63) - 25};

TEST(HexlNumberTheory, ArithmeticOnResiduesIsItsDefinition) {
  for (const u64 q : kModuli) {
    for (u64 seed = 0; seed < 50; ++seed) {
      const u64 x = splitmix64(seed) % q, y = splitmix64(seed + 50) % q, word = splitmix64(seed + 100);
      EXPECT_EQ(AddUIntMod(x, y, q), (u128{x} + y) % q);
      EXPECT_EQ(SubUIntMod(x, y, q), (u128{x} + q - y) % q);
      EXPECT_EQ(MultiplyMod(x, y, q), u128{x} * y % q);
      EXPECT_EQ(BarrettReduce128(x, word, q), (u128{x} << 64 | word) % q);
      if (q == 1) continue;
      const MultiplyFactor factor(y, 64, q);
      EXPECT_EQ(factor.Operand(), y);
      EXPECT_EQ(factor.BarrettFactor(), (u128{y} << 64) / q);
      EXPECT_EQ(MultiplyMod(word, y, factor.BarrettFactor(), q), u128{word} * y % q);
      const u64 lazy = MultiplyModLazy<64>(word, y, q);
      EXPECT_TRUE(lazy < 2 * q && lazy % q == u128{word} * y % q);
      EXPECT_EQ(BarrettReduce64(word, q, MultiplyFactor(1, 64, q).BarrettFactor()), word % q);
      if (q >> 52 == 0) {
        const u64 short_word = word >> 12, lazy52 = MultiplyModLazy<52>(short_word, y, q);
        EXPECT_TRUE(lazy52 < 2 * q && lazy52 % q == u128{short_word} * y % q);
      }
      if (q >> 60 != 0) continue;
      const u64 twice = 2 * q, four_times = 4 * q;
      EXPECT_EQ(ReduceMod<8>(word % (8 * q), q, &twice, &four_times), word % (8 * q) % q);
    }
  }
}

TEST(HexlNumberTheory, PowersInversesAndReversedBits) {
  EXPECT_EQ(PowMod(3, 200, (1ull << 61) - 1), PowMod(PowMod(3, 100, (1ull << 61) - 1), 2, (1ull << 61) - 1));
  EXPECT_EQ(PowMod(7, 12, 13), 1u);
  EXPECT_EQ(PowMod(7 + 13, 5, 13), 7u * 7 * 7 * 7 * 7 % 13);
  for (const u64 q : {u64{10}, u64{12289}, u64{1} << 32, (u64{1} << 63) - 25, ~u64{0}}) {
    for (u64 seed = 0; seed < 20; ++seed) {
      const u64 x = splitmix64(seed);
      const auto inverse = [&] { return InverseMod(x, q); };
      if (std::gcd(x, q) == 1) EXPECT_EQ(u128{inverse()} * (x % q) % q, 1u) << x << " " << q;
      else expect_refused(Code::invalid_argument, [&] { (void)inverse(); }, "coprime");
    }
  }
  EXPECT_EQ(ReverseBits(0b1101, 4), 0b1011u);
  EXPECT_EQ(ReverseBits(1, 64), u64{1} << 63);
  EXPECT_EQ(ReverseBits(1, 0), 0u);
  EXPECT_EQ(MSB(1), 0u);
  EXPECT_EQ(MSB((u64{1} << 63) - 1), 62u);  // a logarithm in doubles would round up
  EXPECT_TRUE(IsPowerOfFour(64) && !IsPowerOfFour(32) && IsPowerOfTwo(32) && !IsPowerOfTwo(0));
  EXPECT_EQ(MaximumValue(64), ~u64{0});
  u64 sum = 0;
  EXPECT_EQ(AddUInt64(~u64{0}, 2, &sum), 1);
  EXPECT_EQ(sum, 1u);
}

TEST(HexlNumberTheory, MontgomeryReductionDividesByAPowerOfTwo) {
  for (const u64 q : {u64{3}, u64{12289}, (u64{1} << 50) - 27}) {
    const int r = static_cast<int>(MSB(q)) + 1;
    const u64 mask = MaximumValue(static_cast<u64>(r)), inverse = HenselLemma2adicRoot(static_cast<uint32_t>(r), q);
    EXPECT_EQ((q * inverse + 1) & mask, 0u);
    for (u64 seed = 0; seed < 20; ++seed) {
      const u64 x = splitmix64(seed) % q, y = splitmix64(seed + 20) % q;
      const u128 t = u128{x} * y;
      const u64 wide = MontgomeryReduce<64>(static_cast<u64>(t >> 64), static_cast<u64>(t), q, r, mask, inverse);
      EXPECT_EQ((u128{wide} << r) % q, t % q);
      EXPECT_LT(wide, q);
      EXPECT_EQ(
          MontgomeryReduce<52>(static_cast<u64>(t >> 52), static_cast<u64>(t) & MaximumValue(52), q, r, mask, inverse),
          wide);
    }
  }
}

TEST(HexlNumberTheory, PrimesAreTheEndsOfTheirRange) {
  EXPECT_TRUE(IsPrime(2) && IsPrime((1ull << 61) - 1) && !IsPrime(0) && !IsPrime(1) && !IsPrime((1ull << 61) + 1));
  EXPECT_EQ(GeneratePrimes(3, 4, true), (std::vector<uint64_t>{17, 19, 23}));
  EXPECT_EQ(GeneratePrimes(3, 4, false), (std::vector<uint64_t>{31, 29, 23}));
  EXPECT_EQ(GeneratePrimes(1, 13, true, 2048), (std::vector<uint64_t>{12289}));
  for (const u64 q : GeneratePrimes(10, 60, false, 4096)) EXPECT_TRUE(IsPrime(q) && q % 8192 == 1 && MSB(q) == 60);
  expect_refused(Code::unsupported, [] { (void)GeneratePrimes(100, 12, true, 1024); }, "ask for fewer");
  expect_refused(Code::invalid_argument, [] { (void)GeneratePrimes(0, 12, true); }, "at least one");
  expect_refused(Code::invalid_argument, [] { (void)GeneratePrimes(1, 63, true); }, "1 to 62");
  expect_refused(Code::invalid_argument, [] { (void)GeneratePrimes(1, 10, true, 1024); }, "smaller power");
}

TEST(HexlNumberTheory, MinimalRootIsTheSmallestPrimitiveRoot) {
  for (const u64 degree : {2, 4, 8, 32}) {
    const u64 q = 12289;
    u64 smallest = 0;
    for (u64 x = 1; x < q && smallest == 0; ++x)
      if (IsPrimitiveRoot(x, degree, q)) smallest = x;
    EXPECT_EQ(MinimalPrimitiveRoot(degree, q), smallest);
    EXPECT_TRUE(IsPrimitiveRoot(GeneratePrimitiveRoot(degree, q), degree, q));
  }
  EXPECT_FALSE(IsPrimitiveRoot(0, 4, 17));
  expect_refused(Code::invalid_argument, [] { (void)MinimalPrimitiveRoot(6, 13); }, "power of two");
  expect_refused(Code::invalid_argument, [] { (void)MinimalPrimitiveRoot(32, 17 + 2); }, "primes");
  expect_refused(Code::invalid_argument, [] { (void)MinimalPrimitiveRoot(1, 17); }, "above 1");
}

TEST(HexlNumberTheory, IllegalArgumentsAreRefused) {
  expect_refused(Code::invalid_argument, [] { (void)MultiplyMod(5, 1, 5); }, "reduce it");
  expect_refused(Code::invalid_argument, [] { (void)AddUIntMod(0, 7, 5); }, "reduce it");
  expect_refused(Code::invalid_argument, [] { (void)PowMod(1, 1, 0); }, "above 0");
  expect_refused(Code::invalid_argument, [] { (void)ReverseBits(4, 1); }, "highest bit");
  expect_refused(Code::invalid_argument, [] { (void)MultiplyFactor(6, 64, 5); }, "reduce");
  expect_refused(Code::invalid_argument, [] { (void)MultiplyFactor(1, 33, 5); }, "one of these");
  expect_refused(Code::invalid_argument, [] { (void)MultiplyModLazy<52>(u64{1} << 52, 1, 5); }, "BitShift");
  expect_refused(Code::invalid_argument, [] { (void)ReduceMod<4>(1, 5); }, "address");
  expect_refused(Code::invalid_argument, [] { (void)MSB(0); }, "above 0");
  expect_refused(Code::invalid_argument, [] { (void)HenselLemma2adicRoot(8, 4); }, "odd");
  expect_refused(Code::invalid_argument, [] { (void)NTT::s_max_fwd_modulus(33); }, "one of these");
}

}  // namespace
}  // namespace ringfort::testing::number_theory_test
