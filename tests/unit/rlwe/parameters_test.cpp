// SPDX-License-Identifier: Apache-2.0
// Tests the choice of primes near a given length, the sizes of chains (all primes of a context) and of digits, and the
// check that keys and ciphertexts are secure RLWE samples.
#include "rlwe/parameters.h"

#include <gtest/gtest.h>

#include "math/prime.h"
#include "ringfort/error.h"
#include "support/refused.h"

namespace ringfort {
namespace {

using ringfort::testing::refusal;

// Returns the nearest prime by trying all candidates, in an order of its own.
u64 nearest_by_search(u64 around, u64 step, u64 limit, const std::set<u64>& taken) {
  u64 best = 0;
  for (u64 q = 1; q < limit; q += step) {
    const auto distance = [&](u64 x) { return x > around ? x - around : around - x; };
    if (is_prime(q) && !taken.contains(q) && (best == 0 || distance(q) < distance(best))) best = q;
  }
  return best;
}

TEST(PrimePool, GivesTheNearestPrimesInOrderOfDistance) {
  PrimePool pool(1024, PrimeForm::any), narrow(1024, PrimeForm::any), formed(1024, PrimeForm::c_2_16_1);
  std::set<u64> taken, taken_narrow;
  for (int i = 0; i < 20; ++i) {
    const u64 q = pool.nearest(22, 62), below = narrow.nearest(22, 22), c = formed.nearest(30, 31);
    EXPECT_EQ(q, nearest_by_search(u64{1} << 22, 2048, u64{1} << 24, taken));
    EXPECT_EQ(below, nearest_by_search(u64{1} << 22, 2048, u64{1} << 22, taken_narrow));
    EXPECT_TRUE(c % 65536 == 1 && is_prime(c) && c >> 31 == 0) << c;
    taken.insert(q);
    taken_narrow.insert(below);
  }
  EXPECT_EQ(PrimePool(2048, PrimeForm::any).largest_below(50), static_cast<u64>(ntt_primes(50, 2048, 1).take()[0]));
}

TEST(PrimePool, ReportsWhenNoPrimesAreLeft) {
  PrimePool pool(16384, PrimeForm::any);
  const Error e = refusal([&] {
    for (int i = 0; i < 1000; ++i) (void)pool.nearest(20, 20);
  });
  EXPECT_EQ(e.code(), Code::unsupported);
  EXPECT_NE(e.problem().find("20 bits"), std::string::npos) << e.what();
}

TEST(ChainSizes, GroupsAndDigitsAreRunsOfPrimes) {
  const ChainSizes sizes{1024, {30, 31, 20, 21, 22, 23}, {40, 41}, 2, 4};
  EXPECT_EQ(sizes.levels(), 3u);
  EXPECT_EQ(sizes.group(1), 41);
  EXPECT_EQ(sizes.log2_q(1), 102);
  EXPECT_EQ(sizes.log2_qp(), 228);
  EXPECT_EQ(sizes.digits(2), (std::vector<double>{102, 45}));
  EXPECT_EQ(sizes.digits(0), (std::vector<double>{61}));
}

TEST(ChainSizes, DigitsAreAsLongAsTheModulusAllows) {
  ChainSizes sizes{16384, std::vector<double>(8, 40), {}, 1, 1};
  EXPECT_FALSE(choose_digits(sizes, 359));
  ASSERT_TRUE(choose_digits(sizes, 361));
  EXPECT_EQ(sizes.digit_limbs, 1u);
  ASSERT_TRUE(choose_digits(sizes, 481));
  EXPECT_EQ(sizes.digit_limbs, 4u);
  EXPECT_EQ(sizes.special, std::vector<double>(4, 40));
  ASSERT_TRUE(choose_digits(sizes, 1000));
  EXPECT_EQ(sizes.digit_limbs, 4u) << "one digit of 8 primes needs as many transforms";
}

TEST(CheckSamples, BothPublicKeysAndEvaluationKeysPassTheTable) {
  PrimePool pool(8192, PrimeForm::any);
  ChainParameters p;
  p.n = 8192;
  for (int i = 0; i < 4; ++i) p.data.push_back(pool.largest_below(48));
  p.special = {pool.largest_below(22)};
  EXPECT_NO_THROW(check_samples(p));  // 213.99 bits, of at most 214
  p.special = {pool.largest_below(23)};
  EXPECT_EQ(refusal([&] { check_samples(p); }).code(), Code::insecure_parameters);
  p.insecure_reason = "a test";
  EXPECT_NO_THROW(check_samples(p));
  p.insecure_reason.clear();
  p.security = {128, 2018, false};
  EXPECT_NO_THROW(check_samples(p));  // the table of 2018 allows 218 bits
  p.security = {192, 2024, false};
  EXPECT_EQ(refusal([&] { check_samples(p); }).code(), Code::insecure_parameters);
  p.security = {100, 2024, false};
  EXPECT_EQ(refusal([&] { check_samples(p); }).code(), Code::invalid_argument);
  p.security = {128, 2030, false};
  EXPECT_EQ(refusal([&] { check_samples(p); }).code(), Code::invalid_argument);
}

TEST(ChainSecurity, QuantumChainsAreCheckedByTheLimitThatTheyAreChosenBy) {
  ChainParameters p;
  p.n = 8192;
  p.data = {(u64{1} << 51) - 1, (u64{1} << 51) - 1, (u64{1} << 51) - 1};
  p.security = {128, 2024, true};
  p.special = {(u64{1} << 49) - 1};
  EXPECT_NO_THROW(check_samples(p));  // 202 bits
  p.special = {(u64{1} << 50) - 1};
  const Error error = refusal([&] { check_samples(p); });
  EXPECT_EQ(error.code(), Code::insecure_parameters);  // 203 bits, which the authors' script of 2024 would allow
  EXPECT_NE(std::string(error.what()).find("2024 quantum table"), std::string::npos) << error.what();
}

TEST(ModulusLimit, QuantumTakesTheSmallerOfBothStandards) {
  RingRequirements r;
  r.security.quantum = true;
  EXPECT_EQ(modulus_limit(r, 8192), 202);  // the script of 2024 has 203
  EXPECT_EQ(modulus_limit(r, 65536), 1663);
  r.security.quantum = false;
  EXPECT_EQ(modulus_limit(r, 8192), 214);
  EXPECT_EQ(modulus_limit(r, 512), 0);
}

TEST(LargestDegree, BatchesLimitTheRing) {
  RingRequirements r;
  EXPECT_EQ(largest_degree(r, 65537), 32768u);
  EXPECT_EQ(largest_degree(r, 786433), 131072u);  // 3 * 2^18 + 1
  r.slots = 1;
  EXPECT_EQ(largest_degree(r, 65537), 131072u);
  r.slots = 40000;
  EXPECT_NE(std::string(refusal([&] { (void)largest_degree(r, 65537); }).what()).find("at most n = 32768"),
            std::string::npos);
  r.slots = 0;
  EXPECT_EQ(refusal([&] { (void)largest_degree(r, 257); }).code(), Code::invalid_argument);
}

TEST(Explanation, SizesAreThoseOfTheObjects) {
  PrimePool pool(16384, PrimeForm::any);
  ChainParameters p;
  p.n = 16384;
  for (int i = 0; i < 5; ++i) p.data.push_back(pool.largest_below(40));
  for (int i = 0; i < 2; ++i) p.special.push_back(pool.largest_below(41));
  p.digit_limbs = 2;
  Explanation e = explain_chain(p);
  EXPECT_EQ(e.ciphertext_bytes, std::size_t{2} * 5 * 16384 * 8);
  EXPECT_EQ(e.public_key_bytes, std::size_t{2} * 6 * 16384 * 8) << "one special prime more than ciphertexts";
  EXPECT_EQ(e.relinearization_key_bytes, std::size_t{3} * 2 * 7 * 16384 * 8);
  EXPECT_EQ(e.galois_key_bytes, e.relinearization_key_bytes);
  EXPECT_EQ(e.log2_qp_limit, 430u);
  EXPECT_NEAR(e.log2_qp, 282, 0.01);
  EXPECT_NE(e.text().find("128 bits (2024, classical attacks)"), std::string::npos);
  EXPECT_NE(e.text().find("probability below 2^-128, in 2^19 verbs with at most 4 key switches each"),
            std::string::npos);
  p.insecure_reason = "only for a test";
  EXPECT_NE(explain_chain(p).text().find("INSECURE, not checked: only for a test"), std::string::npos);
  p.special.clear();
  EXPECT_EQ(explain_chain(p).public_key_bytes, explain_chain(p).ciphertext_bytes);
  EXPECT_EQ(explain_chain(p).galois_key_bytes, 0u);
}

}  // namespace
}  // namespace ringfort
