// SPDX-License-Identifier: Apache-2.0
// Tests that inner products and sums of all slots by AutomaticEvaluator, which chooses levels and scales itself, equal
// closed forms. Operands have several levels. The same steps by hand must give the same results.
#include <numbers>

#include "support/ckks.h"

namespace ringfort::ckks {
namespace {

using testing::Client;
using testing::Shape;
using testing::Values;

class CkksAutomaticSums : public ::testing::TestWithParam<Shape> {
 protected:
  CkksAutomaticSums() {
    testing::choose_seed(21);
    client.emplace(testing::parameters_of(GetParam()), "", std::vector<std::int32_t>{1, 2, 4, 8, 16});
  }
  void expect(const Ciphertext& c, const Values& expected) const {
    EXPECT_EQ(c.size(), 2u);
    EXPECT_EQ(c.scale(), client->context.scale(c.level()));
    EXPECT_LE(testing::largest_difference(client->decrypt(c), expected), testing::claimed_error(*client, c));
    EXPECT_GE(c.precision_bits(), 10);
  }
  std::optional<Client> client;
};

// Checks that 1^2 + 2^2 + .. + m^2 = m (m + 1) (2m + 1) / 6.
TEST_P(CkksAutomaticSums, InnerProductsAreSquarePyramidalNumbers) {
  const AutomaticEvaluator& e = client->automatic;
  const std::size_t slots = client->context.slots();
  const Values y = testing::random_values(slots, 8);
  std::vector<Ciphertext> left, right;
  for (int k = 1; k <= 5; ++k) {
    Values times_y(slots);
    for (std::size_t j = 0; j < slots; ++j) times_y[j] = k / 8.0 * y[j];
    left.push_back(client->encrypt(Values(slots, k / 8.0)));
    right.push_back(client->encrypt(times_y));
  }
  Values expected(slots);
  for (std::size_t j = 0; j < slots; ++j) expected[j] = 55 / 64.0 * y[j];
  const Ciphertext sum = e.inner_product(left, right);
  expect(sum, expected);
  EXPECT_EQ(sum.level() + 1, left[0].level());
  const Evaluator& hand = client->evaluator;
  EXPECT_EQ(
      testing::residues(sum),
      testing::residues(hand.rescale(hand.relinearize(hand.inner_product(left, right), client->relinearization))));

  right[2] = e.multiply_plain(e.add(right[2], right[2]), 0.5);  // the same value, one level below the other operands
  const Ciphertext lower = e.inner_product(left, right);
  expect(lower, expected);
  EXPECT_EQ(lower.level() + 2, left[0].level());
}

// Checks that cos 0 + cos (2 pi / m) + .. + cos (2 pi (m - 1) / m) = 0, and that the sum of the squares is m / 2.
TEST_P(CkksAutomaticSums, RootsOfUnitySumToNothing) {
  const AutomaticEvaluator& e = client->automatic;
  const std::size_t slots = client->context.slots();
  Values wave(slots);
  for (std::size_t j = 0; j < slots; ++j)
    wave[j] = std::cos(2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(slots));
  const Ciphertext a = client->encrypt(wave);
  expect(e.sum_slots(a), Values(slots, 0.0));
  expect(e.sum_slots(e.square(a)), Values(slots, static_cast<double>(slots) / 2));
}

TEST_P(CkksAutomaticSums, TermsOfSeveralLevelsMeetAtTheLowest) {
  const AutomaticEvaluator& e = client->automatic;
  const std::size_t slots = client->context.slots();
  const Values x = testing::random_values(slots, 9, 0.25), y = testing::random_values(slots, 10, 0.25);
  const auto each = [&](auto f) {
    Values out(slots);
    for (std::size_t j = 0; j < slots; ++j) out[j] = f(j);
    return out;
  };
  const Ciphertext high = client->encrypt(x), low = e.multiply_plain(client->encrypt(y), 0.5);
  std::vector<Ciphertext> terms;
  terms.push_back(high.clone());
  terms.push_back(low.clone());
  terms.push_back(high.clone());
  const Ciphertext sum = e.add_many(terms);
  expect(sum, each([&](std::size_t j) { return 2 * x[j] + y[j] / 2; }));
  EXPECT_EQ(sum.level(), low.level());
  expect(e.negate(high), each([&](std::size_t j) { return -x[j]; }));
  expect(e.multiply_integer(low, -3), each([&](std::size_t j) { return -1.5 * y[j]; }));
  expect(e.subtract_plain(low, std::span<const double>(x)), each([&](std::size_t j) { return y[j] / 2 - x[j]; }));
}

// Nine terms, because at most eight plaintexts are in memory at a time. One rounding error of the rescaling replaces
// nine.
TEST_P(CkksAutomaticSums, InnerProductsWithVectorsAreSumsOfProducts) {
  const AutomaticEvaluator& e = client->automatic;
  const std::size_t slots = client->context.slots();
  std::vector<Ciphertext> terms;
  std::vector<Values> factors;
  std::vector<std::span<const double>> views;
  Values expected(slots, 0.0);
  for (u64 k = 0; k < 9; ++k) {
    const Values x = testing::random_values(slots, 20 + k, 0.25);
    factors.push_back(testing::random_values(slots, 40 + k, 0.25));
    terms.push_back(client->encrypt(x));
    for (std::size_t j = 0; j < slots; ++j) expected[j] += x[j] * factors[k][j];
  }
  views.assign(factors.begin(), factors.end());
  const Ciphertext sum = e.inner_product_plain<double>(terms, views);
  expect(sum, expected);
  EXPECT_EQ(sum.level() + 1, terms[0].level());
  std::vector<Ciphertext> products;
  for (std::size_t k = 0; k < terms.size(); ++k) products.push_back(e.multiply_plain(terms[k], views[k]));
  EXPECT_GT(sum.precision_bits(), e.add_many(products).precision_bits());

  terms[4] = e.multiply_plain(e.add(terms[4], terms[4]), 0.5);  // the same value, one level below the other operands
  const Ciphertext lower = e.inner_product_plain<double>(terms, views);
  expect(lower, expected);
  EXPECT_EQ(lower.level() + 2, terms[0].level());
}

TEST_P(CkksAutomaticSums, WhatIsMissingIsNamed) {
  const Ciphertext a = client->encrypt({0.5});
  const AutomaticEvaluator bare(client->context);
  const auto code_of = [](auto f) {
    try {
      f();
    } catch (const Error& e) { return e.code(); }
    return Code::internal;
  };
  EXPECT_EQ(code_of([&] { (void)bare.inner_product(std::span(&a, 1), std::span(&a, 1)); }), Code::key_missing);
  EXPECT_EQ(code_of([&] { (void)bare.sum_slots(a); }), Code::key_missing);
  EXPECT_EQ(code_of([&] { (void)client->automatic.inner_product({}, {}); }), Code::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)client->automatic.inner_product(std::span(&a, 1), {}); }), Code::invalid_argument);
  const Ciphertext lowest = client->evaluator.mod_switch(a, 0);
  EXPECT_EQ(code_of([&] { (void)client->automatic.inner_product(std::span(&lowest, 1), std::span(&a, 1)); }),
            Code::depth_exhausted);
  const Values values(4, 0.5);
  const std::span<const double> view(values);
  const auto plain = [&](std::span<const Ciphertext> a, std::span<const std::span<const double>> b) {
    return code_of([&] { (void)client->automatic.inner_product_plain<double>(a, b); });
  };
  EXPECT_EQ(plain({}, {}), Code::invalid_argument);
  EXPECT_EQ(plain({&a, 1}, {}), Code::invalid_argument);
  EXPECT_EQ(plain({&lowest, 1}, {&view, 1}), Code::depth_exhausted);
}

INSTANTIATE_TEST_SUITE_P(Chains, CkksAutomaticSums, ::testing::Values(Shape{}, testing::short_words()),
                         [](const auto& info) { return info.index == 0 ? "LongWords" : "ShortWords"; });

}  // namespace
}  // namespace ringfort::ckks
