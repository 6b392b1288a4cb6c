// SPDX-License-Identifier: Apache-2.0
// The full matrix product, blocked in any way, on any number of threads, and word by word in scalar code, gives the same
// ciphertext as the row engine, bit for bit.
#include <gtest/gtest.h>

#include "ringfort/error.h"
#include "support/rgsw.h"

namespace ringfort::rgsw {
namespace {

using testing::Client;

// The paper's gadget over a small ring, so that whole searches take milliseconds.
Parameters small_literal() {
  Parameters p = preset("paper-gsw", true);
  p.name = "small literal";
  p.n = 16;
  return p;
}

struct SmallSearch {
  SmallSearch() : client((testing::choose_seed(21), small_literal()), Mode::secret_key), plan(plan_search(client.context.parameters(), Mode::secret_key, 3, 3, 6, 4)) {
    const u64 hashes[] = {query, query ^ 4, query};
    for (u32 i = 0; i < 3; ++i) {
      encrypted.push_back(client.encrypt(testing::hash_bits(hashes[i], 6)));
      documents.push_back(i == 2 ? 0 : 5 * i);
    }
    for (u32 i = 0; i < 3; ++i) words.push_back({&encrypted[i], 0, documents[i]});
  }
  static constexpr u64 query = 0b101101;
  Client client;
  SearchPlan plan;
  std::vector<Bits> encrypted;
  std::vector<u32> documents;
  std::vector<EncryptedWord> words;

  Answer literal(const Grid& grid, std::size_t side_by_side) {
    Total total(client.context, plan, Engine::literal);
    for (std::size_t at = 0; at < words.size(); at += side_by_side) {
      const auto part = std::span<const EncryptedWord>(words).subspan(at, std::min(side_by_side, words.size() - at));
      add_matches_literal(total, part, testing::pattern(query, 6), grid, client.worker);
    }
    return finish(total, client.worker);
  }
  Answer row() {
    Total total(client.context, plan);
    for (const EncryptedWord& word : words) add_match(total, word, testing::pattern(query, 6), client.worker);
    return finish(total, client.worker);
  }
};

bool same(const Answer& a, const Answer& b) { return a.c0 == b.c0 && a.c1 == b.c1 && a.words == b.words; }

TEST(Literal, EveryGridAndThreadNumberGivesTheRowEnginesCiphertext) {
  SmallSearch s;
  const Answer expected = s.row();
  std::vector<u32> counts(16);
  counts[0] = 2;
  EXPECT_EQ(decrypt_counts(s.client.secret, expected), counts);
  for (const Grid grid : {Grid{1, 1, 1}, Grid{2, 16, 2}, Grid{16, 15, 7}, Grid{3, 62, 1}, Grid{5, 7, 2}}) {
    for (const std::size_t side_by_side : {1, 3}) {
      EXPECT_TRUE(same(s.literal(grid, side_by_side), expected)) << grid.x << "x" << grid.y << " threads=" << grid.threads << " s=" << side_by_side;
    }
  }
}

TEST(Literal, SequentialBaselineGivesTheSameCiphertext) {
  SmallSearch s;
  Total total(s.client.context, s.plan, Engine::literal);
  EXPECT_GT(add_match_sequential(total, s.words[0], testing::pattern(s.query, 6), 1, s.client.worker), 0);   // adds nothing
  for (const EncryptedWord& word : s.words) EXPECT_GT(add_match_sequential(total, word, testing::pattern(s.query, 6), 6, s.client.worker), 0);
  EXPECT_TRUE(same(finish(total, s.client.worker), s.row()));
}

TEST(Literal, MoreWordsSideBySideThanMemoryIsPlannedForAreRefused) {
  SmallSearch s;
  const SearchPlan plan = plan_search(s.client.context.parameters(), s.client.mode, 4097, 1, 1, 2);
  Total total(s.client.context, plan, Engine::literal);
  const std::vector<EncryptedWord> words(4097, s.words[0]);
  try {
    add_matches_literal(total, words, testing::pattern(1, 1), {}, s.client.worker);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::invalid_argument) << e.what();
  }
  EXPECT_EQ(total.words(), 0u);
}

TEST(Literal, IsRefusedWhereThePresetDoesNotOfferIt) {
  Client client(testing::tiny(), Mode::secret_key);
  const SearchPlan plan = plan_search(client.context.parameters(), Mode::secret_key, 3, 3, 6, 4);
  try {
    Total total(client.context, plan, Engine::literal);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::mode_forbidden);
  }
}

}  // namespace
}  // namespace ringfort::rgsw
