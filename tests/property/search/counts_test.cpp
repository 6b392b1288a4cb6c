// SPDX-License-Identifier: Apache-2.0
// From text to counts and back with real encryption: what comes out is what counting equal patterns gives, for every
// engine, number of threads, code, kind of key and way of answering.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/search.h"

namespace ringfort::search::testing {
namespace {

std::vector<std::uint32_t> ask(Server& server, const io::Keys& keys, const std::string& word, const SearchOptions& options = {}) {
  return decrypt(keys, server.search(make_query(keys, word), options));
}

TEST(WordSearch, CountsOfEveryDocumentEqualPlainCounting_ThreeBlocks) {
  choose_seed(1);
  const Folder folder;
  const auto keys = make_keys(tiny(), 32);
  const auto documents = random_documents(7, 70, 4, 40);            // n = 32: three answers
  make_index(folder / "index", keys, documents);
  Server server(folder / "index");
  EXPECT_EQ(server.index().documents(), 70U);
  for (int w = 0; w < 16; ++w) {
    const std::string word = "word" + std::to_string(w);
    EXPECT_EQ(ask(server, keys, word), plain_counts(documents, word)) << word;
  }
}

TEST(WordSearch, OneTotalIsTheSumOfTheCounts) {
  choose_seed(2);
  const Folder folder;
  const auto keys = make_keys(tiny(), 32);
  const auto documents = random_documents(8, 50, 5, 20);
  make_index(folder / "index", keys, documents);
  Server server(folder / "index");
  SearchOptions total;
  total.total = true;
  for (const std::string word : {"word0", "word7", "absent"}) {
    const auto counts = plain_counts(documents, word);
    EXPECT_EQ(ask(server, keys, word, total), std::vector<std::uint32_t>{std::accumulate(counts.begin(), counts.end(), 0U)}) << word;
  }
}

TEST(WordSearch, ConstantWeightCodeAndSenderKeysCountAlike) {
  choose_seed(3);
  const auto documents = random_documents(9, 20, 4, 15);
  for (const bool constant_weight : {false, true}) {
    for (const bool as_sender : {false, true}) {
      const Folder folder;
      const auto keys = make_keys(tiny(64), constant_weight ? 64 : 24, constant_weight);
      make_index(folder / "index", keys, documents, {1, as_sender});
      Server server(folder / "index");
      EXPECT_EQ(server.index().mode(), as_sender ? rgsw::Mode::public_key : rgsw::Mode::secret_key);
      for (const std::string word : {"word1", "word2", "word14", "absent"}) {
        EXPECT_EQ(ask(server, keys, word), plain_counts(documents, word)) << word << " cw " << constant_weight << " sender " << as_sender;
      }
    }
  }
}

TEST(WordSearch, AnswersAreBitIdenticalForOneTwoAndSevenThreads) {
  choose_seed(4);
  const Folder folder;
  const auto keys = make_keys(tiny(), 32);
  make_index(folder / "index", keys, random_documents(10, 40, 6, 30));
  Server server(folder / "index");
  SearchOptions options;
  const auto query = make_query(keys, "word3");
  const auto once = server.search(query, options);
  for (const unsigned threads : {2U, 7U}) {
    options.threads = threads;
    const auto again = server.search(query, options);
    ASSERT_EQ(again.blocks.size(), once.blocks.size());
    for (std::size_t b = 0; b < once.blocks.size(); ++b) {
      EXPECT_EQ(again.blocks[b].c0, once.blocks[b].c0) << threads << " threads";
      EXPECT_EQ(again.blocks[b].c1, once.blocks[b].c1) << threads << " threads";
    }
  }
}

TEST(WordSearch, PreparedWordsGiveTheSameAnswerAsStreamedOnes) {
  choose_seed(5);
  const Folder folder;
  for (const bool constant_weight : {false, true}) {
    const auto keys = make_keys(tiny(), constant_weight ? 64 : 16, constant_weight);
    const std::string index = folder / (constant_weight ? "weighted" : "plain");
    make_index(index, keys, random_documents(11, 12, 5, 10));
    Server server(index);
    const auto query = make_query(keys, "word5");
    const auto streamed = server.search(query, {});
    SearchOptions options;
    options.memory_bytes = 1 << 20;                                   // some words, not all
    const auto mixed = server.search(query, options);
    const auto warm = server.search(query, options);
    EXPECT_GT(server.report().prepared_words, 0U);
    EXPECT_LT(server.report().prepared_words, server.index().words());
    EXPECT_EQ(streamed.blocks[0].c0, mixed.blocks[0].c0);
    EXPECT_EQ(streamed.blocks[0].c1, warm.blocks[0].c1);
  }
}

TEST(WordSearch, LiteralSequentialAndRowEnginesCountTheSame) {
  choose_seed(6);
  const Folder folder;
  const auto keys = make_keys(tiny_literal(), 8);
  const auto documents = random_documents(12, 3, 2, 4);
  make_index(folder / "index", keys, documents);
  Server server(folder / "index");
  for (const std::string word : {"word0", "word1", "word2", "word3"}) {
    SearchOptions options;
    const auto wanted = pattern_counts(keys, documents, word);
    EXPECT_EQ(ask(server, keys, word, options), wanted) << word << " row";
    options.engine = Engine::literal;
    options.words_at_once = 4;
    EXPECT_EQ(ask(server, keys, word, options), wanted) << word << " literal";
    options.threads = 2;
    options.memory_bytes = 1 << 20;
    EXPECT_EQ(ask(server, keys, word, options), wanted) << word << " literal, prepared, two threads";
    if (word != "word0") continue;
    options.engine = Engine::sequential;
    EXPECT_EQ(ask(server, keys, word, options), wanted) << word << " sequential";
  }
}

// Real encryption of 240 words at 8 and 12 hash bits, 60 queries each: counts equal those of equal patterns.
TEST(WordSearch, ShortHashesCountExactlyTheEqualPatterns) {
  for (const std::uint32_t hash_bits : {8U, 12U}) {
    choose_seed(hash_bits);
    const Folder folder;
    const auto keys = make_keys(tiny(), hash_bits);
    const auto documents = random_documents(13, 30, 8, 400);
    make_index(folder / "index", keys, documents);
    Server server(folder / "index");
    for (int w = 0; w < 60; ++w) {
      const std::string word = (w % 2 == 0 ? "word" : "absent") + std::to_string(w);
      EXPECT_EQ(ask(server, keys, word), pattern_counts(keys, documents, word)) << word << " at " << hash_bits << " bits";
    }
  }
}

// The patterns alone, 1000 words that are there and 1000 that are not: what the encrypted count is proven equal to above.
TEST(WordSearch, FalsePositivesAreWithinThreeSigmaOfPredictionAndNoneAt32Bits) {
  choose_seed(99);
  const std::uint32_t present = 1000, absent = 1000;
  for (const std::uint32_t hash_bits : {8U, 12U, 32U}) {
    const auto keys = make_keys(tiny(), hash_bits);
    std::map<std::uint64_t, std::uint32_t> held;
    for (std::uint32_t i = 0; i < present; ++i) ++held[pattern_of(keys.profile(), keys.word_key(), "present" + std::to_string(i))];
    double accidental = 0;
    for (std::uint32_t i = 0; i < present; ++i) {
      const auto found = held[pattern_of(keys.profile(), keys.word_key(), "present" + std::to_string(i))];
      ASSERT_GE(found, 1U) << "a false negative at " << hash_bits << " bits";
      accidental += found - 1;
    }
    for (std::uint32_t i = 0; i < absent; ++i) {
      const auto at = held.find(pattern_of(keys.profile(), keys.word_key(), "absent" + std::to_string(i)));
      accidental += at == held.end() ? 0 : at->second;
    }
    const double p = std::ldexp(1.0, -static_cast<int>(hash_bits));
    // Pairs of an asked and another held word; each pair of present words is counted from both sides.
    const double pairs = 1.0 * present * (present - 1) + 1.0 * absent * present;
    const double variance = (2.0 * present * (present - 1) + 1.0 * absent * present) * p * (1 - p);
    if (hash_bits == 32) {
      EXPECT_EQ(accidental, 0);
    } else {
      EXPECT_NEAR(accidental, pairs * p, 3 * std::sqrt(variance)) << hash_bits << " bits";
    }
  }
}

}  // namespace
}  // namespace ringfort::search::testing
