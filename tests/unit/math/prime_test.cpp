// SPDX-License-Identifier: Apache-2.0
// Tests primality, the search for primes q = 1 mod 2n, and minimal roots. The minimal root is the smallest n-th root of
// -1 modulo q. Expected values come from a sieve, from published lists of pseudoprimes, from Intel's library HEXL and
// from Python.
#include "math/prime.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "math/word.h"
#include "support/vectors.h"

namespace ringfort {
namespace {

using testing::decimal;
using testing::parse_decimal;
using testing::read_vectors;

std::vector<bool> sieve(u32 limit) {
  std::vector<bool> prime(limit, true);
  prime[0] = prime[1] = false;
  for (u32 p = 2; p * p < limit; ++p) {
    if (!prime[p]) continue;
    for (u32 multiple = p * p; multiple < limit; multiple += p) prime[multiple] = false;
  }
  return prime;
}

TEST(IsPrime, AgreesWithASieveBelowOneMillion) {
  const std::vector<bool> prime = sieve(1000000);
  for (u32 n = 0; n < prime.size(); ++n) ASSERT_EQ(is_prime(n), prime[n]) << n;
}

// The test vectors have pseudoprimes of several kinds, squares and products of primes near 2^64, Mersenne numbers, and
// random numbers of 16 to 128 bits.
TEST(IsPrime, AgreesWithPythonOnHardNumbers) {
  const auto vectors = read_vectors("arithmetic.json");
  ASSERT_GT(vectors["primality"].size(), 1000u);
  for (const auto& row : vectors["primality"]) {
    const std::string number = row[0];
    EXPECT_EQ(is_prime(parse_decimal(number)), row[1].get<bool>()) << number;
  }
}

TEST(InverseMod, ExistsExactlyForResiduesThatAreCoprimeToTheModulus) {
  for (u64 q = 1; q < 60; ++q) {
    for (u64 x = 0; x < q; ++x) {
      u64 expected = q;  // none
      for (u64 y = 0; y < q; ++y)
        if (x * y % q == 1 % q) expected = y;
      EXPECT_EQ(inverse_mod(x, q).value_or(q), expected) << x << " mod " << q;
    }
  }
  for (const u64 q : {(u64{1} << 63) - 25, ~u64{0}, u64{1} << 63}) {
    for (u64 x : {u64{1}, u64{7}, q / 2 - 2, q - 1}) {
      const u64 inverse = inverse_mod(x, q).value_or(0);
      EXPECT_EQ(mul_mod(inverse, x, q), std::gcd(x, q) == 1 ? 1u : 0u) << x << " mod " << q;
    }
    EXPECT_EQ(inverse_mod(q - 1, q), q - 1);
  }
}

TEST(IsPrime, KnowsLargeMersenneNumbers) {
  for (u32 exponent = 2; exponent <= 127; ++exponent) {
    const bool prime = exponent == 2 || exponent == 3 || exponent == 5 || exponent == 7 || exponent == 13 ||
                       exponent == 17 || exponent == 19 || exponent == 31 || exponent == 61 || exponent == 89 ||
                       exponent == 107 || exponent == 127;
    EXPECT_EQ(is_prime((u128(1) << exponent) - 1), prime) << "2^" << exponent << " - 1";
  }
}

std::vector<u32> passing_composites(u32 limit, bool (*passes)(u128)) {
  const std::vector<bool> prime = sieve(limit);
  std::vector<u32> found;
  for (u32 n = 43; n < limit; n += 2) {
    if (!passes(n)) {
      EXPECT_FALSE(prime[n]) << "the prime " << n << " does not pass";
    } else if (!prime[n]) {
      found.push_back(n);
    }
  }
  return found;
}

// The Baillie-PSW test has two halves. Up to the last listed pseudoprime, each half must be wrong exactly for its
// published pseudoprimes.
TEST(IsStrongProbablePrime, ErrsExactlyOnTheStrongPseudoprimesToBase2) {
  const std::vector<u32> published = {2047,  3277,  4033,  4681,  8321,  15841, 29341, 42799,
                                      49141, 52633, 65281, 74665, 80581, 85489, 88357, 90751};  // OEIS A001262
  EXPECT_EQ(passing_composites(90752, [](u128 n) { return is_strong_probable_prime(n, 2); }), published);
}

TEST(IsStrongLucasProbablePrime, ErrsExactlyOnTheStrongLucasPseudoprimes) {
  const std::vector<u32> published = {5459,  5777,  10877, 16109, 18971,  22499,  24569, 25199,
                                      40309, 58519, 75077, 97439, 100127, 113573, 115639};  // OEIS A217255
  EXPECT_EQ(passing_composites(115640, is_strong_lucas_probable_prime), published);
}

TEST(NttPrimes, AreHexlsLargestThree) {
  const auto vectors = read_vectors("ntt_hexl.json");
  ASSERT_EQ(vectors["cases"].size(), 150u);
  for (const auto& row : vectors["cases"]) {
    std::vector<u128> expected = {row["q"].get<u64>()};
    for (u64 next : row["next_primes"]) {
      if (next != 0) expected.push_back(next);
    }
    const auto found = ntt_primes(row["bits"].get<u32>(), row["N"].get<u64>(), expected.size());
    ASSERT_TRUE(found.ok()) << row["bits"] << " bits, N " << row["N"];
    EXPECT_EQ(found.value(), expected) << row["bits"] << " bits, N " << row["N"];
  }
}

TEST(MinimalRoot, IsHexls) {
  const auto vectors = read_vectors("ntt_hexl.json");
  for (const auto& row : vectors["cases"]) {
    const auto root = minimal_root(row["q"].get<u64>(), row["N"].get<u64>());
    ASSERT_TRUE(root.ok()) << row["q"];
    EXPECT_EQ(decimal(root.value()), decimal(row["psi"].get<u64>())) << "q " << row["q"] << ", N " << row["N"];
  }
}

TEST(NttPrimes, AndTheirRootsAreThoseOfPythonUpTo128Bits) {
  const auto vectors = read_vectors("arithmetic.json");
  for (const auto& row : vectors["ntt_primes"]) {
    const u64 n = row["n"];
    const auto found = ntt_primes(row["bits"].get<u32>(), n, row["primes"].size());
    ASSERT_TRUE(found.ok()) << row.dump();
    for (std::size_t i = 0; i < row["primes"].size(); ++i) {
      EXPECT_EQ(decimal(found.value()[i]), row["primes"][i].get<std::string>()) << row.dump();
      EXPECT_EQ(decimal(minimal_root(found.value()[i], n).value()), row["psi"][i].get<std::string>()) << row.dump();
    }
  }
}

TEST(NttPrimes, RefusesImpossibleRequests) {
  EXPECT_EQ(ntt_primes(1, 2, 1).failure().code, Code::invalid_argument);
  EXPECT_EQ(ntt_primes(129, 2, 1).failure().code, Code::invalid_argument);
  EXPECT_EQ(ntt_primes(30, 0, 1).failure().code, Code::invalid_argument);
  EXPECT_EQ(ntt_primes(30, 1000, 1).failure().code, Code::invalid_argument);
  EXPECT_EQ(ntt_primes(30, 1024, (1u << 20) + 1).failure().code, Code::invalid_argument);
  EXPECT_EQ(ntt_primes(12, 1024, 10).failure().code, Code::unsupported);
  EXPECT_EQ(ntt_primes(2, u64(1) << 63, 1).failure().code, Code::unsupported);
  EXPECT_NE(ntt_primes(8, 8, 100).failure().problem.find("100 primes below 2^8 that are 1 mod"), std::string::npos);
}

// Expects exactly the primes below 256 that are 1 mod 16.
TEST(NttPrimes, FindsAllPrimes) {
  const std::vector<u128> all = {241, 193, 113, 97, 17};
  EXPECT_EQ(ntt_primes(8, 8, 5).value(), all);
  EXPECT_FALSE(ntt_primes(8, 8, 6).ok());
  EXPECT_TRUE(ntt_primes(8, 8, 0).value().empty());
}

TEST(MinimalRoot, RefusesCompositesAndPrimesWithoutARoot) {
  EXPECT_EQ(minimal_root(97, 64).failure().code, Code::invalid_argument);  // 97 is 1 modulo 32, but not modulo 128
  // 4097 = 17 * 241, which is 1 mod 16 but composite
  EXPECT_EQ(minimal_root(4097, 8).failure().code, Code::invalid_argument);
  EXPECT_EQ(minimal_root(97, 3).failure().code, Code::invalid_argument);
  EXPECT_EQ(minimal_root(0, 1).failure().code, Code::invalid_argument);
  EXPECT_EQ(minimal_root(1, 1).failure().code, Code::invalid_argument);
}

// Tries all smaller numbers. None of them may be such a root.
TEST(MinimalRoot, IsTheSmallestOfAll) {
  for (u64 n = 1; n <= 64; n *= 2) {
    for (u128 q : ntt_primes(12, n, 3).value()) {
      u128 smallest = 1;
      while (pow_mod<u128>(smallest, n, q) != q - 1) ++smallest;
      EXPECT_EQ(decimal(minimal_root(q, n).value()), decimal(smallest)) << "q " << decimal(q) << ", n " << n;
    }
  }
}

}  // namespace
}  // namespace ringfort
