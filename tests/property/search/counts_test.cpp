// SPDX-License-Identifier: Apache-2.0
// Tests a search from text to counts, with real encryption. The counts must equal the counts of equal patterns, for
// every engine, number of threads, code of the hash bits, kind of key and kind of answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>

#include "ringfort/error.h"
#include "support/allocation.h"
#include "support/search.h"

namespace ringfort::search::testing {
namespace {

std::vector<std::uint32_t> ask(Server& server, const io::Keys& keys, const std::string& word,
                               const SearchOptions& options = {}) {
  return decrypt(keys, server.search(make_query(keys, word), options));
}

TEST(WordSearch, CountsOfEveryDocumentEqualPlainCounting_ThreeBlocks) {
  choose_seed(1);
  const Folder folder;
  const auto keys = make_keys(tiny(), 32);
  const auto documents = random_documents(7, 70, 4, 40);  // with n = 32, 70 documents need three answers
  make_index(folder / "index", keys, documents);
  auto server = serve(folder / "index");
  EXPECT_EQ(server.index().documents(), 70U);
  for (int w = 0; w < 16; ++w) {
    const std::string word = "word" + std::to_string(w);
    EXPECT_EQ(ask(server, keys, word), plain_counts(documents, word)) << word;
  }
}

// A segment of 32 MiB holds all words. Therefore pages are written to disk while words are still being encrypted.
TEST(WordSearch, AnyNumberOfThreadsMakesAnIndexThatCountsAlike) {
  choose_seed(12);
  const auto documents = random_documents(13, 100, 16, 400);
  const auto keys = make_keys(tiny(128), 32);
  for (const unsigned threads : {1U, 7U}) {
    const Folder folder;
    make_index(folder / "index", keys, documents, {threads, false}, std::uint64_t{1} << 25);
    auto server = serve(folder / "index");
    EXPECT_GT(server.index().words() * server.index().word_bytes(rgsw::Mode::secret_key), std::uint64_t{24} << 20);
    for (const std::string word : {"word0", "word123", "word399", "absent"}) {
      EXPECT_EQ(ask(server, keys, word), plain_counts(documents, word)) << word << ", " << threads << " threads";
    }
  }
}

TEST(WordSearch, OneTotalIsTheSumOfTheCounts) {
  choose_seed(2);
  const Folder folder;
  const auto keys = make_keys(tiny(), 32);
  const auto documents = random_documents(8, 50, 5, 20);
  make_index(folder / "index", keys, documents);
  auto server = serve(folder / "index");
  SearchOptions total;
  total.total = true;
  for (const std::string word : {"word0", "word7", "absent"}) {
    const auto counts = plain_counts(documents, word);
    EXPECT_EQ(ask(server, keys, word, total),
              std::vector<std::uint32_t>{std::accumulate(counts.begin(), counts.end(), 0U)})
        << word;
  }
}

TEST(WordSearch, ConstantWeightCodeAndSenderKeysCountAlike) {
  choose_seed(3);
  const auto documents = random_documents(9, 20, 4, 15);
  for (const bool constant_weight : {false, true}) {
    for (const bool as_sender : {false, true}) {
      const Folder folder;
      const auto keys = make_keys(tiny(64), constant_weight ? 64 : 24, constant_weight);
      make_index(folder / "index", keys, documents, {.as_sender = as_sender});
      auto server = serve(folder / "index");
      EXPECT_EQ(server.index().mode(), as_sender ? rgsw::Mode::public_key : rgsw::Mode::secret_key);
      for (const std::string word : {"word1", "word2", "word14", "absent"}) {
        EXPECT_EQ(ask(server, keys, word), plain_counts(documents, word))
            << word << " cw " << constant_weight << " sender " << as_sender;
      }
    }
  }
}

TEST(WordSearch, AnswersAreBitIdenticalForOneTwoAndSevenThreads) {
  choose_seed(4);
  const Folder folder;
  const auto keys = make_keys(tiny(), 32);
  make_index(folder / "index", keys, random_documents(10, 40, 6, 30));
  auto server = serve(folder / "index");
  SearchOptions options;
  const auto query = make_query(keys, "word3");
  const auto once = server.search(query, options);
  for (const unsigned threads : {2U, 7U}) {
    options.threads = threads;
    const auto again = server.search(query, options);
    ASSERT_EQ(again.answers.size(), once.answers.size());
    for (std::size_t b = 0; b < once.answers.size(); ++b) {
      EXPECT_EQ(again.answers[b].c0, once.answers[b].c0) << threads << " threads";
      EXPECT_EQ(again.answers[b].c1, once.answers[b].c1) << threads << " threads";
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
    auto server = serve(index);
    const auto query = make_query(keys, "word5");
    const auto streamed = server.search(query, {});
    SearchOptions options;
    options.memory_bytes = 1 << 20;  // enough memory for some words only
    const auto mixed = server.search(query, options);
    const auto warm = server.search(query, options);
    EXPECT_GT(server.report().prepared_words, 0U);
    EXPECT_LT(server.report().prepared_words, server.index().words());
    EXPECT_EQ(streamed.answers[0].c0, mixed.answers[0].c0);
    EXPECT_EQ(streamed.answers[0].c1, warm.answers[0].c1);
  }
}

TEST(WordSearch, LiteralAndRowEnginesCountTheSame) {
  choose_seed(6);
  const Folder folder;
  const auto keys = make_keys(tiny_literal(), 8);
  const auto documents = random_documents(12, 3, 2, 4);
  make_index(folder / "index", keys, documents);
  auto server = serve(folder / "index");
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
  }
}

// Encrypts at most 240 words at 8 and at 12 hash bits, and asks 60 queries at each size. Counts must equal the counts
// of equal patterns.
TEST(WordSearch, ShortHashesCountExactlyTheEqualPatterns) {
  for (const std::uint32_t hash_bits : {8U, 12U}) {
    choose_seed(hash_bits);
    const Folder folder;
    const auto keys = make_keys(tiny(), hash_bits);
    const auto documents = random_documents(13, 30, 8, 400);
    make_index(folder / "index", keys, documents);
    auto server = serve(folder / "index");
    for (int w = 0; w < 60; ++w) {
      const std::string word = (w % 2 == 0 ? "word" : "absent") + std::to_string(w);
      EXPECT_EQ(ask(server, keys, word), pattern_counts(keys, documents, word))
          << word << " at " << hash_bits << " bits";
    }
  }
}

// Searches 1000 words that fifty indexes contain, and 1000 words that they do not contain. Every count uses real
// encryption.
TEST(WordSearch, NoFalseNegativesAndFalsePositivesWithinThreeSigmaOfPrediction_NoneAt32Bits) {
  constexpr std::uint32_t kIndexes = 50, kDocuments = 4, kPresent = 20;
  for (const std::uint32_t hash_bits : {8U, 12U, 32U}) {
    choose_seed(99 + hash_bits);
    const auto keys = make_keys(tiny(8), hash_bits);
    double accidental = 0;
    for (std::uint32_t i = 0; i < kIndexes; ++i) {
      const Folder folder;
      std::vector<Document> documents(kDocuments);
      for (std::uint32_t w = 0; w < kPresent; ++w)
        documents[w % kDocuments].words.push_back("present" + std::to_string(kPresent * i + w));
      make_index(folder / "index", keys, documents);
      auto server = serve(folder / "index");
      SearchOptions options;
      options.memory_bytes = std::uint64_t{64} << 20;
      for (std::uint32_t w = 0; w < 2 * kPresent; ++w) {
        const std::string word = (w < kPresent ? "present" : "absent") + std::to_string(kPresent * i + w % kPresent);
        const auto counts = ask(server, keys, word, options), wanted = plain_counts(documents, word);
        ASSERT_EQ(counts.size(), wanted.size());
        ASSERT_TRUE(std::equal(counts.begin(), counts.end(), wanted.begin(), std::greater_equal<>()))
            << "a false negative: " << word << " of index " << i << " at " << hash_bits << " bits";
        accidental +=
            std::accumulate(counts.begin(), counts.end(), 0.0) - std::accumulate(wanted.begin(), wanted.end(), 0.0);
      }
    }
    const double p = std::ldexp(1.0, -static_cast<int>(hash_bits));
    // Each pair of a searched word and another word of its index may match by accident. A pair of two searched words
    // counts twice.
    const double present = 1.0 * kIndexes * kPresent * (kPresent - 1), absent = 1.0 * kIndexes * kPresent * kPresent;
    if (hash_bits == 32) {
      EXPECT_EQ(accidental, 0);
    } else {
      EXPECT_NEAR(accidental, (present + absent) * p, 3 * std::sqrt((2 * present + absent) * p * (1 - p)))
          << hash_bits << " bits";
    }
  }
}

// Two words with the same pattern are in every document. The default range of a total must count both words.
TEST(WordSearch, ATotalHasRoomForAWordThatIsEqualByAccidentInEveryDocument) {
  choose_seed(41);
  const Folder folder;
  const auto keys = make_keys(tiny(), 8);
  const std::uint64_t pattern = pattern_of(keys.profile(), keys.word_key(), "word");
  std::string twin;
  for (int i = 0; twin.empty(); ++i) {
    const std::string word = "twin" + std::to_string(i);
    if (pattern_of(keys.profile(), keys.word_key(), word) == pattern) twin = word;
  }
  const std::vector<Document> documents(200, Document{"id", "subject", {"word", twin}, ""});
  make_index(folder / "index", keys, documents);
  auto server = serve(folder / "index");
  SearchOptions total;
  total.total = true;
  EXPECT_EQ(ask(server, keys, "word", total), std::vector<std::uint32_t>{400});
  EXPECT_EQ(ask(server, keys, "neither", total), std::vector<std::uint32_t>{0});
}

TEST(WordSearch, AnEstimateOfBytesIsWhatTheFilesHave) {
  choose_seed(42);
  const KeyOptions of_keys{.preset = "gsw128", .hash_bits = 8};
  for (const bool as_sender : {false, true}) {
    const Folder folder;
    const auto keys = generate_keys(of_keys);
    const auto documents = random_documents(14, 3, 2, 20);
    io::Index::create(folder / "index", keys);
    {
      auto index = append_to(folder / "index");
      add_documents(index, keys, documents, {.as_sender = as_sender});
      index.seal();
    }
    auto server = serve(folder / "index");
    EstimateOptions options;
    options.words = server.index().words();
    options.documents = documents.size();
    options.as_sender = as_sender;
    options.most_words = server.index().most_words_of_a_document();
    options.measure = false;
    const auto found = estimate(of_keys, options);
    std::uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "index")) bytes += entry.file_size();
    EXPECT_EQ(found.index_bytes, bytes) << "sender " << as_sender;
    io::save_answer(folder / "answer", server.search(make_query(keys, "word1"), {}));
    EXPECT_EQ(found.answer_bytes, std::filesystem::file_size(folder / "answer")) << "sender " << as_sender;
  }
}

// The bound for this corpus is about 6 10^9 accidental matches. The computation must not take one step for each match.
TEST(WordSearch, AnEstimateOfAHugeTotalAnswersAtOnce) {
  EstimateOptions huge;
  huge.words = std::uint64_t{1} << 39;
  huge.documents = 1000;
  huge.most_words = 60000;
  huge.search.total = true;
  huge.search.max_matches = 1;
  huge.measure = false;
  EXPECT_THROW(static_cast<void>(estimate({.preset = "gsw128", .hash_bits = 8}, huge)), Error);
}

TEST(WordSearch, WordsSideBySideAreAsManyAsMemoryAllows) {
  choose_seed(43);
  const Folder folder;
  const auto keys = make_keys(tiny_literal(8), 8);
  const auto documents = random_documents(15, 3, 2, 4);
  make_index(folder / "index", keys, documents);
  auto server = serve(folder / "index");
  SearchOptions options;
  options.engine = Engine::literal;
  options.words_at_once = 1U << 20;
  ringfort::testing::watch_allocations();
  EXPECT_EQ(ask(server, keys, "word1", options), pattern_counts(keys, documents, "word1"));
  EXPECT_LT(ringfort::testing::largest_allocation(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace ringfort::search::testing
