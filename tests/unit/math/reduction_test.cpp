// SPDX-License-Identifier: Apache-2.0
// Tests the reductions modulo q on the words that the library uses. Corrections are the subtractions of q at the end of
// a reduction. The tests use products that Python computed, the published worst case, and moduli at the boundaries.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "math/butterfly.h"
#include "math/prime.h"
#include "math/reduction_barrett.h"
#include "math/reduction_montgomery.h"
#include "math/reduction_shoup.h"
#include "math/reduction_special.h"
#include "support/vectors.h"

namespace ringfort {
namespace {

using testing::decimal;
using testing::parse_decimal;
using testing::read_vectors;
using testing::splitmix64;

struct Product {
  u128 a = 0, b = 0, q = 0, residue = 0;
};

std::vector<Product> products(u32 bits) {
  const auto vectors = read_vectors("arithmetic.json");
  std::vector<Product> found;
  for (const auto& row : vectors["products"][std::to_string(bits)]) {
    const auto number = [&row](std::size_t i) { return parse_decimal(row[i].get<std::string>()); };
    found.push_back({number(0), number(1), number(2), number(3)});
  }
  return found;
}

std::string show(const Product& p) { return decimal(p.a) + " * " + decimal(p.b) + " mod " + decimal(p.q); }

template <class Reduction, class W>
u32 check_products() {
  u32 accepted = 0;
  for (const Product& p : products(kWordBits<W>)) {
    const W a = static_cast<W>(p.a), b = static_cast<W>(p.b), q = static_cast<W>(p.q);
    if (!Reduction::accepts(q)) continue;
    ++accepted;
    EXPECT_EQ(decimal(make_reduction<Reduction>(q).value().multiply(a, b)), decimal(p.residue))
        << Reduction::kName << ": " << show(p);
  }
  return accepted;
}

template <class W>
class Words : public ::testing::Test {};
using AllWords = ::testing::Types<u32, u64, u128>;
TYPED_TEST_SUITE(Words, AllWords);

TYPED_TEST(Words, EveryReductionGivesPythonsProducts) {
  using W = TypeParam;
  EXPECT_EQ((check_products<BuiltinRemainder<W>, W>()), 200u);
  EXPECT_GT((check_products<ClassicalBarrett<W>, W>()), 100u);
  EXPECT_GT((check_products<DhemQuisquater<W>, W>()), 100u);
  EXPECT_GT((check_products<ProposedBarrett<W>, W>()), 100u);
}

TYPED_TEST(Words, MontgomeryAndShoupGivePythonsProducts) {
  using W = TypeParam;
  u32 odd = 0, short_enough = 0;
  for (const Product& p : products(kWordBits<W>)) {
    const W a = static_cast<W>(p.a), b = static_cast<W>(p.b), q = static_cast<W>(p.q);
    if (Montgomery<W>::accepts(q)) {
      const Montgomery<W> montgomery(q);
      EXPECT_EQ(decimal(montgomery.multiply(a, montgomery.to_form(b))), decimal(p.residue)) << show(p);
      ++odd;
    }
    if (Shoup<W>::accepts(q)) {
      EXPECT_EQ(decimal(shoup_multiply(a, shoup_factor(b, q), q)), decimal(p.residue)) << show(p);
      ++short_enough;
    }
  }
  EXPECT_GT(odd, 50u);
  EXPECT_GT(short_enough, 100u);
}

TYPED_TEST(Words, SumsWorkForModuliOfTheWholeWord) {
  using W = TypeParam;
  for (const Product& p : products(kWordBits<W>)) {
    const W a = static_cast<W>(p.a), b = static_cast<W>(p.b), q = static_cast<W>(p.q);
    const W sum = add_mod(a, b, q);
    EXPECT_LT(sum, q) << show(p);
    EXPECT_TRUE(subtract_mod(sum, b, q) == a && subtract_mod(sum, a, q) == b) << show(p);
    EXPECT_TRUE(add_mod(a, negate_mod(a, q), q) == 0) << show(p);
    EXPECT_TRUE(sum == (q - a > b ? a + b : a - (q - b))) << show(p);
  }
}

// Each reduction must accept the largest modulus at its limit, and refuse a modulus of one bit more.
TYPED_TEST(Words, LimitsAreWhatTheNamesSay) {
  using W = TypeParam;
  const auto longest = [](u32 bits) { return static_cast<W>(static_cast<W>(~W(0)) >> (kWordBits<W> - bits)); };
  const u32 w = kWordBits<W>;
  EXPECT_TRUE(ClassicalBarrett<W>::accepts(longest(w - 2)) && !ClassicalBarrett<W>::accepts(longest(w - 1)));
  EXPECT_TRUE(DhemQuisquater<W>::accepts(longest(w - 4)) && !DhemQuisquater<W>::accepts(longest(w - 3)));
  EXPECT_TRUE(ProposedBarrett<W>::accepts(longest(w - 2)) && !ProposedBarrett<W>::accepts(longest(w - 1)));
  EXPECT_TRUE(Shoup<W>::accepts(longest(w - 1)) && !Shoup<W>::accepts(longest(w)));
  EXPECT_TRUE(Montgomery<W>::accepts(longest(w)));
  const auto refused = make_reduction<DhemQuisquater<W>>(longest(w - 3));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.failure().code, Code::unsupported);
  EXPECT_NE(refused.failure().fix.find(std::to_string(w - 4)), std::string::npos) << refused.failure().fix;
}

// This worst case is from [Shivdikar22], section II-B. The classical algorithm needs two corrections, and the other
// algorithms need one. In a 32-bit word, Dhem-Quisquater accepts moduli of at most 28 bits, but this modulus has 30
// bits. Therefore the test runs this algorithm on words of 64 bits. The number of corrections depends on the length of
// the modulus, and not on the word.
TEST(PublishedWorstCase, NeedsTwoCorrectionsClassicallyAndOneOtherwise) {
  const u64 a = 994674970, b = 994705408, q = 994705409;
  const u64 residue = static_cast<u64>(static_cast<u128>(a) * b % q);
  EXPECT_EQ(make_reduction<ClassicalBarrett<u32>>(u32(q)).value().corrections(a * b), 2u);
  EXPECT_EQ(make_reduction<ProposedBarrett<u32>>(u32(q)).value().corrections(a * b), 1u);
  EXPECT_FALSE(make_reduction<DhemQuisquater<u32>>(u32(q)).ok());
  EXPECT_EQ(make_reduction<ClassicalBarrett<u64>>(q).value().corrections(a * b), 2u);
  EXPECT_EQ(make_reduction<DhemQuisquater<u64>>(q).value().corrections(a * b), 1u);
  EXPECT_EQ(make_reduction<ProposedBarrett<u64>>(q).value().corrections(a * b), 1u);
  EXPECT_EQ(ClassicalBarrett<u32>(q).multiply(u32(a), u32(b)), residue);
  EXPECT_EQ(ProposedBarrett<u32>(q).multiply(u32(a), u32(b)), residue);
  EXPECT_EQ(DhemQuisquater<u64>(q).multiply(a, b), residue);
}

// Returns the largest number of corrections over many products. Half of the products have a factor near q, for which
// corrections are frequent.
template <class Reduction>
u32 most_corrections(u32 bits) {
  u32 most = 0;
  for (u128 prime : ntt_primes(bits, 1024, 4).value()) {
    const u64 q = static_cast<u64>(prime);
    const Reduction reduction(static_cast<decltype(Reduction(1).modulus())>(q));
    for (u64 i = 0; i < 100000; ++i) {
      const u64 a = splitmix64(i) % q, b = i % 2 == 0 ? q - 1 - i / 2 : splitmix64(~i) % q;
      most = std::max(most, reduction.corrections(Wide<decltype(reduction.modulus())>(a) * b));
    }
  }
  return most;
}

TEST(Corrections, StayWithinTheirBoundsOnBoundaryPrimes) {
  EXPECT_EQ(most_corrections<ProposedBarrett<u32>>(30), 1u);
  EXPECT_EQ(most_corrections<DhemQuisquater<u32>>(28), 1u);
  EXPECT_LE(most_corrections<ClassicalBarrett<u32>>(30), 2u);
  EXPECT_EQ(most_corrections<ProposedBarrett<u64>>(62), 1u);
  EXPECT_EQ(most_corrections<DhemQuisquater<u64>>(60), 1u);
  EXPECT_LE(most_corrections<ClassicalBarrett<u64>>(62), 2u);
}

TEST(MartinsSousa, FoldsFourTimesAndAgreesWithDivision) {
  EXPECT_EQ(MartinsSousaReduction::kFolds, 4u);
  const u64 q = 0x7FFE0001;
  const auto reduction = make_reduction<MartinsSousaReduction>(u32(q)).value();
  for (u64 x : {u64(0), q - 1, q, q + 1, (q - 1) * (q - 1), (u64(1) << 62) - 1, u64(1) << 31, (u64(1) << 31) - 1}) {
    EXPECT_EQ(reduction.reduce(x), x % q) << x;
  }
  for (u64 i = 0; i < 1000000; ++i) {
    const u64 x = splitmix64(i) >> 2;
    ASSERT_EQ(reduction.reduce(x), x % q) << x;
  }
  EXPECT_EQ(reduction.corrections(q), 1u);
  EXPECT_FALSE(make_reduction<MartinsSousaReduction>(0x7FFE0003u).ok());
}

TYPED_TEST(Words, ButterfliesInvertEachOther) {
  using W = TypeParam;
  for (u32 bits : {kWordBits<W> - 2, kWordBits<W> - 1}) {
    const W q = static_cast<W>(ntt_primes(bits, 64, 1).value().front());
    const W w = static_cast<W>(minimal_root(q, 64).value());
    const W back = pow_mod<W>(w, W(127), q);  // w^-1, because w^128 = 1
    const auto turn = shoup_factor(w, q), unturn = shoup_factor(back, q);
    for (u64 i = 0; i < 1000; ++i) {
      const W x = static_cast<W>((u128(splitmix64(i)) << 64 | splitmix64(~i)) % q);
      const W y = i == 0 ? static_cast<W>(q - 1) : static_cast<W>((u128(splitmix64(3 * i)) << 64 | i) % q);
      W a = x, b = y;
      forward_butterfly_full2(a, b, turn, q);
      inverse_butterfly_full2(a, b, unturn, q);
      EXPECT_EQ(decimal(canonical_from_lazy2(a, q)), decimal(add_mod(x, x, q))) << decimal(q) << " at " << i;
      EXPECT_EQ(decimal(canonical_from_lazy2(b, q)), decimal(add_mod(y, y, q))) << decimal(q) << " at " << i;
      if (bits != kLazy4MaxBits<W>) continue;
      a = x, b = y;
      forward_butterfly_lazy4(a, b, turn, q);
      a = canonical_from_lazy4(a, q), b = canonical_from_lazy4(b, q);
      inverse_butterfly_lazy2(a, b, unturn, q);
      EXPECT_EQ(decimal(canonical_from_lazy2(a, q)), decimal(add_mod(x, x, q))) << decimal(q) << " at " << i;
      EXPECT_EQ(decimal(canonical_from_lazy2(b, q)), decimal(add_mod(y, y, q))) << decimal(q) << " at " << i;
    }
  }
}

}  // namespace
}  // namespace ringfort
