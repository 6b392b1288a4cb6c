// SPDX-License-Identifier: Apache-2.0
// Tests that decrypt_counts equals a plain count of matches, for every preset, in each mode that the preset allows.
#include <gtest/gtest.h>

#include <random>

#include "ringfort/error.h"
#include "support/rgsw.h"

namespace ringfort::rgsw {
namespace {

using testing::Client;
using testing::Corpus;

std::vector<u32> search(Client& client, const Corpus& corpus, u64 query, const SearchPlan& plan) {
  MatchSum total(client.context, plan);
  for (const auto& word : corpus.words) {
    const EncryptedBits bits = client.encrypt(testing::hash_bits(word.hash, plan.factors));
    client.search.add_match(total, {&bits, 0, word.document}, testing::pattern(query, plan.factors));
  }
  return client.counts(client.search.make_answer(total));
}

class EveryPreset : public ::testing::TestWithParam<testing::Case> {};

TEST_P(EveryPreset, CountsPerDocumentEqualPlainCounting) {
  testing::choose_seed(11);
  Client client(GetParam());
  const u32 bits = client.context.parameters().digits > 8 ? 6 : 12,
            words = client.context.parameters().digits > 8 ? 8 : 24;
  const Corpus corpus = testing::random_corpus(words, 4, 3, client.context.parameters().n);
  const u64 query = corpus.words[0].hash;
  const SearchPlan plan = plan_search(client.context.parameters(), client.mode, corpus.words.size(), 8, bits, 16);
  EXPECT_EQ(search(client, corpus, query, plan), corpus.counts(query, bits)) << GetParam();
  EXPECT_EQ(search(client, corpus, ~query, plan), corpus.counts(~query, bits)) << GetParam();
}

TEST_P(EveryPreset, OneBitPatternsNeedNoProduct) {
  testing::choose_seed(12);
  Client client(GetParam());
  const Corpus corpus = testing::random_corpus(12, 4, 6, client.context.parameters().n);
  const SearchPlan plan = plan_search(client.context.parameters(), client.mode, 12, 12, 1, 16);
  for (const u64 query : {u64{0}, u64{1}})
    EXPECT_EQ(search(client, corpus, query, plan), corpus.counts(query, 1)) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Presets, EveryPreset, ::testing::ValuesIn(testing::all_cases()), testing::case_name);

}  // namespace
}  // namespace ringfort::rgsw
