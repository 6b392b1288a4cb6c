// SPDX-License-Identifier: Apache-2.0
// Compares Modulus with products that Python computed, and with exact division. Compares RnsBasis, the primes of a
// residue number system, with Python's big integers. Also tests identities of its constants.
#include "math/rns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "math/prime.h"
#include "support/vectors.h"

namespace ringfort {
namespace {

using testing::decimal;
using testing::parse_decimal;
using testing::read_vectors;
using testing::splitmix64;

template <class W>
class Moduli : public ::testing::Test {
 protected:
  static std::vector<Modulus<W>> primes() {
    std::vector<Modulus<W>> found = {Modulus<W>(3), Modulus<W>(5), Modulus<W>(97)};
    for (const u32 bits : {12u, 20u, 30u, 31u, 32u, 33u, 50u, 61u, 62u}) {
      if (bits <= Modulus<W>::kMaxBits) found.emplace_back(static_cast<W>(ntt_primes(bits, 64, 1).value()[0]));
    }
    return found;
  }
};
using Widths = ::testing::Types<u32, u64>;
TYPED_TEST_SUITE(Moduli, Widths);

TYPED_TEST(Moduli, ReduceEveryDoubleWordAsDivisionDoes) {
  using W = TypeParam;
  for (const Modulus<W>& m : this->primes()) {
    const Wide<W> q = m.value(), largest = ~Wide<W>(0);
    for (const Wide<W> multiple : {Wide<W>(0), Wide<W>(1), Wide<W>(2), q - 1, q, largest / q - 1, largest / q}) {
      for (const Wide<W> rest : {Wide<W>(0), Wide<W>(1), q - 1}) {
        if (multiple * q > largest - rest) continue;
        EXPECT_EQ(decimal(m.reduce(multiple * q + rest)), decimal(rest)) << decimal(q) << " " << decimal(multiple);
      }
    }
    EXPECT_EQ(decimal(m.reduce(largest)), decimal(largest % q));
    for (u64 i = 0; i < 100; ++i) {
      const Wide<W> x = static_cast<Wide<W>>(u128{splitmix64(i)} << 64 | splitmix64(i + 1000));
      EXPECT_EQ(decimal(m.reduce(x)), decimal(x % q)) << decimal(q) << " " << decimal(x);
    }
  }
}

TYPED_TEST(Moduli, ReduceSignedIntegersToNonNegativeResidues) {
  using W = TypeParam;
  using Signed = std::conditional_t<sizeof(W) == 4, i64, i128>;
  for (const Modulus<W>& m : this->primes()) {
    const Signed q = static_cast<Signed>(m.value()), largest = static_cast<Signed>(~Wide<W>(0) >> 1);
    for (const Signed x :
         {Signed{0}, Signed{1}, Signed{-1}, q, -q, q - 1, 1 - q, 7 * q + 3, -7 * q - 3, largest, -largest}) {
      const Signed expected = (x % q + q) % q;
      EXPECT_EQ(decimal(m.reduce_signed(x)), decimal(static_cast<u128>(expected))) << decimal(m.value());
    }
  }
}

TYPED_TEST(Moduli, NeedNotBePrimesOrOdd) {
  using W = TypeParam;
  std::vector<W> moduli = {2, 4, 6, 9, 1000, 65536};
  for (const u32 bits : {20u, Modulus<W>::kMaxBits - 1}) {
    for (const W offset : {W(0), W(1), W(2)}) moduli.push_back(static_cast<W>((W(1) << bits) - offset));
  }
  for (const W q : moduli) {
    const Modulus<W> m(q);
    const Wide<W> all = ~Wide<W>(0), wide = q;
    for (const Wide<W> x : {Wide<W>(0), Wide<W>(1), wide - 1, wide, wide + 1, wide * wide - 1, wide * wide, all / q * q,
                            all / q * q - 1, all - 1, all})
      EXPECT_EQ(m.reduce(x), static_cast<W>(x % q)) << q;
    for (u64 i = 0; i < 50; ++i) {
      const W a = static_cast<W>(splitmix64(i) % q), b = static_cast<W>(splitmix64(i + 99) % q);
      EXPECT_EQ(m.multiply(a, b), mul_mod<W>(a, b, q)) << q;
      EXPECT_EQ(m.add(m.subtract(a, b), b), a) << q;
      EXPECT_EQ(m.reduce_signed(-static_cast<i64>(a)), m.negate(a)) << q;
    }
  }
}

TYPED_TEST(Moduli, FieldOperationsAgreeWithTheOracle) {
  using W = TypeParam;
  for (const Modulus<W>& m : this->primes()) {
    const W q = m.value();
    EXPECT_EQ(m.inverse(0), 0u);
    EXPECT_EQ(m.inverse(q), 0u);
    for (u64 i = 0; i < 50; ++i) {
      const W a = static_cast<W>(splitmix64(i) % q), b = static_cast<W>(splitmix64(i + 99) % q);
      EXPECT_EQ(m.multiply(a, b), mul_mod<W>(a, b, q));
      EXPECT_EQ(m.add(m.subtract(a, b), b), a);
      EXPECT_EQ(m.add(a, m.negate(a)), 0u);
      EXPECT_EQ(m.power(a, b), pow_mod<W>(a, b, q));
      EXPECT_EQ(m.multiply(a, m.inverse(a)), a == 0 ? 0u : 1u);
    }
  }
}

std::vector<u128> numbers(const nlohmann::json& row) {
  const auto narrow = row.get<std::vector<u64>>();
  return {narrow.begin(), narrow.end()};
}

std::string text_of(std::vector<u64> words) {  // converts little-endian words to decimal, by repeated division by ten
  std::string digits;
  for (bool zero = false; !zero;) {
    u128 rest = 0;
    for (std::size_t i = words.size(); i-- > 0;) {
      rest = rest << 64 | words[i];
      words[i] = static_cast<u64>(rest / 10);
      rest %= 10;
    }
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest)));
    zero = std::all_of(words.begin(), words.end(), [](u64 word) { return word == 0; });
  }
  return digits;
}

TEST(RnsBasis, ComposesPythonsIntegersOfAnyLength) {
  const auto vectors = read_vectors("rns.json");
  u32 wide = 0;
  for (const std::string width : {"32", "64"}) {
    for (const auto& row : vectors["conversions"][width]) {
      const RnsBasis basis(numbers(row["moduli"]));
      const Limbs limbs{row["from"][0], row["from"][1]};
      const auto residues = row["residues"].get<std::vector<std::vector<u64>>>();
      for (std::size_t c = 0; c < row["values"].size(); ++c) {
        std::vector<u64> of_one;
        for (const auto& limb : residues) of_one.push_back(limb[c]);
        const std::vector<u64> words = basis.compose_words(limbs, of_one);
        wide += words.size() > 4 ? 1 : 0;
        EXPECT_EQ(text_of(words), row["values"][c].get<std::string>());
      }
    }
  }
  EXPECT_GT(wide, 0u);
}

TEST(RnsBasis, ComposesCentredRepresentatives) {
  const auto vectors = read_vectors("rns.json");
  u32 composed = 0;
  for (const std::string width : {"32", "64"}) {
    for (const auto& row : vectors["conversions"][width]) {
      const RnsBasis basis(numbers(row["moduli"]));
      const Limbs limbs{row["from"][0], row["from"][1]};
      if (basis.log2_product(limbs) >= 126) continue;
      ++composed;
      u128 product = 1;
      std::vector<u64> residues;
      for (const auto& limb : row["residues"]) residues.insert(residues.end(), limb.begin(), limb.end());
      for (u32 i = limbs.first; i < limbs.end(); ++i) product *= basis[i].value();
      std::vector<i128> values(row["values"].size());
      basis.compose_centred(limbs, residues, values);
      for (std::size_t c = 0; c < values.size(); ++c) {
        const u128 value = parse_decimal(row["values"][c].get<std::string>());
        EXPECT_EQ(values[c], static_cast<i128>(value) - (value > product / 2 ? static_cast<i128>(product) : 0))
            << decimal(value);
      }
    }
  }
  EXPECT_GE(composed, 4u);
}

TEST(RnsBasis, ComposesSmallIntegersOverAnyNumberOfPrimes) {
  const RnsBasis basis(ntt_primes(60, 64, 9).value());
  const i128 largest = (i128{1} << 126) - 1;
  const std::vector<i128> values = {0,       1,        -1,          i128{1} << 62, -(i128{1} << 62),
                                    largest, -largest, largest / 3, -largest / 3};
  for (u32 count = 3; count <= basis.size(); ++count) {
    std::vector<u64> residues;
    for (u32 i = 0; i < count; ++i) {
      const i128 q = basis[i].value();
      for (const i128 value : values) residues.push_back(static_cast<u64>((value % q + q) % q));
    }
    std::vector<i128> composed(values.size());
    basis.compose_centred({0, count}, residues, composed);
    EXPECT_EQ(composed, values) << count << " primes";
  }
}

TEST(RnsBasis, ConstantsMultiplyToOne) {
  const RnsBasis basis(ntt_primes(60, 64, 9).value());
  const Limbs from{2, 5};
  EXPECT_TRUE(basis.is_distinct({0, 9}));
  std::vector<u64> punctured(from.count);
  for (u32 in = 0; in < basis.size(); ++in) {
    const Modulus<u64>& p = basis[in];
    const bool inside = in >= from.first && in < from.end();
    EXPECT_EQ(basis.product(from, in) == 0, inside);
    EXPECT_EQ(p.multiply(basis.product(from, in), basis.product_inverse(from, in)), inside ? 0u : 1u);
    basis.punctured_products(from, in, punctured);
    for (u32 i = 0; i < from.count; ++i) {
      EXPECT_EQ(p.multiply(punctured[i], p.reduce(basis[from.first + i].value())), basis.product(from, in));
    }
    if (inside) { EXPECT_EQ(p.multiply(punctured[in - from.first], basis.punctured_inverse(from, in)), 1u); }
  }
  EXPECT_EQ(text_of(basis.product_words({3, 1})), decimal(basis[3].value()));
  EXPECT_EQ(text_of(basis.product_words({3, 2})), decimal(u128{basis[3].value()} * basis[4].value()));
  EXPECT_NEAR(basis.log2_product(from), 300, 1e-6);
}

TEST(RnsBasis, EqualPrimesAreNotDistinct) {
  const std::vector<u128> primes = {97, 193, 97};
  const RnsBasis basis(primes);
  EXPECT_FALSE(basis.is_distinct({0, 3}));
  EXPECT_TRUE(basis.is_distinct({0, 2}));
  EXPECT_TRUE(basis.is_distinct({1, 2}));
}

}  // namespace
}  // namespace ringfort
