// SPDX-License-Identifier: Apache-2.0
// Compares encrypted products of matrices and vectors with products in cleartext. The tests cover every power of two up
// to the number of slots as dimension, and matrices with few diagonals.
#include "ringfort/circuit.h"

#include <set>

#include "circuit/row_sum.h"
#include "support/ckks.h"
#include "support/refused.h"

namespace ringfort::ckks {
namespace {

using testing::Client;
using testing::Shape;
using testing::Values;

constexpr u32 kSlots = 32;

const Client& client() {
  static const Client client(testing::parameters_of(Shape()), "", {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 28});
  return client;
}

Values product(const Values& matrix, u32 dimension, const Values& vector) {
  Values out(kSlots);
  for (u32 slot = 0; slot < kSlots; ++slot) {
    for (u32 j = 0; j < dimension; ++j) out[slot] += matrix[slot % dimension * dimension + j] * vector[j];
  }
  return out;
}

Values repeated(const Values& vector) {
  Values out(kSlots);
  for (u32 slot = 0; slot < kSlots; ++slot) out[slot] = vector[slot % vector.size()];
  return out;
}

void check(const Values& matrix, u32 dimension, const LinearTransform& transform) {
  const Values vector = testing::random_values(dimension, dimension);
  const Ciphertext x = client().encrypt(repeated(vector));
  const Ciphertext y = transform.apply(x, client().galois);
  const Values expected = product(matrix, dimension, vector);
  EXPECT_LE(testing::largest_difference(client().decrypt(y), expected), testing::claimed_error(client(), y));
  EXPECT_LT(testing::claimed_error(client(), y), 1e-4);
  EXPECT_EQ(y.level(), x.level() - 1);
  for (const double value : expected) EXPECT_LE(std::abs(value), y.magnitude());
}

TEST(LinearTransform, MultipliesByRandomMatricesOfEveryDimension) {
  for (u32 dimension = 1; dimension <= kSlots; dimension *= 2) {
    SCOPED_TRACE(dimension);
    const Values matrix = testing::random_values(dimension * dimension, 7);
    const LinearTransform transform(client().context, matrix, dimension, client().context.top_level());
    EXPECT_LE(transform.steps().size(), 2 * std::sqrt(dimension) + std::sqrt(dimension) / 2);
    check(matrix, dimension, transform);
  }
}

// In doubles, 1 + 2^-53 is rounded to 1. Therefore a plain sum of the row would be 1 for any number of terms. The bound
// must also contain the terms that rounding drops.
TEST(LinearTransform, BoundsTheSumsOfTheLongestRowsInSpiteOfRounding) {
  for (u32 terms = 1; terms <= 1u << 16; terms *= 2) {
    Values row(terms, 0x1p-53);
    row[0] = 1;
    EXPECT_GE(sum_of_sizes(std::span<const double>(row)) - 1, 0x1p-53 * (terms - 1)) << terms;
    EXPECT_LE(sum_of_sizes(std::span<const double>(row)), 1 + 0x1p-51 * (terms + 4)) << terms;
  }
}

TEST(LinearTransform, SkipsDiagonalsOfZeros) {
  Values matrix(64);
  for (u32 i = 0; i < 8; ++i) matrix[i * 8 + (i + 5) % 8] = i + 1;
  const LinearTransform transform(client().context, matrix, 8, client().context.top_level());
  EXPECT_EQ(std::set(transform.steps().begin(), transform.steps().end()), (std::set<std::int32_t>{1, 4}));
  check(matrix, 8, transform);
}

TEST(LinearTransform, TakesALevelUnlessTheMatrixIsZero) {
  const u32 level = client().context.top_level() - 1;
  const Ciphertext ones = client().encrypt(Values(kSlots, 1.0));
  const LinearTransform something(client().context, Values(64, 0.5), 8, level);
  EXPECT_EQ(something.apply(ones, client().galois).level(), level - 1);
  const LinearTransform nothing(client().context, Values(64), 8, level);
  EXPECT_TRUE(nothing.steps().empty());
  const Ciphertext zero = nothing.apply(ones, client().galois);
  EXPECT_EQ(zero.level(), level);
  EXPECT_LE(testing::largest_difference(client().decrypt(zero), Values(kSlots)), 1e-12);
}

TEST(LinearTransform, MultipliesComplexMatricesAndAcceptsCiphertextsOfHigherLevels) {
  std::vector<std::complex<double>> matrix = {{0, 1}, {0, 0}, {0, 0}, {0, -1}};
  const LinearTransform turn(client().context, matrix, 2, 1);
  const Ciphertext y = turn.apply(client().encrypt(Values(kSlots, 0.5)), client().galois);
  EXPECT_EQ(y.level(), 0u);
  std::vector<std::complex<double>> out(2);
  client().encoder.decode_raw(client().decryptor.decrypt(y), std::span(out));
  EXPECT_LE(std::abs(out[0] - std::complex(0.0, 0.5)), 1e-6);
  EXPECT_LE(std::abs(out[1] + std::complex(0.0, 0.5)), 1e-6);
}

TEST(MovedFrom, LinearTransformsAreRefused) {
  const Values matrix = testing::random_values(16, 7);
  LinearTransform transform(client().context, matrix, 4, client().context.top_level());
  LinearTransform nothing(client().context, Values(16), 4, client().context.top_level());
  const Ciphertext x = client().encrypt(Values(kSlots, 0.5));
  for (LinearTransform* each : {&transform, &nothing}) {
    const LinearTransform kept = std::move(*each);
    EXPECT_EQ(kept.apply(x, client().galois).size(), 2U);
    ringfort::testing::expect_refused(Code::invalid_argument, [&] { (void)each->apply(x, client().galois); }, "moved");
  }
}

TEST(LinearTransform, RefusesOtherShapesAndLevels) {
  const auto refused = [](const Values& matrix, u32 dimension, u32 level) {
    try {
      const LinearTransform transform(client().context, matrix, dimension, level);
    } catch (const Error& e) { return e.code() == Code::invalid_argument; }
    return false;
  };
  EXPECT_TRUE(refused(Values(9), 3, 1));
  EXPECT_TRUE(refused(Values(15), 4, 1));
  EXPECT_TRUE(refused(Values(64 * 64), 64, 1));
  EXPECT_TRUE(refused(Values(16), 4, 0));
  EXPECT_TRUE(refused(Values(16), 4, 9));
}

}  // namespace
}  // namespace ringfort::ckks
