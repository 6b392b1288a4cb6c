// SPDX-License-Identifier: Apache-2.0
// Lets the k-th verb (operation) of the device fail while a sum is computed. The library must never use a sum that may
// be incomplete. After the failure, make_answer throws, or returns exactly the counts from before the failed call. The
// same context must compute the next sum.
#include <gtest/gtest.h>

#include <functional>

#include "ringfort/error.h"
#include "support/degree.h"
#include "support/fault.h"
#include "support/rgsw.h"

namespace ringfort::rgsw {
namespace {

using fault::Point;
using testing::Client;

constexpr u32 kBits = 3;
// the last factor is 1 - c, so that every branch of add_unrotated runs
constexpr u64 kQuery = 0b001;

Parameters small_paper() {
  Parameters p = preset("paper-gsw", true);
  p.n = ringfort::testing::small_degree(32);
  return p;
}

// One word for each of the documents 0 .. 3. Every word equals the query.
struct Scene {
  explicit Scene(Engine e)
      : engine(e),
        client(small_paper(), Mode::secret_key),
        plan(plan_search(client.context.parameters(), client.mode, 4, 4, kBits, 16)) {
    for (EncryptedBits& word : bits) word = client.encrypt(testing::hash_bits(kQuery, kBits));
  }
  [[nodiscard]] MatchSum sum() const { return MatchSum(client.context, plan, engine); }
  void add(MatchSum& to, u32 document) {
    const EncryptedWord word{&bits[document], 0, document};
    if (engine == Engine::row) client.search.add_match(to, word, pattern);
    else client.search.add_matches_literal(to, {&word, 1}, pattern, {2, 2});
  }
  Engine engine;
  Client client;
  SearchPlan plan;
  std::array<EncryptedBits, 4> bits;
  std::vector<PatternBit> pattern = testing::pattern(kQuery, kBits);
};

bool lost(const std::function<void()>& operation) {
  try {
    operation();
    return false;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::device_lost) << e.what();
    return true;
  }
}

// Returns true if the total is refused. If it is not refused, it must count one word for each document in `documents`,
// and no other words.
bool refused_or_holds(Scene& scene, MatchSum& total, const std::vector<u32>& documents, u64 k) {
  std::vector<u32> counts, expected(scene.client.context.parameters().n);
  for (const u32 document : documents) ++expected[document];
  if (lost([&] { counts = scene.client.counts(scene.client.search.make_answer(total)); })) return true;
  EXPECT_EQ(counts, expected) << "k=" << k << ": an incomplete sum was read";
  EXPECT_EQ(total.words(), documents.size()) << "k=" << k;
  return false;
}

struct Sums {
  MatchSum first, second;
};

// Lets each verb of `operation` fail once. If the operation is long, only the first twenty verbs, the last twenty verbs
// and a sample of the others fail. Before the operation, the first sum contains document 0, and the second contains
// document 1.
void fail_every_verb(Scene& scene, const std::function<void(Sums&)>& operation) {
  const auto begin = [&] {
    Sums totals{scene.sum(), scene.sum()};
    scene.add(totals.first, 0);
    scene.add(totals.second, 1);
    return totals;
  };
  Sums counted = begin();
  ringfort::testing::fail_at(Point::verb, 0);
  operation(counted);
  const u64 verbs = ringfort::testing::calls_at(Point::verb), stride = std::max<u64>(1, verbs / 15);
  u64 refused = 0;
  for (u64 k = 1; k <= verbs; k = k > 20 && k + 20 < verbs ? std::min(k + stride, verbs - 20) : k + 1) {
    Sums totals = begin();
    ringfort::testing::fail_at(Point::verb, k);
    const bool failed = lost([&] { operation(totals); });
    ringfort::testing::fail_at(Point::verb, 0);
    ASSERT_TRUE(failed) << "k=" << k;
    refused += refused_or_holds(scene, totals.first, {0}, k);
    refused += refused_or_holds(scene, totals.second, {1}, k);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(refused, 0u);
  Sums after = begin();  // the context still works
  EXPECT_FALSE(refused_or_holds(scene, after.first, {0}, 0));
}

class EveryEngine : public ::testing::TestWithParam<Engine> {};

TEST_P(EveryEngine, AWordThatIsBegunAndNotFinishedIsNeverRead) {
  testing::choose_seed(81);
  Scene scene(GetParam());
  fail_every_verb(scene, [&](Sums& t) { scene.add(t.first, 2); });
}

TEST_P(EveryEngine, AMergeThatFailsLeavesNothingToRead) {
  testing::choose_seed(82);
  Scene scene(GetParam());
  fail_every_verb(scene, [&](Sums& t) { scene.client.search.merge(t.first, t.second); });
}

INSTANTIATE_TEST_SUITE_P(Engines, EveryEngine, ::testing::Values(Engine::row, Engine::literal),
                         [](const auto& info) { return info.param == Engine::row ? "Row" : "Literal"; });

TEST(IncompleteSums, SeveralWordsOfOneCallAreAddedAllOrRefused) {
  testing::choose_seed(83);
  Scene scene(Engine::literal);
  const std::vector<EncryptedWord> words = {{&scene.bits[2], 0, 2}, {&scene.bits[3], 0, 3}};
  fail_every_verb(scene,
                  [&](Sums& t) { scene.client.search.add_matches_literal(t.first, words, scene.pattern, {2, 2}); });
}

TEST(IncompleteSums, AFailedAnswerIsNotReturnedLater) {
  testing::choose_seed(85);
  Scene scene(Engine::row);
  fail_every_verb(scene, [&](Sums& t) { (void)scene.client.search.make_answer(t.first); });
}

}  // namespace
}  // namespace ringfort::rgsw
