// SPDX-License-Identifier: Apache-2.0
// Tests the noise bound of a word search. For each word of the index, the search multiplies encrypted bits in a chain
// of steps. A bit that does not match is 0, and removes the noise of all earlier steps. The steps after the last 0
// survive: only their noise reaches the sum. Their number is compared with an exact distribution. Also tests refusals
// and the advice in their messages.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ringfort/error.h"
#include "ringfort/rgsw_search.h"
#include "scheme/rgsw/noise.h"
#include "support/refused.h"

namespace ringfort::rgsw {
namespace {

using ringfort::testing::refusal;

// For random hashes, a bit of a word that differs from the query matches with probability 1/2. Therefore the surviving
// steps of k words are like coins that are thrown until k heads appear. Returns the exact probability that s fair coins
// show fewer than k heads, computed from logarithms in doubles.
double tail(u64 s, u64 k) {
  double sum = 0;
  for (u64 i = 0; i < k; ++i) {
    const double ways = std::lgamma(static_cast<double>(s) + 1) - std::lgamma(static_cast<double>(i) + 1) -
                        std::lgamma(static_cast<double>(s - i) + 1);
    sum += std::exp(ways - static_cast<double>(s) * std::log(2.0));
  }
  return sum;
}

TEST(SurvivingSteps, TheTailBoundCoversTheExactDistribution) {
  for (const u64 words : {1, 2, 5, 20, 100, 1000}) {
    for (const u32 bits : {10u, 20u, 40u}) {
      const u64 steps = surviving_steps(words, 1, 64, bits);
      // the steps of words that do not match
      const u64 runs = std::min<u64>(steps - std::min<u64>(64, steps), 64 * words);
      // all steps survive, so this bound says nothing about the distribution
      if (steps == 64 * words) continue;
      EXPECT_LE(tail(runs, words), std::exp2(-static_cast<double>(bits))) << "words=" << words << " bits=" << bits;
      EXPECT_GT(tail(runs / 2, words), std::exp2(-static_cast<double>(bits))) << "the bound is loose: words=" << words;
    }
  }
}

TEST(SurvivingSteps, ApproachTwoForEachWordAndNeverPassAllFactors) {
  EXPECT_EQ(surviving_steps(1, 1, 32, 128), 32u);
  EXPECT_EQ(surviving_steps(10, 10, 32, 128), 320u);
  EXPECT_EQ(surviving_steps(0, 5, 32, 128), 0u);
  const u64 many = 1'000'000;
  const double each = static_cast<double>(surviving_steps(many, 1, 32, 128)) / many;
  EXPECT_GT(each, 2.0);
  EXPECT_LT(each, 2.05);
  for (u64 words = 1; words < 1000; words += 37) {
    EXPECT_LE(surviving_steps(words, 3, 32, 128), surviving_steps(words + 1, 3, 32, 128));
    EXPECT_LE(surviving_steps(words, 3, 32, 128), surviving_steps(words, 4, 32, 128));
    EXPECT_LE(surviving_steps(words, 3, 32, 40), surviving_steps(words, 3, 32, 128));
  }
}

TEST(SurvivingSteps, RandomHashesStayBelow) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    u64 steps = 0;
    for (int word = 0; word < 500; ++word) steps += static_cast<u64>(std::min(32, 1 + std::countr_one(random())));
    EXPECT_LE(steps, surviving_steps(500, 1, 32, 40));
  }
}

TEST(SearchPlan, StatesABoundBelowItsMarginAndAnAnswerBelowTenKilobytes) {
  for (const std::string_view name : preset_names()) {
    const Parameters p = preset(name, true);
    for (const u32 range : {16u, 64u, 256u}) {
      SearchPlan plan;
      try {
        plan = plan_search(p, Mode::secret_key, 96, 4, 32, range);
      } catch (const Error&) {
        EXPECT_EQ(name, "paper-row-b256") << range;  // the preset with the smallest margin
        continue;
      }
      EXPECT_LT(plan.noise_bits, plan.margin_bits) << name << range;
      EXPECT_LE(plan.failure_log2, -static_cast<double>(p.failure_bits)) << name << range;
      EXPECT_LE(answer_bytes(p, plan), 10'000u) << name << range;
    }
  }
  const Parameters p = preset("gsw128");
  EXPECT_LE(answer_bytes(p, plan_search(p, Mode::secret_key, 10'000, 2048, 32, 4096)), 10'000u);
  EXPECT_EQ(plan_search(p, Mode::secret_key, 1, 1, 32, 256).c1_bits, 18u);
}

TEST(SearchPlan, TheProductPresetHoldsARealMailbox) {
  const Parameters p = preset("gsw128");
  // Eight answers must be enough for the 15 218 messages of the mailbox `fortunes`.
  EXPECT_GE(largest_words(p, Mode::secret_key, 2048, 32, 1024), 345'386u);
  EXPECT_GE(largest_words(p, Mode::public_key, 64, 32, 256), 10'000u);
}

TEST(SearchPlan, RefusesUnsafeSearchesWithTheNumberOfAnswersToSplitInto) {
  const Parameters p = preset("gsw128-compact");
  const u64 most = largest_words(p, Mode::secret_key, 1, 32, 256);
  ASSERT_GT(most, 0u);
  (void)plan_search(p, Mode::secret_key, most, 1, 32, 256);
  try {
    (void)plan_search(p, Mode::secret_key, most + 1, 1, 32, 256);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::noise_bound_exceeded);
    EXPECT_NE(e.fix().find("split into 2 answers of at most " + std::to_string(most)), std::string::npos) << e.fix();
  }
  EXPECT_EQ(largest_words(p, Mode::secret_key, 1, 32, 65536), 0u);
  EXPECT_EQ(refusal([&] { (void)plan_search(p, Mode::secret_key, 1, 1, 32, 65536); }).code(),
            Code::noise_bound_exceeded);
}

TEST(SearchPlan, RefusesArgumentsThatMeanNothing) {
  const Parameters p = preset("gsw128");
  const auto code = [&](u64 words, u64 matches, u32 factors, u32 range) {
    return refusal([&] { (void)plan_search(p, Mode::secret_key, words, matches, factors, range); }).code();
  };
  EXPECT_EQ(code(0, 1, 32, 16), Code::invalid_argument);
  EXPECT_EQ(code(~u64{0}, 1, 32, 16), Code::invalid_argument);
  EXPECT_EQ(code(1, 0, 32, 16), Code::invalid_argument);
  EXPECT_EQ(code(1, 1, 0, 16), Code::invalid_argument);
  EXPECT_EQ(code(1, 1, 65, 16), Code::invalid_argument);
  EXPECT_EQ(code(1, 1, 32, 12), Code::invalid_argument);
  EXPECT_EQ(code(1, 1, 32, 0), Code::invalid_argument);
  EXPECT_EQ(code(1, 1, 32, 1), Code::invalid_argument);
  EXPECT_EQ(code(1, 1, 32, 1u << 17), Code::invalid_argument);
  EXPECT_EQ(refusal([&] { (void)plan_search(p, static_cast<Mode>(9), 1, 1, 32, 16); }).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace ringfort::rgsw
