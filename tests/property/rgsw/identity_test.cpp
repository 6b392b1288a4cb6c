// SPDX-License-Identifier: Apache-2.0
// Tests that the same seeds give bit-identical ciphertexts on every device and instruction set. This holds for any
// number of threads, and for any split of the words among the threads.
#include <gtest/gtest.h>

#include <thread>

#include "ringfort/error.h"
#include "scheme/rgsw/wire.h"
#include "support/devices.h"
#include "support/rgsw.h"

namespace ringfort::rgsw {
namespace {

using testing::Client;

constexpr u32 kBits = 8;

Answer search_with(Client& client, const testing::Corpus& corpus, unsigned threads) {
  const SearchPlan plan = plan_search(client.context.parameters(), client.mode, corpus.words.size(), 8, kBits, 16);
  const u64 query = corpus.words[0].hash;
  std::vector<EncryptedBits> words;
  for (const auto& word : corpus.words) words.push_back(client.encrypt(testing::hash_bits(word.hash, kBits)));
  std::vector<MatchSum> totals;
  for (unsigned t = 0; t < threads; ++t) totals.emplace_back(client.context, plan);
  std::vector<std::thread> team;
  for (unsigned t = 0; t < threads; ++t) {
    team.emplace_back([&, t] {
      for (std::size_t i = t; i < words.size(); i += threads) {
        client.search.add_match(totals[t], {&words[i], 0, corpus.words[i].document}, testing::pattern(query, kBits));
      }
    });
  }
  for (std::thread& thread : team) thread.join();
  for (unsigned t = 1; t < threads; ++t) client.search.merge(totals[0], totals[t]);
  EXPECT_EQ(totals[0].words(), corpus.words.size());
  return client.search.make_answer(totals[0]);
}

bool same(const Answer& a, const Answer& b) { return a.c0 == b.c0 && a.c1 == b.c1; }

TEST(RgswIdentity, AnyNumberOfThreadsGivesTheSameAnswer) {
  for (const char* name : {"gsw128", "paper-row-b256"}) {
    std::vector<Answer> answers;
    for (const unsigned threads : {1u, 2u, 7u}) {
      testing::choose_seed(71);
      Client client({name, Mode::secret_key});
      answers.push_back(search_with(client, testing::random_corpus(14, 4, 3, client.context.parameters().n), threads));
    }
    EXPECT_TRUE(same(answers[0], answers[1])) << name;
    EXPECT_TRUE(same(answers[0], answers[2])) << name;
  }
}

TEST(RgswIdentity, EveryDeviceGivesTheSameCiphertextsAndAnswer) {
  for (const testing::Case& c :
       {testing::Case{"gsw128", Mode::public_key}, testing::Case{"gsw128-compact", Mode::secret_key},
        testing::Case{"paper-row", Mode::public_key}, testing::Case{"paper-row-b256", Mode::secret_key}}) {
    Answer expected;
    std::vector<u64> expected_words;
    for (const std::string_view device : ringfort::testing::general_devices()) {
      testing::choose_seed(72);
      Client client(c, device);
      const EncryptedBits bits = client.encrypt(std::vector<u8>{1, 0});
      std::vector<u64> words(2 * exported_words(client.context.parameters(), c.mode));
      export_bits(bits, words);
      const Answer answer = search_with(client, testing::random_corpus(2, 1, 2, client.context.parameters().n), 1);
      if (device == "ref") {
        expected = answer;
        expected_words = words;
      }
      EXPECT_TRUE(words == expected_words) << c << " on " << device;
      EXPECT_TRUE(same(answer, expected)) << c << " on " << device;
    }
  }
}

TEST(RgswIdentity, PlansOfOtherSearchesAndTooManyWordsAreRefused) {
  testing::choose_seed(73);
  Client client(testing::tiny(), Mode::secret_key);
  const Parameters& p = client.context.parameters();
  const SearchPlan two = plan_search(p, Mode::secret_key, 2, 2, 3, 16),
                   other = plan_search(p, Mode::secret_key, 3, 2, 3, 16);
  const EncryptedBits bits = client.encrypt(std::vector<u8>{1, 1, 1});
  MatchSum a(client.context, two), b(client.context, two), c(client.context, other);
  const auto code = [](auto f) {
    try {
      f();
    } catch (const Error& e) { return e.code(); }
    return Code::internal;
  };
  const auto add = [&](MatchSum& t, const std::vector<PatternBit>& pattern, u32 document = 0) {
    client.search.add_match(t, {&bits, 0, document}, pattern);
  };
  add(a, testing::pattern(7, 3));
  add(a, testing::pattern(7, 3));
  EXPECT_EQ(code([&] { add(a, testing::pattern(7, 3)); }), Code::noise_bound_exceeded);
  add(b, testing::pattern(7, 3));
  EXPECT_EQ(code([&] { client.search.merge(a, b); }), Code::noise_bound_exceeded);
  EXPECT_EQ(code([&] { client.search.merge(a, c); }), Code::parameters_mismatch);
  EXPECT_EQ(code([&] { client.search.merge(a, a); }), Code::noise_bound_exceeded);
  EXPECT_EQ(code([&] { add(c, testing::pattern(7, 4)); }), Code::noise_bound_exceeded);
  EXPECT_EQ(code([&] { add(c, {{3, true}}); }), Code::invalid_argument);
  EXPECT_EQ(code([&] { add(c, {{1, true}, {0, false}, {1, false}}); }), Code::invalid_argument) << "one bit twice";
  EXPECT_EQ(code([&] { add(c, {}); }), Code::noise_bound_exceeded);
  EXPECT_EQ(code([&] { add(c, testing::pattern(7, 3), p.n); }), Code::invalid_argument);
  const EncryptedBits worked = client.evaluator.negate(bits);
  EXPECT_EQ(code([&] { client.search.add_match(c, {&worked, 0, 0}, testing::pattern(7, 3)); }),
            Code::noise_bound_exceeded);
  EXPECT_EQ(code([&] { client.search.add_match(c, {nullptr, 0, 0}, testing::pattern(7, 3)); }), Code::invalid_argument);
  EXPECT_EQ(c.words(), 0u);
}

// Exports the bits as to a file, imports them again, and returns the result.
EncryptedBits stored(const Client& client, const EncryptedBits& bits, std::vector<u32> indices) {
  const std::size_t each = exported_words(client.context.parameters(), bits.mode());
  std::vector<u64> residues(indices.size() * each);
  for (u32 i = 0; i < indices.size(); ++i)
    export_bit(bits, indices[i], std::span<u64>(residues).subspan(i * each, each));
  const PublicSeed seed = public_seed(bits);
  EncryptedBits out;
  EXPECT_TRUE(import_bits(out, client.context, {bits.mode(), seed, indices, residues}).ok());
  return out;
}

struct Added {
  const EncryptedBits* bits;
  u32 first;
};

// Adds the words to two sums in turn, merges the two sums, and tells whether make_answer refuses the result.
bool refused(const Client& client, const std::vector<Added>& words, Engine engine) {
  const SearchPlan plan = plan_search(client.context.parameters(), client.mode, words.size(), words.size(), 3, 16);
  std::vector<MatchSum> sums;
  for (int i = 0; i < 2; ++i) sums.emplace_back(client.context, plan, engine);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const EncryptedWord word{words[i].bits, words[i].first, static_cast<u32>(i)};
    if (engine == Engine::row) client.search.add_match(sums[i % 2], word, testing::pattern(7, 3));
    else client.search.add_matches_literal(sums[i % 2], {&word, 1}, testing::pattern(7, 3));
  }
  client.search.merge(sums[0], sums[1]);
  try {
    (void)client.search.make_answer(sums[0]);
    return false;
  } catch (const Error& e) { EXPECT_EQ(e.code(), Code::noise_bound_exceeded) << e.what(); }
  return true;
}

// The errors of copies of an encryption add up linearly. A plan assumes independent encryptions. Their errors grow only
// with the square root of the number of encryptions.
TEST(RgswIdentity, WordsThatShareAnEncryptedBitAreRefused) {
  Parameters literal = preset("paper-gsw", true);
  literal.n = ringfort::testing::small_degree(32);
  const struct {
    Parameters parameters;
    Mode mode;
    Engine engine;
  } cases[] = {{testing::tiny(), Mode::secret_key, Engine::row},
               {testing::tiny(), Mode::public_key, Engine::row},
               {literal, Mode::secret_key, Engine::literal},
               {literal, Mode::public_key, Engine::literal}};
  for (const auto& c : cases) {
    testing::choose_seed(76);
    const Client client(c.parameters, c.mode);
    const EncryptedBits a = client.encrypt(std::vector<u8>(8, 1)), b = client.encrypt(std::vector<u8>(8, 1));
    const EncryptedBits clone = a.clone(), whole = stored(client, a, {0, 1, 2}), part = stored(client, a, {2, 6, 7});
    const EncryptedBits own = stored(client, b, {0, 1, 2});
    const auto copies = [&](const std::vector<Added>& words) { return refused(client, words, c.engine); };
    EXPECT_FALSE(copies({{&a, 0}, {&b, 0}, {&a, 3}, {&b, 3}})) << "bits of their own";
    EXPECT_FALSE(copies({{&a, 0}, {&own, 0}})) << "bits of their own, one word from a file";
    EXPECT_TRUE(copies({{&a, 0}, {&a, 0}})) << "one word twice, in two sums";
    EXPECT_TRUE(copies({{&a, 0}, {&b, 0}, {&a, 0}})) << "one word twice, in one sum";
    EXPECT_TRUE(copies({{&a, 0}, {&a, 2}})) << "a common bit";
    EXPECT_TRUE(copies({{&a, 0}, {&clone, 0}})) << "a clone";
    EXPECT_TRUE(copies({{&a, 0}, {&whole, 0}})) << "a word and its file";
    EXPECT_TRUE(copies({{&whole, 0}, {&part, 0}})) << "a common bit of two files";
  }
}

}  // namespace
}  // namespace ringfort::rgsw
