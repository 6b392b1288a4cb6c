// SPDX-License-Identifier: Apache-2.0
// Tests powers, row swaps and row sums of BFV's and BGV's AutomaticEvaluator by theorems: Euler's criterion, Fermat's
// little theorem, and Gauss's sum 1 + ... + n.
#include <set>

#include "support/integers.h"
#include "support/refused.h"

namespace ringfort::integers {
namespace {

using testing::Client;
using testing::Values;

constexpr u32 kDegree = 16;
constexpr u64 kT = 97;  // a prime that is 1 modulo 2 kDegree

testing::Shape shape() {
  testing::Shape shape = testing::bgv_shape();
  shape.n = kDegree;
  shape.levels = 6;
  return shape;
}

template <class S>
class IntegerAutomatic : public ::testing::Test {
 protected:
  IntegerAutomatic()
      : client((testing::choose_seed(71), testing::parameters_of<S>(shape(), kT)), "",
               std::vector<std::int32_t>{1, 2, 4}) {}
  void expect(const Ciphertext<S>& c, const Values& expected) const {
    EXPECT_EQ(c.size(), 2u);
    EXPECT_GT(c.budget_bits(), 0);
    EXPECT_EQ(client.decrypt(c), expected);
  }
  Client<S> client;
};

using Schemes = ::testing::Types<bfv::Scheme, bgv::Scheme>;
TYPED_TEST_SUITE(IntegerAutomatic, Schemes);

// Modulo t, x^((t - 1) / 2) is 1 if x is a nonzero square, -1 if x is no square, and 0 if x is 0.
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
  this->expect(this->client.automatic.power(this->client.encrypt(x), (kT - 1) / 2), expected);
}

// x^t = x modulo t. In binary, the exponent t = 97 is 1100001: it has bits at the top, and one bit at the end.
TYPED_TEST(IntegerAutomatic, PowersAreFermatsLittleTheorem) {
  Values x(kDegree);
  for (u32 i = 0; i < kDegree; ++i) x[i] = static_cast<i64>(i) * 5 - 37;
  const auto a = this->client.encrypt(x);
  this->expect(this->client.automatic.power(a, kT), x);
  this->expect(this->client.automatic.power(a, 1), x);
}

TYPED_TEST(IntegerAutomatic, RowsAreExchangedAndSummed) {
  const auto& e = this->client.automatic;
  const u32 row = kDegree / 2;
  Values x(kDegree), exchanged(kDegree), sums(kDegree);
  for (u32 i = 0; i < kDegree; ++i) {
    x[i] = static_cast<i64>(i) + 1;  // 1 .. 8 | 9 .. 16
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
    } catch (const Error& e) { return e.code(); }
    return Code::internal;
  };
  EXPECT_EQ(code_of([&] { (void)bare.power(a, 2); }), Code::key_missing);
  EXPECT_EQ(code_of([&] { (void)bare.swap_rows(a); }), Code::key_missing);
  EXPECT_EQ(code_of([&] { (void)bare.sum_slots(a); }), Code::key_missing);
  EXPECT_EQ(code_of([&] { (void)this->client.automatic.power(a, 0); }), Code::invalid_argument);
}

// Operands have different levels. Sums and products are computed at the lowest of these levels. If a lower level leaves
// more noise budget, they are computed there. A sum of products needs one relinearization.
TYPED_TEST(IntegerAutomatic, SumsOfOperandsOfManyLevels) {
  const auto& e = this->client.automatic;
  Values x(kDegree), y(kDegree), sums(kDegree), products(kDegree);
  std::vector<Ciphertext<TypeParam>> a, b;
  for (i64 term = 0; term < 4; ++term) {
    for (u32 i = 0; i < kDegree; ++i) {
      x[i] = testing::centred((term + 2) * static_cast<i64>(i) - 5, kT);
      y[i] = testing::centred(static_cast<i64>(i * i) - 7 * term, kT);
      sums[i] = testing::centred(sums[i] + x[i], kT);
      products[i] = testing::centred(products[i] + x[i] * y[i], kT);
    }
    a.push_back(this->client.evaluator.mod_switch(this->client.encrypt(x),
                                                  this->client.context.top_level() - static_cast<u32>(term)));
    b.push_back(this->client.encrypt(y));
  }
  this->expect(e.add_many(a), sums);
  this->expect(e.inner_product(a, b), products);
  EXPECT_EQ(testing::residues(e.inner_product({&a[0], 1}, {&b[0], 1})), testing::residues(e.multiply(a[0], b[0])));
  EXPECT_EQ(testing::residues(e.inner_product({&b[0], 1}, {&b[0], 1})), testing::residues(e.square(b[0])));
  const Evaluator<TypeParam>& hand = this->client.evaluator;
  const auto sum = e.inner_product(a, b);
  std::vector<Ciphertext<TypeParam>> left, right;
  for (std::size_t i = 0; i < a.size(); ++i) {
    left.push_back(hand.mod_switch(a[i], sum.level()));
    right.push_back(hand.mod_switch(b[i], sum.level()));
  }
  EXPECT_EQ(testing::residues(sum),
            testing::residues(hand.relinearize(hand.inner_product(left, right), this->client.relinearization)));
}

TYPED_TEST(IntegerAutomatic, VerbsThatNeedNoLevels) {
  const auto& e = this->client.automatic;
  const Values x = testing::random_values(kDegree, kT, 5), y = testing::random_values(kDegree, kT, 6);
  const auto a = this->client.encrypt(x);
  const auto p = this->client.encoder.encode(y);
  const auto each = [](auto f) { return testing::each(kDegree, kT, f); };
  this->expect(e.negate(a), each([&](u32 i) { return -x[i]; }));
  this->expect(e.subtract_plain(a, p), each([&](u32 i) { return x[i] - y[i]; }));
  this->expect(e.multiply_integer(a, -31), each([&](u32 i) { return -31 * x[i]; }));
}

// Powers that are computed by hand stay at one level.
TYPED_TEST(IntegerAutomatic, PowersByHandStayAtTheirLevel) {
  const auto& client = this->client;
  const Values x = testing::random_values(kDegree, kT, 7);
  const auto a = client.encrypt(x);
  const auto power = client.evaluator.power(a, 3, client.relinearization);
  EXPECT_EQ(power.level(), a.level());
  const auto narrow = [&](const auto& wide) { return client.evaluator.relinearize(wide, client.relinearization); };
  EXPECT_EQ(testing::residues(power),
            testing::residues(narrow(client.evaluator.multiply(a, narrow(client.evaluator.square(a))))));
  this->expect(power, testing::each(kDegree, kT, [&](u32 i) { return x[i] * x[i] * x[i]; }));
  this->expect(client.evaluator.power(a, 1, client.relinearization), x);
  ringfort::testing::expect_refused(
      Code::invalid_argument, [&] { (void)client.evaluator.power(a, 0, client.relinearization); }, "encode");
  ringfort::testing::expect_refused(
      Code::invalid_argument,
      [&] { (void)client.evaluator.power(client.evaluator.square(a), 2, client.relinearization); }, "relinearize");
}

}  // namespace
}  // namespace ringfort::integers
