// SPDX-License-Identifier: Apache-2.0
// Tests the distributions of uniform, ternary and centred binomial samples over ten million draws from a fixed seed. A
// chi-square test compares uniform and binomial samples with the exact probabilities (both tails, p > 1e-6). The range
// must be exact. Means, variances of small samples, and counts of ternary values must be within five standard errors of
// their exact values.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "math/random.h"
#include "math/prime.h"

namespace ringfort {
namespace {

constexpr std::size_t kChunk = 1 << 16;
constexpr std::size_t kChunks = 153;
constexpr double kDraws = double(kChunk) * kChunks;  // 10,027,008

// Returns the chi-square quantile that corresponds to a normal quantile z. It uses the approximation of Wilson and
// Hilferty, which is accurate for these degrees of freedom.
double chi_square_quantile(double degrees, double z) {
  const double spread = 2.0 / (9.0 * degrees);
  return degrees * std::pow(1.0 - spread + z * std::sqrt(spread), 3.0);
}

void expect_fits(const std::vector<double>& counts, const std::vector<double>& probabilities, const std::string& what) {
  constexpr double kZ = 4.7534;  // P(Z > z) = 1e-6
  double statistic = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = kDraws * probabilities[i];
    ASSERT_GT(expected, 20.0) << what << ", bin " << i;
    statistic += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  const double degrees = static_cast<double>(counts.size()) - 1;
  EXPECT_LT(statistic, chi_square_quantile(degrees, kZ)) << what;
  EXPECT_GT(statistic, chi_square_quantile(degrees, -kZ)) << what << ": too even";
}

SecretSeed fixed_secret(u8 first) {
  SecretSeed seed;
  seed.bytes().data()[0] = first;
  return seed;
}

StreamAddress chunk_address(Purpose purpose, std::size_t chunk) { return {purpose, chunk, 0, 0}; }

template <class W>
void expect_uniform(u64 q, std::size_t bins) {
  PublicSeed seed;
  seed.bytes[5] = 1;
  std::vector<W> draws(kChunk);
  std::vector<double> counts(bins, 0.0);
  double sum = 0;
  for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
    sample_uniform(seed, chunk_address(Purpose::uniform_a, chunk), q, 0, std::span<W>(draws));
    for (W x : draws) {
      ASSERT_LT(x, q);
      counts[static_cast<std::size_t>(u128(x) * bins / q)] += 1;
      sum += static_cast<double>(x) / static_cast<double>(q);
    }
  }
  std::vector<double> probabilities(bins);
  for (std::size_t i = 0; i < bins; ++i) {  // bin i has the values ceil(i q / bins) .. ceil((i+1) q / bins) - 1
    const u128 begin = (u128(i) * q + bins - 1) / bins, end = (u128(i + 1) * q + bins - 1) / bins;
    probabilities[i] = static_cast<double>(end - begin) / static_cast<double>(q);
  }
  const std::string what = "uniform mod " + std::to_string(q);
  expect_fits(counts, probabilities, what);
  const double mean = (1.0 - 1.0 / static_cast<double>(q)) / 2;
  EXPECT_NEAR(sum / kDraws, mean, 5 * std::sqrt(1.0 / 12 / kDraws)) << what;
}

TEST(SampleUniform, IsUniform_50Bits) { expect_uniform<u64>(1125899906826241, 1024); }
TEST(SampleUniform, IsUniform_62Bits) { expect_uniform<u64>((u64(1) << 62) - 57, 1024); }
TEST(SampleUniform, IsUniform_31Bits) { expect_uniform<u32>(0x7FFE0001, 1024); }
TEST(SampleUniform, IsUniform_EveryResidueOf97) { expect_uniform<u32>(97, 97); }

// Counts, mean and variance of small signed samples.
struct Tally {
  std::array<double, 256> counts{};
  double mean = 0, variance = 0;
};

template <class Sample>
Tally tally(Sample sample) {
  Tally result;
  std::vector<i8> draws(kChunk);
  for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
    sample(chunk, std::span<i8>(draws));
    for (i8 x : draws) result.counts[static_cast<std::size_t>(x + 128)] += 1;
  }
  for (int x = -128; x < 128; ++x) result.mean += x * result.counts[static_cast<std::size_t>(x + 128)] / kDraws;
  for (int x = -128; x < 128; ++x) {
    result.variance +=
        (x - result.mean) * (x - result.mean) * result.counts[static_cast<std::size_t>(x + 128)] / kDraws;
  }
  return result;
}

TEST(SampleTernary, IsUniformOnThreeValues) {
  const SecretSeed seed = fixed_secret(2);
  const Tally result = tally([&seed](std::size_t chunk, std::span<i8> out) {
    sample_ternary(seed, chunk_address(Purpose::secret_key, chunk), out);
  });
  const std::vector<double> counts = {result.counts[127], result.counts[128], result.counts[129]};
  EXPECT_EQ(counts[0] + counts[1] + counts[2], kDraws) << "a value outside -1, 0, 1";
  for (double count : counts) EXPECT_NEAR(count, kDraws / 3, 5 * std::sqrt(kDraws * 2 / 9));
  EXPECT_NEAR(result.mean, 0.0, 5 * std::sqrt(2.0 / 3 / kDraws));
  EXPECT_NEAR(result.variance, 2.0 / 3, 5 * std::sqrt(2.0 / 9 / kDraws));
}

TEST(SampleCbd21, IsTheCentredBinomialOfVarianceTenAndAHalf) {
  const SecretSeed seed = fixed_secret(3);
  const Tally result = tally([&seed](std::size_t chunk, std::span<i8> out) {
    sample_cbd21(seed, chunk_address(Purpose::error_0, chunk), out);
  });
  std::vector<double> counts, probabilities;
  double probability = std::pow(2.0, -42), within = 0;  // P(-21) = C(42, 0) / 2^42
  double rare_count = 0, rare_probability = 0;
  for (int x = -21; x <= 21; ++x) {
    const double count = result.counts[static_cast<std::size_t>(x + 128)];
    within += count;
    if (probability * kDraws > 50) {
      counts.push_back(count);
      probabilities.push_back(probability);
    } else {  // the two tails are one bin
      rare_count += count;
      rare_probability += probability;
    }
    probability *= (21.0 - x) / (22.0 + x);  // C(42, k+1) / C(42, k), k = 21 + x
  }
  counts.push_back(rare_count);
  probabilities.push_back(rare_probability);
  EXPECT_EQ(within, kDraws) << "a value outside -21 .. 21";
  expect_fits(counts, probabilities, "centred binomial");
  EXPECT_NEAR(result.mean, 0.0, 5 * std::sqrt(10.5 / kDraws));
  // The variance of a sample variance is (mu4 - sigma^4) / n. For this binomial distribution, mu4 = 3 sigma^4 - sigma^2
  // / 2.
  EXPECT_NEAR(result.variance, 10.5, 5 * std::sqrt((2 * 10.5 * 10.5 - 10.5 / 2) / kDraws));
}

// Neighbours in a stream must be uncorrelated, and so must equal positions in the streams of two addresses.
TEST(SampleCbd21, NeighboursAndAddressesAreUncorrelated) {
  const SecretSeed seed = fixed_secret(4);
  std::vector<i8> a(kChunk), b(kChunk);
  double neighbours = 0, addresses = 0;
  for (std::size_t chunk = 0; chunk < 32; ++chunk) {
    sample_cbd21(seed, chunk_address(Purpose::error_0, chunk), a);
    sample_cbd21(seed, chunk_address(Purpose::error_1, chunk), b);
    for (std::size_t i = 0; i < kChunk; ++i) {
      neighbours += a[i] * a[(i + 1) % kChunk];
      addresses += a[i] * b[i];
    }
  }
  const double bound = 5 * 10.5 * std::sqrt(32.0 * kChunk);
  EXPECT_LT(std::abs(neighbours), bound);
  EXPECT_LT(std::abs(addresses), bound);
}

}  // namespace
}  // namespace ringfort
