// SPDX-License-Identifier: Apache-2.0
// Compares the bounds on errors with an independent simulation of RLWE (support/schoolbook.h), which uses schoolbook
// products modulo primes of 20 bits. The norm of an error is its largest absolute value at the roots zeta of x^n + 1
// (rlwe/embedding_bound.h). Measured norms must be below the bounds, but not far below.
#include "rlwe/embedding_bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "ringfort/parameters.h"
#include "rlwe/parameters.h"
#include "support/schoolbook.h"

namespace ringfort::embedding_bound_test {
namespace {

using Poly = testing::Coefficients;

constexpr i64 kQ0 = testing::kPrime0, kQ1 = testing::kPrime1, kP = testing::kPrime2;
constexpr i64 kQ = kQ0 * kQ1;

void expect_tight(double measured, Bound bound, double bits, const char* what, u32 n) {
  EXPECT_LT(std::log2(measured), bound.log2) << what << " n = " << n;
  EXPECT_GT(std::log2(measured), bound.log2 - bits) << what << " n = " << n << ": more pessimistic than stated";
  ::testing::Test::RecordProperty(what + std::to_string(n), std::to_string(bound.log2 - std::log2(measured)));
}

class EmbeddingBounds : public ::testing::TestWithParam<u32> {
 protected:
  testing::Schoolbook sim{GetParam()};
  EmbeddingBound bound{GetParam()};
  Poly s = sim.ternary();
};

TEST_P(EmbeddingBounds, OneRandomPolynomialIsWithinThreeBits) {
  expect_tight(sim.norm(s), bound.secret(), 3, "secret", sim.n);
  expect_tight(sim.norm(sim.error()), bound.fresh_secret(), 3, "error", sim.n);
}

TEST_P(EmbeddingBounds, PublicEncryptionIsWithinFiveBits) {
  const Poly a = sim.uniform(kQ), b = sim.sum(sim.times(sim.product(a, s, kQ), -1, kQ), sim.error(), kQ);
  const Poly r = sim.ternary();
  const Poly c0 = sim.sum(sim.product(r, b, kQ), sim.error(), kQ), c1 = sim.sum(sim.product(r, a, kQ), sim.error(), kQ);
  expect_tight(sim.norm(sim.phase(c0, c1, s, kQ)), bound.fresh_public(), 5, "public", sim.n);
}

// The encryption is made modulo kQ0 and a prime kP, and divided by kP. The prime has only 20 bits. Nevertheless, the
// rest of the products is small compared with the rounding error.
TEST_P(EmbeddingBounds, PublicEncryptionDividedByAPrimeIsWithinFiveBits) {
  constexpr i64 kWhole = kQ0 * kP;
  const Poly a = sim.uniform(kWhole), r = sim.ternary();
  const Poly b = sim.sum(sim.times(sim.product(a, s, kWhole), -1, kWhole), sim.error(), kWhole);
  const Poly c0 = sim.sum(sim.product(r, b, kWhole), sim.error(), kWhole),
             c1 = sim.sum(sim.product(r, a, kWhole), sim.error(), kWhole);
  const Bound divided = bound.fresh_public(std::log2(static_cast<double>(kP)));
  expect_tight(sim.norm(sim.phase(sim.divided(c0, kP), sim.divided(c1, kP), s, kQ0)), divided, 5, "divided", sim.n);
  EXPECT_LT(divided.log2, bound.rounding(2).log2 + 0.001);
  EXPECT_LT(divided.log2, bound.fresh_public().log2 - 3.5);
}

// With k components, the secret occurs up to the power k - 1. The bound takes each power of its norm.
TEST_P(EmbeddingBounds, RoundingOfMoreComponentsIsWithinFiveBitsForEachPowerOfTheSecret) {
  constexpr i64 kScale = 1 << 20, kLarge = (i64{1} << 61) - 1;
  for (u32 components = 2; components <= 5; ++components) {
    Poly error(sim.n);
    for (u32 i = 0; i < components; ++i) {  // tau_0 + s (tau_1 + s (tau_2 ..)), in units of 1 / kScale
      const Poly tau = sim.uniform(kScale);
      error = sim.sum(i == 0 ? error : sim.product(error, s, kLarge), tau, kLarge);
    }
    const double measured = sim.norm(error) / kScale;
    expect_tight(measured, bound.rounding(components), 5.0 * (components - 1), "rounding of several", sim.n);
  }
}

TEST_P(EmbeddingBounds, RoundingIsWithinFiveBits) {
  const Poly c0 = sim.uniform(kQ), c1 = sim.uniform(kQ);
  const Poly whole = sim.phase(sim.times(c0, 1, kQ), sim.times(c1, 1, kQ), s, kQ);
  const Poly rounded =
      sim.phase(sim.divided(sim.times(c0, 1, kQ), kQ1), sim.divided(sim.times(c1, 1, kQ), kQ1), s, kQ0);
  // Each of the two phases is uniform. But the difference kQ1 * rounded - whole is the rounding error, which is small
  // modulo kQ.
  const Poly error = sim.sum(sim.times(rounded, kQ1, kQ), sim.times(whole, -1, kQ), kQ);
  expect_tight(sim.norm(error) / kQ1, bound.rounding(2), 5, "rounding", sim.n);
}

TEST_P(EmbeddingBounds, UniformPhasesAreWithinFiveBits) {
  const auto uniform = [&] { return sim.times(sim.uniform(kQ), 1, kQ); };
  const Poly c0 = uniform(), c1 = uniform(), no_modulus = sim.product(c1, s, i64{1} << 61);
  std::vector<double> phase(sim.n);
  for (u32 i = 0; i < sim.n; ++i) phase[i] = static_cast<double>(c0[i] + no_modulus[i]) / static_cast<double>(kQ);
  expect_tight(sim.norm(phase), bound.uniform_phase(2), 5, "uniform", sim.n);
}

// A complete key switch with one prime per digit. The row of digit d satisfies b_d + a_d s = P g_d s' + e_d modulo Q P.
// g_d is 1 modulo the prime of digit d, and 0 modulo the other prime.
TEST_P(EmbeddingBounds, KeySwitchingIsWithinFiveBits) {
  const Poly target = sim.ternary(), c = sim.uniform(kQ);
  constexpr i64 kAll = kQ * kP;
  Poly c0(sim.n), c1(sim.n);
  for (const i64 prime : {kQ0, kQ1}) {
    const i64 other = kQ / prime;
    i64 g = other;
    while (g % prime != 1) g = (g + other) % kQ;
    const Poly a = sim.uniform(kAll);
    const Poly b =
        sim.sum(sim.sum(sim.times(target, static_cast<i64>(static_cast<i128>(kP) * g % kAll), kAll), sim.error(), kAll),
                sim.times(sim.product(a, s, kAll), -1, kAll), kAll);
    const Poly digit = sim.times(c, 1, prime);
    c0 = sim.sum(c0, sim.product(digit, b, kAll), kAll);
    c1 = sim.sum(c1, sim.product(digit, a, kAll), kAll);
  }
  const Poly switched = sim.phase(sim.divided(c0, kP), sim.divided(c1, kP), s, kQ);
  const Poly error = sim.sum(switched, sim.times(sim.product(sim.times(c, 1, kQ), target, kQ), -1, kQ), kQ);
  const double digits[] = {std::log2(kQ0), std::log2(kQ1)};
  expect_tight(sim.norm(error), bound.key_switch(digits, std::log2(kP)), 5, "key switch", sim.n);
}

INSTANTIATE_TEST_SUITE_P(Degrees, EmbeddingBounds, ::testing::Values(256u, 512u, 1024u));

TEST(EmbeddingBound, AnyPolynomialIsBoundedByItsWorstCase) {
  for (const u32 n : {8u, 64u, 512u}) {
    const testing::Schoolbook sim(n);
    // the signs of the coefficients follow the powers of the first root, so that the norm nearly reaches the bound
    std::vector<double> worst(n);
    for (u32 k = 0; k < n; ++k) worst[k] = std::cos(std::numbers::pi * k / n + 0.5 * std::numbers::pi / n) > 0 ? 3 : -3;
    const double bound = EmbeddingBound(n).any(Bound::of(3)).value();
    EXPECT_LE(sim.norm(worst), bound * (1 + 1e-9)) << n;
    EXPECT_GT(sim.norm(worst), bound * 0.999) << n;
  }
}

// variances: of errors (centred binomial, k = 21), of uniform values in {-1, 0, 1}, and of uniform values in [-1/2,
// 1/2)
constexpr double kErrorVariance = 10.5, kTernary = 2.0 / 3, kRounding = 1.0 / 12;

// Let `sum` be the sum e + sum_i a_i b_i of random polynomials. Returns -log2 of the probability that it exceeds the
// bound in one of 32 directions of the plane at one of n/2 roots. Chernoff's bound is used with the best |u| of a fine
// grid: log E exp(u . sum) <= |u|^2 normal / 4 - sum_i log(1 - |u|^2 s_i^2 / 4). `normal` is n times the variance of e,
// and products[i] is s_i (rlwe/embedding_bound.h).
double failure_bits(u32 n, Bound bound, double normal, const std::vector<double>& products) {
  double pole = 0, best = 0;
  for (const double s : products) pole = std::max(pole, s / 2);
  for (int step = 1; step < 100000; ++step) {
    const double u = step / (pole * 100000);
    double exponent = u * u * normal / 4 - u * bound.value() * std::cos(std::numbers::pi / 32);
    for (const double s : products) exponent -= std::log1p(-u * u * s * s / 4);
    best = std::min(best, exponent);
  }
  return -best / std::numbers::ln2 - std::log2(16.0 * n);
}

// In every ring, Chernoff's bound on the probability that a polynomial exceeds its bound is 2^-152 to 2^-150, for every
// kind of polynomial. A program promises 2^-128. The other 22 bits allow 2^22 polynomials.
TEST(EmbeddingBound, EveryKindOfPolynomialLeaves22BitsToUnions) {
  for (u32 n = kSmallestDegree; n <= kLargestDegree; n *= 2) {
    SCOPED_TRACE(n);
    const EmbeddingBound bound(n);
    // P(|e(zeta)| > c sqrt(n v)) <= 32 n / 2 exp(-(c cos(pi / 32))^2).
    const double c = bound.random(1).value() / std::sqrt(n) * std::cos(std::numbers::pi / 32);
    EXPECT_NEAR(std::log2(16.0 * n) - c * c / std::numbers::ln2, -150, 1e-6);
    const double digits[] = {50, 50, 40}, divisor = 51, s = bound.secret().value();
    std::vector<double> switched{n * std::sqrt(kTernary * kRounding)};
    for (const double digit : digits)
      switched.push_back(n * std::sqrt(kErrorVariance * kRounding) * std::exp2(digit - divisor));
    const double encrypted = n * std::sqrt(kTernary * kErrorVariance);
    const double found[] = {
        failure_bits(n, bound.fresh_public(), n * kErrorVariance, {encrypted, encrypted}),
        failure_bits(n, bound.rounding(2), n * kRounding, {n * std::sqrt(kTernary * kRounding)}),
        failure_bits(n, bound.rounding(3), n * kRounding, {n * std::sqrt(kTernary * kRounding * (1 + s * s))}),
        failure_bits(n, bound.rounding(5), n * kRounding,
                     {n * std::sqrt(kTernary * kRounding * (1 + s * s + std::pow(s, 4) + std::pow(s, 6)))}),
        failure_bits(n, bound.key_switch(digits, divisor), n * kRounding, switched)};
    for (const double bits : found) {
      EXPECT_GE(bits, 150);
      EXPECT_LT(bits, 152);
    }
  }
}

// Counts the random polynomials in all keys of the largest preset, and those of half a million verbs. The keys include
// those for rotations by powers of two in both directions.
TEST(EmbeddingBound, HalfAMillionVerbsUnderAllKeysOfTheLargestPresetStayWithinTheUnion) {
  const ChainParameters largest = ckks::preset("ckks-65536-24").chain;
  const std::size_t digits = (largest.data.size() + largest.digit_limbs - 1) / largest.digit_limbs;
  // keys for products, conjugation and rotations
  const std::size_t keys = 1 + 1 + 2 * static_cast<std::size_t>(std::log2(largest.n));
  const double polynomials = 2.0 + static_cast<double>(keys * digits) + kMostPolynomialsOfAVerb * std::exp2(kVerbBits);
  EXPECT_GT(keys * digits, 100u);
  EXPECT_LE(std::log2(polynomials), kUnionBits);
  EXPECT_EQ(kFailureBits + kUnionBits, 150u);
}

TEST(Bound, SumsAreNeverRoundedDownAndPassTheRangeOfDoubles) {
  const Bound a = Bound::power_of_two(3000), b = Bound::power_of_two(2990);
  EXPECT_GE((a + b).log2, 3000 + std::log2(1 + 0x1p-10));
  EXPECT_NEAR((a + b).log2, 3000 + std::log2(1 + 0x1p-10), 1e-11);
  EXPECT_EQ((a + Bound{}).log2, 3000);
  EXPECT_EQ((a * b).log2, 5990);
  EXPECT_NEAR((Bound::of(3) + Bound::of(4)).value(), 7, 1e-10);
  EXPECT_EQ(Bound::of(0).value(), 0);
  EXPECT_LT(Bound{}, Bound::of(1e-300));
}

}  // namespace
}  // namespace ringfort::embedding_bound_test
