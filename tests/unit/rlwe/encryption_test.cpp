// SPDX-License-Identifier: Apache-2.0
// Tests encryptions of zero under public keys (rlwe/encryption.h). If the key has a limb for the last special prime p,
// their words must be those of mod_down of an encryption modulo p Q. The errors are computed with the secret key. Their
// norms, at all roots of x^n + 1, must be below the bounds, and near them.
#include "rlwe/encryption.h"

#include "backend/devices.h"
#include "math/prime.h"
#include "rlwe/sample.h"
#include "support/integers.h"
#include "support/older_key.h"
#include "support/schoolbook.h"

namespace ringfort {
namespace {

using testing::Coefficients;

std::vector<u64> words_of(const Ring& ring, Slice<Eval> of) {
  std::vector<u64> words(std::size_t{of.batch()} * of.limbs().count * ring.n());
  Staging staging(ring.n());
  ring.download(Stream{}, of, std::span<u64>(words), staging);
  return words;
}

SecretSeed hidden_seed() {
  testing::choose_seed(31);
  return fresh_secret_seed();
}

struct Words {
  Word word;
  u32 bits;
};

// The primes of the ring: two other primes, p, and three data primes. A level may have fewer data primes.
void expect_equal_to_mod_down(const std::string& device, const Words& words, u64 factor, u32 data_count) {
  SCOPED_TRACE(device + ", " + std::to_string(words.bits) + " bits, factor " + std::to_string(factor));
  constexpr u32 n = 64;
  const Ring ring(Device::open(device), {n, words.word, ntt_primes(words.bits, n, 6).take()});
  const Limbs data{3, data_count}, all{2, data_count + 1};
  Workspace work(ring, 0);
  const Poly<Eval> key = ring.make<Eval>(2, {2, 4});
  testing::choose_seed(32);
  ring.expand_uniform(Stream{}, key.all(), fresh_public_seed(), 0, 0);
  const ZeroSampler sampler(ring, factor, work);
  const Poly<Eval> whole = ring.make<Eval>(2, all), expected = ring.make<Eval>(2, data),
                   found = ring.make<Eval>(2, data);
  sampler.under_public(whole.all(), key.limbs(all), hidden_seed());
  const Poly<Coeff> scratch = ring.make<Coeff>(2, {2, 1});
  ring.mod_down(Stream{}, expected.all(), whole.all(), scratch.all(), factor);
  sampler.under_public_divided(found.all(), key.limbs(all), hidden_seed());
  EXPECT_EQ(words_of(ring, found.all()), words_of(ring, expected.all()));
}

TEST(PublicEncryptions, DividedByAPrimeHaveTheWordsOfModDown) {
  for (const char* device : {"ref", "cpu", "cpu:generic", "emu"}) {
    for (const Words& words : {Words{Word::u64, 50}, Words{Word::u64, 61}, Words{Word::u32, 30}}) {
      for (const u64 factor : {u64{1}, u64{257}, u64{65537}}) {
        for (const u32 data_count : {1u, 3u}) expect_equal_to_mod_down(device, words, factor, data_count);
      }
    }
  }
}

// Returns the error of an encryption of zero. It is smaller than half of the first prime.
Coefficients error_of(const RlweCiphertext& zero, const SecretKey& secret) {
  const KeyContext::State& c = *zero.context;
  const auto work = c.workspace();
  Scratch<Eval> evaluations = phase(zero, *secret.state(), zero.level, *work);
  std::vector<u64> residues(std::size_t{zero.polynomials.limbs().count} * c.p.n);
  c.ring.download(work->stream, c.ring.inverse(work->stream, evaluations.all()), std::span<u64>(residues),
                  work->staging);
  const u64 q = c.p.data[0];
  Coefficients error(c.p.n);
  for (u32 i = 0; i < c.p.n; ++i)
    error[i] = residues[i] > q / 2 ? -static_cast<i64>(q - residues[i]) : static_cast<i64>(residues[i]);
  return error;
}

struct Measured {
  double norm = 0, bound = 0;  // log2
};

Measured measured(const PublicKey& key, const SecretKey& secret, u32 level, Origin origin) {
  const KeyContext::State& c = *key.state()->context;
  const auto work = c.workspace();
  const RlweCiphertext zero = encrypt_zero(*key.state(), level, *work);
  EXPECT_EQ(zero.origin, origin);
  const Coefficients error = error_of(zero, secret);
  for (const i64 e : error) EXPECT_EQ(e % static_cast<i64>(c.needs.error_factor), 0);
  return {std::log2(testing::Schoolbook(c.p.n).norm(error)), c.noise.fresh(origin).log2};
}

template <class Client>
void expect_within_bounds(const Client& client) {
  const KeyContext::State& c = *client.context.keys().state();
  const SecretKey& secret = client.generator.secret_key();
  const PublicKey older = testing::without_special_limb(client.open);
  require_matching(secret, older);
  for (u32 level = 0; level <= client.context.top_level(); ++level) {
    const Measured divided = measured(client.open, secret, level, Origin::fresh_public_divided),
                   whole = measured(older, secret, level, Origin::fresh_public);
    for (const Measured& m : {divided, whole}) {
      EXPECT_LT(m.norm, m.bound);
      EXPECT_GT(m.norm, m.bound - 5.5);
    }
    ::testing::Test::RecordProperty(
        std::to_string(c.p.n) + " " + std::to_string(c.needs.error_factor) + " " + std::to_string(c.p.data.size()) +
            " " + std::to_string(level),
        std::to_string(divided.bound - divided.norm) + " " + std::to_string(whole.norm - divided.norm));
    EXPECT_LT(divided.norm, whole.norm - 3);
    EXPECT_LT(divided.bound, whole.bound - 3.5);
  }
}

TEST(PublicEncryptions, HaveAnErrorWithinTheBoundAndBelowThatOfAnOlderKey) {
  ckks::testing::choose_seed(33);
  for (ckks::testing::Shape shape : {ckks::testing::Shape{}, ckks::testing::short_words()}) {
    shape.n = 512;
    expect_within_bounds(ckks::testing::Client(ckks::testing::parameters_of(shape), "", {}));
  }
  ckks::testing::Shape two = integers::testing::bgv_shape();
  two.n = 1024;
  expect_within_bounds(
      integers::testing::Client<bfv::Scheme>(integers::testing::parameters_of<bfv::Scheme>(two, 65537), "", {}));
  expect_within_bounds(
      integers::testing::Client<bgv::Scheme>(integers::testing::parameters_of<bgv::Scheme>(two, 65537), "", {}));
}

TEST(PublicEncryptions, WithoutASpecialPrimeKeepTheErrorOfTheProducts) {
  ckks::testing::choose_seed(34);
  ckks::testing::Shape shape;
  shape.special = 0;
  const ckks::Context context(ckks::testing::parameters_of(shape));
  const KeyGenerator generator(context);
  const PublicKey open = generator.create_public_key();
  EXPECT_EQ(open.state()->pair.limbs(), context.keys().state()->chain.data());
  EXPECT_EQ(context.keys().state()->noise.of_public_keys(), Origin::fresh_public);
  const Measured m = measured(open, generator.secret_key(), 2, Origin::fresh_public);
  EXPECT_LT(m.norm, m.bound);
}

TEST(PublicEncryptions, UseTheSpecialPrimeNextToTheDataPrimes) {
  const Chain chain{.auxiliary_limbs = 4, .special_limbs = 2, .data_limbs = 3};
  EXPECT_EQ(chain.last_special(), (Limbs{5, 1}));
  EXPECT_EQ(chain.under_public(1), (Limbs{5, 3}));
  const Chain none{.auxiliary_limbs = 4, .special_limbs = 0, .data_limbs = 3};
  EXPECT_EQ(none.last_special(), (Limbs{4, 0}));
  EXPECT_EQ(none.under_public(2), (Limbs{4, 3}));
}

}  // namespace
}  // namespace ringfort
