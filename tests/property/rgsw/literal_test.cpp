// SPDX-License-Identifier: Apache-2.0
// Tests that the search with full matrix products (the engine `literal`, as in the paper [MartinsSousa16]) gives the
// same ciphertext, bit for bit, as the engine `row`, which computes one row of each product. The product is computed in
// blocks of several sizes, on several numbers of threads, and also word by word in scalar code.
#include <gtest/gtest.h>

#include "bench/sequential_match.h"
#include "ringfort/error.h"
#include "support/rgsw.h"

namespace ringfort::rgsw::literal_test {
namespace {

using testing::Client;

// Returns the paper's gadget over a small ring, so that whole searches take milliseconds.
Parameters small_literal() {
  Parameters p = preset("paper-gsw", true);
  p.name = "small literal";
  p.n = ringfort::testing::small_degree(16);
  return p;
}

struct SmallSearch {
  SmallSearch()
      : client((testing::choose_seed(21), small_literal()), Mode::secret_key),
        plan(plan_search(client.context.parameters(), Mode::secret_key, 3, 3, 6, 4)) {
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
  std::vector<EncryptedBits> encrypted;
  std::vector<u32> documents;
  std::vector<EncryptedWord> words;

  Answer literal(const Grid& grid, unsigned threads, std::size_t side_by_side) {
    const SearchEvaluator search(client.context, threads);
    MatchSum total(client.context, plan, Engine::literal);
    for (std::size_t at = 0; at < words.size(); at += side_by_side) {
      const auto batch = std::span<const EncryptedWord>(words).subspan(at, std::min(side_by_side, words.size() - at));
      search.add_matches_literal(total, batch, testing::pattern(query, 6), grid);
    }
    return client.search.make_answer(total);
  }
  Answer row() {
    MatchSum total(client.context, plan);
    for (const EncryptedWord& word : words) client.search.add_match(total, word, testing::pattern(query, 6));
    return client.search.make_answer(total);
  }
};

bool same(const Answer& a, const Answer& b) { return a.c0 == b.c0 && a.c1 == b.c1 && a.words == b.words; }

TEST(Literal, EveryGridAndThreadNumberGivesTheRowEnginesCiphertext) {
  SmallSearch s;
  const Answer expected = s.row();
  std::vector<u32> counts(small_literal().n);
  counts[0] = 2;
  EXPECT_EQ(s.client.counts(expected), counts);
  const std::pair<Grid, unsigned> cases[] = {{{1, 1}, 1}, {{2, 16}, 2}, {{16, 15}, 7}, {{3, 62}, 1}, {{5, 7}, 2}};
  for (const auto& [grid, threads] : cases) {
    for (const std::size_t side_by_side : {1, 3}) {
      EXPECT_TRUE(same(s.literal(grid, threads, side_by_side), expected))
          << grid.x << "x" << grid.y << " threads=" << threads << " s=" << side_by_side;
    }
  }
}

// Computes sum += x^document match modulo x^n + 1. `sum` and `match` have the polynomials c0 and c1 of one row.
void add_rotated(std::vector<u64>& sum, std::span<const u64> match, u32 document, const Parameters& p) {
  for (u32 c = 0; c < 2; ++c) {
    for (u32 i = 0; i < p.n; ++i) {
      const u32 to = i + document;
      const u64 word = match[c * p.n + i], signed_word = to < p.n || word == 0 ? word : p.q - word;
      u64& at = sum[c * p.n + to % p.n];
      at = (at + signed_word) % p.q;
    }
  }
}

TEST(Literal, SequentialBaselineGivesTheSameCiphertext) {
  SmallSearch s;
  const Parameters& p = s.client.context.parameters();
  MatchSum engines(s.client.context, s.plan, Engine::literal);
  s.client.search.add_matches_literal(engines, s.words, testing::pattern(s.query, 6));
  std::vector<u64> sum(2 * p.n);
  for (const EncryptedWord& word : s.words) {
    const bench::SequentialMatch match =
        bench::match_sequentially(s.client.context, word, testing::pattern(s.query, 6), 6);
    EXPECT_GT(match.seconds, 0);
    add_rotated(sum, std::span(match.matrix).subspan(2 * std::size_t{p.n} * engines.state().first.row, 2 * p.n),
                word.document, p);
  }
  EXPECT_EQ(testing::coefficients_of(engines), sum);
}

TEST(Literal, MoreWordsSideBySideThanMemoryIsPlannedForAreRefused) {
  SmallSearch s;
  const SearchPlan plan = plan_search(s.client.context.parameters(), s.client.mode, 4097, 1, 1, 2);
  MatchSum total(s.client.context, plan, Engine::literal);
  const std::vector<EncryptedWord> words(4097, s.words[0]);
  try {
    s.client.search.add_matches_literal(total, words, testing::pattern(1, 1), {});
    FAIL();
  } catch (const Error& e) { EXPECT_EQ(e.code(), Code::invalid_argument) << e.what(); }
  EXPECT_EQ(total.words(), 0u);
}

TEST(Literal, IsRefusedWhereThePresetDoesNotOfferIt) {
  Client client(testing::tiny(), Mode::secret_key);
  const SearchPlan plan = plan_search(client.context.parameters(), Mode::secret_key, 3, 3, 6, 4);
  try {
    MatchSum total(client.context, plan, Engine::literal);
    FAIL();
  } catch (const Error& e) { EXPECT_EQ(e.code(), Code::mode_forbidden); }
}

}  // namespace
}  // namespace ringfort::rgsw::literal_test
