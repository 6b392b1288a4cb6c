// SPDX-License-Identifier: Apache-2.0
// Tests the additional primes of BFV. BFV computes a product modulo the ciphertext's primes, whose product is Q, and
// modulo additional primes. The product of the additional primes must exceed 4 t n Q, where t is the plain modulus. If
// a ring has too few primes of 20 bits, some of its additional primes are shorter.
#include "scheme/bfv/policy.h"
#include "support/integers.h"

namespace ringfort::integers {
namespace {

constexpr u64 kPlainModulus = 257;
constexpr u32 kDegree = 1024;

bfv::Parameters parameters_of(std::size_t data_primes) {
  std::vector<u64> all;
  for (const auto q : primes(20, kDegree, data_primes + 2)) all.push_back(static_cast<u64>(q));
  bfv::Parameters p{.chain = {}, .plain_modulus = kPlainModulus};
  p.chain.n = kDegree;
  p.chain.data.assign(all.begin(), all.end() - 2);
  p.chain.special.assign(all.end() - 2, all.end());
  p.chain.insecure_reason = "a test";
  return p;
}

// Squares a polynomial whose coefficients all have the largest value. Returns how many coefficients of the result are
// wrong.
std::size_t wrong_coefficients(const bfv::Context& context) {
  const KeyGenerator keys(context);
  const bfv::Encoder encoder(context);
  const i64 largest = kPlainModulus / 2;
  const auto x = bfv::Encryptor(context, keys.secret_key())
                     .encrypt(encoder.encode_coefficients(std::vector<i64>(kDegree, largest)));
  std::vector<i64> found(kDegree);
  encoder.decode_coefficients(bfv::Decryptor(context, keys.secret_key()).decrypt(bfv::Evaluator(context).square(x)),
                              found);
  std::size_t wrong = 0;
  for (u32 i = 0; i < kDegree; ++i) {
    const i64 terms = 2 * i64{i} + 2 - i64{kDegree};  // i + 1 terms are positive, and the others are negative
    wrong += found[i] != testing::centred(largest * largest * terms, kPlainModulus);
  }
  return wrong;
}

TEST(Extension, IsLargeEnoughOrRefusedInARingWithFewPrimes) {
  ckks::testing::choose_seed(91);
  u32 accepted = 0, refused = 0;
  for (const std::size_t data_primes : {10, 28, 30, 31, 32, 33, 34, 40}) {
    try {
      const bfv::Context context(parameters_of(data_primes));
      EXPECT_EQ(wrong_coefficients(context), 0u) << data_primes;
      ++accepted;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::unsupported) << error.what();
      ++refused;
    }
  }
  EXPECT_GE(accepted, 4u);
  EXPECT_GE(refused, 1u);
}

TEST(Extension, HasNoPrimeThatDividesThePlainModulus) {
  using Policy = Policy<bfv::Scheme>;
  const ChainParameters chain = testing::parameters_of<bfv::Scheme>(testing::short_words()).chain;
  const u64 first = Policy::needs(chain, kPlainModulus).auxiliary.at(0);
  for (const u64 t : {first, 5 * first}) {
    const std::vector<u64> found = Policy::needs(chain, t).auxiliary;
    EXPECT_FALSE(found.empty());
    for (const u64 q : found) EXPECT_NE(t % q, 0u) << q;
  }
}

TEST(Extension, NoChoiceIsRefusedByAContext) {
  for (const u32 depth : {1u, 4u, 12u, 64u}) {
    for (const u32 bits : {20u, 21u, 24u, 30u}) {
      bfv::Requirements r;
      r.n = kDegree;
      r.slots = 1;
      r.depth = depth;
      r.primes.bits = bits;
      r.insecure_reason = "a test";
      std::optional<bfv::Parameters> chosen;
      try {
        chosen = bfv::choose(r);
      } catch (const Error& error) { EXPECT_EQ(error.code(), Code::unsupported) << error.what(); }
      if (chosen) { EXPECT_NO_THROW((void)bfv::Context(*chosen)) << depth << " " << bits; }
    }
  }
}

}  // namespace
}  // namespace ringfort::integers
