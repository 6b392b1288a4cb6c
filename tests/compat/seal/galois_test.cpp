// SPDX-License-Identifier: Apache-2.0
// Tests rotations and other automorphisms of SEAL's interface against rotated arrays, and against x -> x^g on
// coefficients.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "compat/seal/machine.h"

namespace ringfort::testing::galois_test {
namespace {

using seal::Ciphertext, seal::GaloisKeys, seal::Plaintext, seal::scheme_type;

constexpr std::size_t kDegree = 64;
constexpr std::uint64_t kPlain = 7681;

Machine machine_of(scheme_type scheme, std::uint64_t t = kPlain) {
  return Machine(seal_parameters(scheme, kDegree, {50, 40, 40, 50}, scheme == scheme_type::ckks ? 0 : t));
}

std::vector<std::uint64_t> counted(std::size_t count) {
  std::vector<std::uint64_t> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

// Rotates both rows to the left.
std::vector<std::uint64_t> rotated_rows(std::vector<std::uint64_t> values, int steps) {
  const auto half = static_cast<int>(values.size() / 2);
  const int left = (steps % half + half) % half;
  std::rotate(values.begin(), values.begin() + left, values.begin() + half);
  std::rotate(values.begin() + half, values.begin() + half + left, values.end());
  return values;
}

// Returns the text of x^power modulo x^n + 1.
std::string monomial(std::size_t power) {
  power %= 2 * kDegree;
  const std::string coefficient = power < kDegree ? "1" : "1E00";  // t - 1
  return power % kDegree == 0 ? coefficient : coefficient + "x^" + std::to_string(power % kDegree);
}

TEST(SealGalois, EveryStepRotatesRowsWithTheDefaultKeys) {
  for (const scheme_type scheme : kExactSchemes) {
    Machine m = machine_of(scheme);
    GaloisKeys keys;
    m.generator.create_galois_keys(keys);
    EXPECT_EQ(keys.size(), 10u);  // +-1, +-2, +-4, +-8, 16 and the exchange of rows
    const std::vector<std::uint64_t> values = counted(kDegree);
    const Ciphertext a = m.encrypt(m.batch(values));
    const int most = kDegree / 2 - 1;
    for (int steps = -most; steps <= most; ++steps) {
      Ciphertext b;
      m.evaluator.rotate_rows(a, steps, keys, b);
      ASSERT_EQ(m.slots(b), rotated_rows(values, steps)) << steps;
    }
    Ciphertext b;
    m.evaluator.rotate_columns(a, keys, b);
    std::vector<std::uint64_t> exchanged = values;
    std::rotate(exchanged.begin(), exchanged.begin() + kDegree / 2, exchanged.end());
    EXPECT_EQ(m.slots(b), exchanged);
    EXPECT_THROW(m.evaluator.rotate_rows(a, kDegree / 2, keys, b), std::invalid_argument);
    EXPECT_THROW(m.evaluator.rotate_vector(a, 1, keys, b), std::logic_error);
    EXPECT_THROW(m.evaluator.complex_conjugate(a, keys, b), std::logic_error);
  }
}

TEST(SealGalois, StepsRotateNumbersAndConjugate) {
  Machine m = machine_of(scheme_type::ckks);
  GaloisKeys keys;
  m.generator.create_galois_keys(std::vector<int>{3, -2, 0}, keys);
  EXPECT_EQ(keys.size(), 3u);
  std::vector<std::complex<double>> values(kDegree / 2), decoded;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {static_cast<double>(i), 1.0 / (1.0 + i)};
  const Ciphertext a = m.encrypt(m.encode(values, 0x1p30));
  const seal::CKKSEncoder encoder(m.context);
  Ciphertext b;
  for (const int steps : {3, -2}) {
    m.evaluator.rotate_vector(a, steps, keys, b);
    encoder.decode(m.decrypt(b), decoded);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(std::abs(decoded[i] - values[(i + 32 + static_cast<std::size_t>(steps + 32)) % 32]), 0, 1e-3);
    }
  }
  m.evaluator.complex_conjugate(a, keys, b);
  encoder.decode(m.decrypt(b), decoded);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(std::abs(decoded[i] - std::conj(values[i])), 0, 1e-3);
  EXPECT_THROW(m.evaluator.rotate_vector(a, 1, keys, b), std::invalid_argument);
  EXPECT_THROW(m.evaluator.rotate_rows(a, 3, keys, b), std::logic_error);
}

TEST(SealGalois, EveryElementIsAPowerOfX) {
  for (const scheme_type scheme : kExactSchemes) {
    Machine m = machine_of(scheme);
    const Ciphertext a = m.encrypt(Plaintext("1x^1")), constant = m.encrypt(Plaintext("5"));
    for (std::uint32_t element = 1; element < 2 * kDegree; element += 6) {
      GaloisKeys keys;
      m.generator.create_galois_keys(std::vector<std::uint32_t>{element}, keys);
      EXPECT_TRUE(keys.has_key(element));
      EXPECT_EQ(keys.size(), 1u);
      EXPECT_EQ(keys.key(element).size(), 3u);
      Ciphertext b;
      m.evaluator.apply_galois(a, element, keys, b);
      ASSERT_EQ(m.text(b), monomial(element));
      m.evaluator.apply_galois(constant, element, keys, b);
      ASSERT_EQ(m.text(b), "5");
      EXPECT_THROW(m.evaluator.apply_galois(a, (element + 2) % (2 * kDegree), keys, b), std::invalid_argument);
    }
  }
}

TEST(SealGalois, KeysForStepsHaveTheNamesOfSealAndApplyToPolynomials) {
  Machine m = machine_of(scheme_type::bfv);
  GaloisKeys keys;
  m.generator.create_galois_keys(keys);
  // 3^1, 3^2, 3^4 modulo 128, the inverse of 3, and -1
  for (const std::uint32_t element : {3u, 9u, 81u, 43u, 127u}) {
    EXPECT_TRUE(keys.has_key(element));
    Ciphertext a = m.encrypt(Plaintext("1x^1"));
    m.evaluator.apply_galois_inplace(a, element, keys);
    EXPECT_EQ(m.text(a), monomial(element));
  }
  EXPECT_FALSE(keys.has_key(5));
  m.generator.create_galois_keys(std::vector<int>{1}, keys);
  EXPECT_TRUE(keys.has_key(3));
  EXPECT_EQ(keys.size(), 1u);
  Ciphertext a = m.encrypt(Plaintext("1x^1"));
  m.evaluator.apply_galois_inplace(a, 3, keys);
  EXPECT_EQ(m.text(a), "1x^3");
  m.generator.create_galois_keys(std::vector<std::uint32_t>{3}, keys);
  const std::vector<std::uint64_t> values = counted(kDegree);
  a = m.encrypt(m.batch(values));
  m.evaluator.rotate_rows_inplace(a, 1, keys);
  EXPECT_EQ(m.slots(a), rotated_rows(values, 1));
}

TEST(SealGalois, ElementsNeedNoSlots) {
  for (const scheme_type scheme : kExactSchemes) {
    Machine m = machine_of(scheme, 256);
    GaloisKeys keys;
    m.generator.create_galois_keys(std::vector<std::uint32_t>{3, 2 * kDegree - 1}, keys);
    Ciphertext a = m.encrypt(Plaintext("7x^2 + 1"));
    m.evaluator.apply_galois_inplace(a, 3, keys);
    EXPECT_EQ(m.text(a), "7x^6 + 1");
    m.evaluator.apply_galois_inplace(a, 2 * kDegree - 1, keys);
    EXPECT_EQ(m.text(a), "F9x^58 + 1");
    EXPECT_THROW(m.evaluator.rotate_rows_inplace(a, 1, keys), std::logic_error);
    EXPECT_THROW(m.evaluator.rotate_columns_inplace(a, keys), std::logic_error);
    EXPECT_THROW(m.generator.create_galois_keys(std::vector<int>{1}, keys), std::logic_error);
  }
}

TEST(SealGalois, OnlyOddElementsBelowTwiceTheDegreeHaveKeys) {
  Machine m = machine_of(scheme_type::bfv);
  GaloisKeys keys;
  for (const std::uint32_t element : std::vector<std::uint32_t>{0, 2, 2 * kDegree, 2 * kDegree + 1, 0xffffffff}) {
    EXPECT_THROW(m.generator.create_galois_keys(std::vector<std::uint32_t>{element}, keys), std::invalid_argument);
  }
  EXPECT_THROW(m.generator.create_galois_keys(std::vector<int>{kDegree / 2}, keys), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(GaloisKeys::get_index(4)), std::invalid_argument);
  EXPECT_EQ(GaloisKeys::get_index(127), 63u);
  EXPECT_THROW(static_cast<void>(keys.key(3)), std::invalid_argument);
}

TEST(SealGalois, ThreeComponentsAreRefused) {
  Machine m = machine_of(scheme_type::bfv);
  GaloisKeys keys;
  m.generator.create_galois_keys(keys);
  Ciphertext a = m.encrypt(Plaintext("1x^1"));
  m.evaluator.square_inplace(a);
  EXPECT_THROW(m.evaluator.rotate_rows_inplace(a, 1, keys), std::invalid_argument);
  EXPECT_EQ(m.text(a), "1x^2");
}

}  // namespace
}  // namespace ringfort::testing::galois_test
