// SPDX-License-Identifier: Apache-2.0
// Tests the check whether public keys belong to a secret key. The check computes the errors in the keys with this
// secret. They must be at most 21. Keys from the same generator pass. Keys of another secret and changed keys fail,
// even if they claim the key id of this secret.
#include "rlwe/key_check.h"

#include "rlwe/wire.h"
#include "support/integers.h"
#include "support/refused.h"

namespace ringfort {
namespace {

using testing::expect_refused;

// The limbs of polynomials, in the order of a file.
using Stored = std::vector<std::vector<u64>>;

struct Change {
  std::size_t limb;
  std::function<u64(u64 residue, u64 q, std::size_t at)> to;
};

wire::LimbSink keep_in(Stored& stored) {
  return [&stored](u64, std::span<const u64> residues) { stored.emplace_back(residues.begin(), residues.end()); };
}

wire::LimbSource changed(const Stored& stored, std::size_t& next, const Change& change) {
  return [&stored, &next, change](u64 q, std::span<u64> residues) {
    for (std::size_t i = 0; i < residues.size(); ++i)
      residues[i] = next == change.limb ? change.to(stored[next][i], q, i) : stored[next][i];
    ++next;
    return true;
  };
}

template <class Client>
PublicKey with(const Client& client, const PublicKey& key, const Change& change, u64 id) {
  Stored stored;
  std::size_t next = 0;
  wire::export_public_key(key, keep_in(stored));
  return wire::import_public_key(client.context.keys().state(), {id, *key.state()->seed}, key.state()->origin(),
                                 changed(stored, next, change))
      .take();
}

template <class Client>
KeySwitchingKey with(const Client& client, const KeySwitchingKey& key, const Change& change) {
  const KeyContext::State& c = *client.context.keys().state();
  Stored stored;
  std::size_t next = 0;
  wire::export_key_switching_key(c, key, keep_in(stored));
  return wire::import_key_switching_key(c, *key.seed, changed(stored, next, change)).take();
}

std::size_t count_limbs(const KeySwitchingKey& key) {
  return std::size_t{key.rows.batch() / 2} * key.rows.limbs().count;
}

const Change kNone{~std::size_t{0}, {}};
Change first_residue(std::size_t limb) {
  return {limb, [](u64 r, u64 q, std::size_t at) { return at == 0 ? (r + 1) % q : r; }};
}
// Adds 1 to every evaluation, modulo one prime only. This adds 1 to the constant coefficient.
Change constant(std::size_t limb) {
  return {limb, [](u64 r, u64 q, std::size_t) { return (r + 1) % q; }};
}

template <class Client>
void expect_only_its_own(const Client& client) {
  const SecretKey& secret = client.generator.secret_key();
  const u64 id = secret.state()->id;
  const auto& context = client.context.keys().state();
  require_matching(secret, client.open);
  require_matching(secret, client.relinearization);
  require_matching(secret, client.galois);
  const KeyGenerator other(client.context);
  const PublicKey foreign = other.create_public_key();
  EXPECT_TRUE(same_identity(secret, client.open));
  EXPECT_FALSE(same_identity(secret, foreign));
  expect_refused(Code::parameters_mismatch, [&] { require_matching(secret, foreign); }, "the public key");
  const PublicKey posing = with(client, foreign, kNone, id);
  EXPECT_TRUE(same_identity(secret, posing));
  expect_refused(Code::parameters_mismatch, [&] { require_matching(secret, posing); }, "the public key");
  for (std::size_t limb = 0; limb < client.open.state()->pair.limbs().count; ++limb) {
    for (const Change& change : {first_residue(limb), constant(limb)}) {
      expect_refused(
          Code::parameters_mismatch, [&] { require_matching(secret, with(client, client.open, change, id)); },
          "the public key");
    }
  }
  const auto relinearization = [&](const KeySwitchingKey& key, const Change& change) {
    return RelinearizationKey(
        std::make_shared<RelinearizationKey::State>(RelinearizationKey::State{context, id, with(client, key, change)}));
  };
  const KeySwitchingKey& own = client.relinearization.state()->key;
  require_matching(secret, relinearization(own, kNone));
  expect_refused(
      Code::parameters_mismatch,
      [&] { require_matching(secret, relinearization(other.create_relinearization_key().state()->key, kNone)); },
      "relinearization");
  expect_refused(
      Code::parameters_mismatch,
      [&] { require_matching(secret, relinearization(client.galois.state()->keys.begin()->second, kNone)); },
      "relinearization");
  for (std::size_t limb = 0; limb < count_limbs(own); ++limb) {
    for (const Change& change : {first_residue(limb), constant(limb)}) {
      expect_refused(
          Code::parameters_mismatch, [&] { require_matching(secret, relinearization(own, change)); },
          "relinearization");
    }
  }
  const auto galois = [&](u32 element, const KeySwitchingKey& key, const Change& change) {
    auto state = std::make_shared<GaloisKeys::State>(GaloisKeys::State{context, id, client.galois.plan(), {}});
    for (const auto& [g, genuine] : client.galois.state()->keys)
      state->keys.emplace(g, g == element ? with(client, key, change) : with(client, genuine, kNone));
    return GaloisKeys(std::move(state));
  };
  for (const auto& [element, key] : client.galois.state()->keys) {
    expect_refused(
        Code::parameters_mismatch,
        [&] { require_matching(secret, galois(element, key, first_residue(count_limbs(key) - 1))); }, "the key of");
    expect_refused(
        Code::parameters_mismatch, [&] { require_matching(secret, galois(element, own, kNone)); }, "the key of");
  }
}

TEST(KeyCheck, TakesTheKeysOfASecretAndNoOthers) {
  ckks::testing::choose_seed(121);
  expect_only_its_own(ckks::testing::Client(ckks::testing::parameters_of({}), "", {1, -3}));
  expect_only_its_own(ckks::testing::Client(ckks::testing::parameters_of(ckks::testing::short_words()), "", {2}));
  expect_only_its_own(integers::testing::Client<bfv::Scheme>(
      integers::testing::parameters_of<bfv::Scheme>(integers::testing::bfv_shape()), "", {1}));
  expect_only_its_own(integers::testing::Client<bgv::Scheme>(
      integers::testing::parameters_of<bgv::Scheme>(integers::testing::bgv_shape()), "", {1}));
  expect_only_its_own(integers::testing::Client<bgv::Scheme>(
      integers::testing::parameters_of<bgv::Scheme>(integers::testing::short_words()), "", {-1}));
}

TEST(KeyCheck, AnErrorIsAtMostTwentyOneAndTheSameModuloEveryPrime) {
  const ckks::testing::Client client(ckks::testing::parameters_of({}), "", {});
  const Ring& ring = client.context.keys().state()->ring;
  const Limbs limbs = ring.limbs();
  std::vector<u64> residues(std::size_t{limbs.count} * ring.n());
  const auto put = [&](u32 at, i64 value, u32 first, u32 end) {
    for (u32 k = first; k < end; ++k) {
      const u64 q = ring.basis()[limbs.first + k].value();
      residues[std::size_t{k} * ring.n() + at] = value < 0 ? q - static_cast<u64>(-value) : static_cast<u64>(value);
    }
  };
  for (i64 e = -21; e <= 21; ++e) put(static_cast<u32>(e + 21), e, 0, limbs.count);
  EXPECT_TRUE(is_error(ring, limbs, residues));
  for (const i64 e : {-22, 22, 43, -43, 1000}) {
    put(50, e, 0, limbs.count);
    EXPECT_FALSE(is_error(ring, limbs, residues)) << e;
    put(50, 0, 0, limbs.count);
  }
  for (u32 k = 0; k < limbs.count; ++k) {
    put(63, 3, k, k + 1);
    EXPECT_FALSE(is_error(ring, limbs, residues)) << k;
    put(63, 0, k, k + 1);
  }
}

TEST(KeyCheck, EveryKeyOfManyGeneratorsPasses) {
  ckks::testing::choose_seed(122);
  for (int i = 0; i < 20; ++i) {
    const ckks::testing::Client client(ckks::testing::parameters_of({}), "", {1});
    require_matching(client.generator.secret_key(), client.open);
    require_matching(client.generator.secret_key(), client.relinearization);
    require_matching(client.generator.secret_key(), client.galois);
  }
}

}  // namespace
}  // namespace ringfort
