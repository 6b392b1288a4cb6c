// SPDX-License-Identifier: Apache-2.0
// Automatic powers, exchanges of rows and sums of rows of BFV and BGV against theorems: Euler's criterion, Fermat's little theorem,
// and the sum that Gauss knew.
#include <set>

#include "support/integers.h"

namespace ringfort::integers {
namespace {

using testing::Client;
using testing::Values;

constexpr u32 kDegree = 16;
constexpr u64 kT = 97;                       // 1 mod 2 kDegree

testing::Shape shape() {
  testing::Shape shape = testing::bgv_shape();
  shape.n = kDegree;
  shape.levels = 6;
  return shape;
}

template <class S>
class IntegerAutomatic : public ::testing::Test {
 protected:
  IntegerAutomatic() : client((testing::choose_seed(71), testing::parameters_of<S>(shape(), kT)), "cpu", std::vector<std::int32_t>{1, 2, 4}) {}
  void expect(const Ciphertext<S>& c, const Values& expected) const {
    EXPECT_EQ(c.size(), 2u);
    EXPECT_GT(c.budget_bits(), 0);
    EXPECT_EQ(client.decrypt(c), expected);
  }
  Client<S> client;
};

using Schemes = ::testing::Types<bfv::Scheme, bgv::Scheme>;
TYPED_TEST_SUITE(IntegerAutomatic, Schemes);

// x^((t - 1) / 2) is 1 for the squares modulo t, -1 for the others, 0 for 0.
TYPED_TEST(IntegerAutomatic, PowersAreEulersCriterion) {
  std::set<i64> squares;
  for (i64 i = 1; i < static_cast<i64>(kT); ++i) squares.insert(i * i % static_cast<i64>(kT));
  EXPECT_EQ(squares.size(), (kT - 1) / 2);
  Values x(kDegree), expected(kDegree);
  for (u32 i = 0; i < kDegree; ++i) {
    const i64 value = 6 * static_cast<i64>(i);
    x[i] = testing::centred(value, kT);
    expected[i] = value == 0 ? 0 : squares.contains(value) ? 1 : -1;
  }
  EXPECT_NE(std::count(expected.begin(), expected.end(), 1), 0);
  EXPECT_NE(std::count(expected.begin(), expected.end(), -1), 0);
  this->expect(this->client.automatic.exponentiate(this->client.encrypt(x), (kT - 1) / 2), expected);
}

// x^t = x, by a power with one bit in the middle and one at the end (97 = 1100001b).
TYPED_TEST(IntegerAutomatic, PowersAreFermatsLittleTheorem) {
  Values x(kDegree);
  for (u32 i = 0; i < kDegree; ++i) x[i] = static_cast<i64>(i) * 5 - 37;
  const auto a = this->client.encrypt(x);
  this->expect(this->client.automatic.exponentiate(a, kT), x);
  this->expect(this->client.automatic.exponentiate(a, 1), x);
}

TYPED_TEST(IntegerAutomatic, RowsAreExchangedAndSummed) {
  const auto& e = this->client.automatic;
  const u32 row = kDegree / 2;
  Values x(kDegree), exchanged(kDegree), sums(kDegree);
  for (u32 i = 0; i < kDegree; ++i) {
    x[i] = static_cast<i64>(i) + 1;                                      // 1 .. 8 | 9 .. 16
    exchanged[(i + row) % kDegree] = x[i];
  }
  const i64 both = kDegree * (kDegree + 1) / 2, first = row * (row + 1) / 2;
  for (u32 i = 0; i < kDegree; ++i) sums[i] = testing::centred(i < row ? first : both - first, kT);
  const auto a = this->client.encrypt(x);
  this->expect(e.swap_rows(a), exchanged);
  this->expect(e.swap_rows(e.swap_rows(a)), x);
  this->expect(e.sum_slots(a), sums);
  this->expect(e.add(e.sum_slots(a), e.swap_rows(e.sum_slots(a))), Values(kDegree, testing::centred(both, kT)));
}

TYPED_TEST(IntegerAutomatic, WhatIsMissingIsNamed) {
  const auto a = this->client.encrypt({1});
  const AutomaticEvaluator<TypeParam> bare(this->client.context);
  const auto code_of = [](auto f) {
    try {
      f();
    } catch (const Error& e) {
      return e.code();
    }
    return Code::internal;
  };
  EXPECT_EQ(code_of([&] { (void)bare.exponentiate(a, 2); }), Code::key_missing);
  EXPECT_EQ(code_of([&] { (void)bare.swap_rows(a); }), Code::key_missing);
  EXPECT_EQ(code_of([&] { (void)bare.sum_slots(a); }), Code::key_missing);
  EXPECT_EQ(code_of([&] { (void)this->client.automatic.exponentiate(a, 0); }), Code::invalid_argument);
}

}  // namespace
}  // namespace ringfort::integers
