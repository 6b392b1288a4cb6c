// SPDX-License-Identifier: Apache-2.0
// Lets the k-th allocation fail, for every k, in key generation, encryption, search, import and decryption. A call that
// fails must throw or return the right error, and leave no incomplete object. The same context must work afterwards.
#include <gtest/gtest.h>

#include "ringfort/error.h"
#include "scheme/rgsw/wire.h"
#include "support/allocation.h"
#include "support/rgsw.h"

namespace ringfort::rgsw {
namespace {

using testing::Client;

// Returns true if the operation ran. If it did not, it must have run out of memory.
template <class F>
bool ran(F operation) {
  try {
    operation();
    return true;
  } catch (const std::bad_alloc&) {
  } catch (const Error& e) { EXPECT_EQ(e.code(), Code::out_of_memory) << e.what(); }
  return false;
}

TEST(RgswAllocation, WholeSearchesFailCleanlyAtEveryAllocation) {
  ASSERT_TRUE(ringfort::testing::allocations_are_fault_points());
  std::vector<u32> expected(32), counts;
  expected[1] = 1;
  const auto failures = ringfort::testing::fail_every_allocation([&](u64 k) {
    testing::choose_seed(k);
    counts.clear();
    const bool done = ran([&] {
      Client client(testing::tiny(), Mode::public_key, "ref");
      const SearchPlan plan = plan_search(client.context.parameters(), client.mode, 2, 2, 3, 16);
      MatchSum total(client.context, plan), other(client.context, plan);
      const EncryptedBits first = client.encrypt(std::vector<u8>{1, 0, 1});
      const EncryptedBits second = client.encrypt(std::vector<u8>{1, 0, 1});
      client.search.add_match(total, {&first, 0, 1}, testing::pattern(5, 3));
      client.search.add_match(other, {&second, 0, 2}, testing::pattern(2, 3));
      client.search.merge(total, other);
      counts = client.counts(client.search.make_answer(total));
    });
    if (done || !counts.empty()) { EXPECT_EQ(counts, expected) << "k=" << k; }
    return done;
  });
  EXPECT_GT(failures.count, 50u);
  EXPECT_TRUE(failures.are_mostly_reported()) << failures.unreported.size();
  EXPECT_EQ(counts, expected);
}

TEST(RgswAllocation, ImportAndEncryptLeaveAnEmptyBatchThatCanBeUsedAgain) {
  testing::choose_seed(2);
  Client client(testing::tiny(), Mode::secret_key, "ref");
  const std::vector<u8> plain = {1, 0};
  const EncryptedBits bits = client.encrypt(plain);
  std::vector<u64> words(2 * exported_words(client.context.parameters(), Mode::secret_key));
  export_bits(bits, words);
  const PublicSeed seed = public_seed(bits);
  const std::vector<u32> indices = {0, 1};
  const Encryptor encryptor = client.encryptor();
  std::optional<EncryptedBits> slots[2];
  const auto attempts = ringfort::testing::fail_every_allocation([&](u64 k) {
    if (!ran([&] {
          slots[0].emplace();
          slots[1].emplace();
        }))
      return false;
    EncryptedBits &imported = *slots[0], &ciphertext = *slots[1];
    bool came_in = false, encrypted = false;
    ran([&] { came_in = import_bits(imported, client.context, {Mode::secret_key, seed, indices, words}).ok(); });
    ran([&] {
      encryptor.encrypt_into(ciphertext, plain);
      encrypted = true;
    });
    EXPECT_EQ(imported.size(), came_in ? 2u : 0u) << "k=" << k;
    EXPECT_EQ(ciphertext.size(), encrypted ? 2u : 0u) << "k=" << k;
    if (!came_in) { EXPECT_THROW((void)client.evaluator.negate(imported), Error) << "k=" << k; }
    if (!encrypted) { EXPECT_THROW((void)client.evaluator.negate(ciphertext), Error) << "k=" << k; }
    return came_in && encrypted;
  });
  EXPECT_GT(attempts.count, 2u);
  EXPECT_EQ(attempts.unreported, std::vector<u64>());
  EncryptedBits again;
  ASSERT_TRUE(import_bits(again, client.context, {Mode::secret_key, seed, indices, words}).ok());
  EXPECT_EQ(client.decrypt(again), plain);
}

}  // namespace
}  // namespace ringfort::rgsw
