// SPDX-License-Identifier: Apache-2.0
// A phase (what decryption computes before it rounds) together with its ciphertext reveals the key. An error together
// with its ciphertext reveals the key too. The tests check that no memory of the process contains a phase after a
// decryption, or an error after an encryption. They also check that no core dump contains the key, and that a key that
// was sent to another device leaves nothing there.
#include <cstring>

#include "math/random.h"
#include "rlwe/encryption.h"
#include "support/integers.h"
#include "support/memory_scan.h"

namespace ringfort {
namespace {

constexpr u32 kFirst = 7, kWords = 8;  // the search looks for these coefficients

template <class W, class From>
std::vector<u8> complement(std::span<const From> words) {
  std::vector<u8> bytes(kWords * sizeof(W));
  for (u32 i = 0; i < kWords; ++i) {
    const W word = static_cast<W>(~static_cast<W>(words[kFirst + i]));
    std::memcpy(bytes.data() + i * sizeof(W), &word, sizeof(W));
  }
  return bytes;
}

struct Patterns {
  std::vector<u8> wide, narrow;
  void expect(std::size_t most_wide) const {
    EXPECT_EQ(testing::occurrences_in_memory(wide), most_wide);
    EXPECT_EQ(testing::occurrences_in_memory(narrow), 0u);
  }
};

// Returns the search patterns for the first limb of a phase in the coefficient domain.
Patterns phase_patterns(const RlweCiphertext& ciphertext, const SecretKey& key) {
  const KeyContext::State& k = *ciphertext.context;
  const auto work = k.workspace();
  const Cleared cleared(*work);
  Secret<u64> words(k.p.n);
  const Scratch<Eval> sum = phase(ciphertext, *key.state(), ciphertext.level, *work);
  k.ring.download(work->stream, k.ring.inverse(work->stream, sum.limbs({sum.all().limbs().first, 1})), words.span(),
                  work->staging);
  return {complement<u64, u64>(words.span()), complement<u32, u64>(words.span())};
}

TEST(LeveledSecrets, NoPhaseIsLeftAfterDecryption) {
  for (const ckks::testing::Shape& shape : {ckks::testing::Shape{}, ckks::testing::short_words()}) {
    ckks::testing::choose_seed(91);
    const ckks::testing::Client client(ckks::testing::parameters_of(shape),
                                       "cpu");  // other devices may zero their memory later
    const auto c = client.encrypt(ckks::testing::random_values(32, 1));
    const Patterns patterns = phase_patterns(c.state().rlwe, client.generator.secret_key());
    (void)client.decrypt(c);
    patterns.expect(0);
  }
}

TEST(LeveledSecrets, NoPhaseOfIntegersIsLeftAfterDecryption) {
  ckks::testing::choose_seed(92);
  const integers::testing::Client<bgv::Scheme> client(
      integers::testing::parameters_of<bgv::Scheme>(integers::testing::bgv_shape()), "cpu");
  const auto c = client.encrypt(integers::testing::random_values(64, 257, 1));
  const Patterns patterns = phase_patterns(c.state().rlwe, client.generator.secret_key());
  (void)client.decrypt(c);
  patterns.expect(0);
}

TEST(LeveledSecrets, NoErrorOfAnEncryptionIsLeft) {
  ckks::testing::choose_seed(93);
  const ckks::testing::Client client(ckks::testing::parameters_of({}), "cpu");
  const auto zero = client.encoder.encode(ckks::testing::Values(32, 0.0));
  const auto c = client.encryptor.encrypt(zero);
  // the phase of zero is the error
  const Patterns patterns = phase_patterns(c.state().rlwe, client.generator.secret_key());
  patterns.expect(0);
}

// Core dumps must not contain the evaluations of the key, or any value derived from them. An attacker who finds them
// needs only one inverse transform of one limb to get the key.
TEST(LeveledSecrets, NoCoreDumpHoldsASecretKey) {
  for (const ckks::testing::Shape& shape : {ckks::testing::Shape{.n = 1024}, ckks::testing::short_words()}) {
    ckks::testing::choose_seed(95);
    const ckks::testing::Client client(ckks::testing::parameters_of(shape));
    const SecretKey& secret = client.generator.secret_key();
    const KeyContext::State& k = *client.context.keys().state();
    (void)client.decrypt(client.encrypt(ckks::testing::random_values(32, 1)));
    for (u32 limb = k.chain.special().first; limb < k.chain.data().end(); ++limb) {
      Secret<u64> words(k.p.n);
      Staging staging(k.p.n);
      k.ring.read(secret.state()->ntt_form, 0, {limb, 1}, words.span(), staging);
      const std::vector<u8> wide = complement<u64, u64>(words.span()), narrow = complement<u32, u64>(words.span());
      EXPECT_GE(testing::occurrences_in_memory(wide) + testing::occurrences_in_memory(narrow), 1u)
          << "the search must find the key in memory";
      EXPECT_EQ(testing::dumped_mappings_with(wide) + testing::dumped_mappings_with(narrow), "") << "limb " << limb;
    }
  }
}

// On their way to the other device, the evaluations of the key pass through the host.
TEST(LeveledSecrets, AKeyThatWasSentToAnotherDeviceLeavesNothingThere) {
  ckks::testing::choose_seed(94);
  const ckks::testing::Client client(ckks::testing::parameters_of({}));
  const ckks::Context there(client.context.parameters(), "ref");
  const SecretKey& secret = client.generator.secret_key();
  const KeyContext::State& k = *client.context.keys().state();
  Secret<u64> words(k.p.n);
  Staging staging(k.p.n);
  k.ring.read(secret.state()->ntt_form, 0, {k.chain.special().end(), 1}, words.span(), staging);
  staging.clear();
  const std::vector<u8> pattern = complement<u64, u64>(words.span());
  words = {};
  const std::size_t at_home = testing::occurrences_in_memory(pattern);
  const auto c = client.encrypt(ckks::testing::random_values(32, 1)).to(there);
  {
    const SecretKey sent = secret.to(there);
    (void)ckks::Decryptor(there, sent).decrypt(c);
    EXPECT_EQ(testing::occurrences_in_memory(pattern), at_home + 1);
  }
  EXPECT_EQ(testing::occurrences_in_memory(pattern), at_home);
}

}  // namespace
}  // namespace ringfort
