// SPDX-License-Identifier: Apache-2.0
// Tests how the primes of a context form levels and digits, which are ranges of limbs. Tests the composition of
// rotations from steps that have keys, and key plans with their sizes in bytes.
#include "rlwe/key_plan.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "support/ckks.h"

namespace ringfort {
namespace {

using ckks::testing::Shape;

constexpr std::int32_t kCircle = 32;  // n / 2 of the chains below

TEST(Chain, LevelsAndDigitsAreRunsOfNeighbours) {
  // numbers of auxiliary, special and data primes; then primes per level and per digit
  const Chain chain{2, 3, 10, 2, 3};
  EXPECT_EQ(chain.limbs(), 15u);
  EXPECT_EQ(chain.top_level(), 4u);
  EXPECT_EQ(chain.special(), (Limbs{2, 3}));
  EXPECT_EQ(chain.data(4), (Limbs{5, 10}));
  EXPECT_EQ(chain.data(0), (Limbs{5, 2}));
  EXPECT_EQ(chain.last_group(3), (Limbs{11, 2}));
  EXPECT_EQ(chain.extended(1), (Limbs{2, 7}));
  EXPECT_EQ(chain.digits(4), 4u);
  EXPECT_EQ(chain.digit(4, 3), (Limbs{14, 1}));
  EXPECT_EQ(chain.digits(1), 2u);
  EXPECT_EQ(chain.digit(1, 1), (Limbs{8, 1}));  // the second digit, with the only limb that the level still has
}

TEST(SignedPowers, SumToTheStepAndAreFewest) {
  for (std::int32_t step = -15; step <= 16; ++step) {
    const auto powers = signed_powers(step, kCircle);
    EXPECT_EQ(normal_step(std::accumulate(powers.begin(), powers.end(), 0), kCircle), step);
    for (const std::int32_t power : powers) EXPECT_EQ(std::abs(power) & (std::abs(power) - 1), 0) << step;
  }
  EXPECT_EQ(signed_powers(7, kCircle), (std::vector<std::int32_t>{-1, 8}));
  EXPECT_EQ(signed_powers(-16 + 1, kCircle), (std::vector<std::int32_t>{1, 16}));
}

class KeyPlans : public ::testing::Test {
 protected:
  KeyPlans() : context(ckks::testing::parameters_of(Shape{})) {}
  ckks::Context context;
};

TEST_F(KeyPlans, EveryRotationHasItsKeyWhileTheBudgetLasts) {
  const KeyPlan plan = plan_keys(context, {{1, 7, -3, 29, 1, 0}, true, 0});
  EXPECT_EQ(plan.steps, (std::vector<std::int32_t>{-3, 1, 7}));  // 29 is -3 modulo 32, and 0 needs no key
  // 2 polynomials per digit, 4 digits, 5 limbs, n = 64, 8 bytes per word
  EXPECT_EQ(plan.bytes_per_key, 2u * 4 * 5 * 64 * 8);
  EXPECT_EQ(plan.galois_bytes, 4 * plan.bytes_per_key);
  for (const RotationPath& path : plan.paths) EXPECT_EQ(path.keys, std::vector<std::int32_t>{path.step});
}

TEST_F(KeyPlans, UnderABudgetRotationsAreComposedOfSignedPowersOfTwo) {
  KeyRequest request;
  for (std::int32_t step = 1; step <= 15; ++step) request.rotations.push_back(step);
  const std::size_t key = plan_keys(context, request).bytes_per_key;
  request.max_bytes = 9 * key;
  const KeyPlan plan = plan_keys(context, request);
  EXPECT_LE(plan.galois_bytes, request.max_bytes);
  ASSERT_EQ(plan.paths.size(), 15u);
  for (const RotationPath& path : plan.paths) {
    EXPECT_EQ(normal_step(std::accumulate(path.keys.begin(), path.keys.end(), i64{0}), kCircle), path.step);
    for (const std::int32_t step : path.keys)
      EXPECT_TRUE(std::find(plan.steps.begin(), plan.steps.end(), step) != plan.steps.end()) << step;
    EXPECT_LE(path.keys.size(), 3u);
  }
  const ckks::testing::Client client(ckks::testing::parameters_of(Shape{}));
  const GaloisKeys keys = client.generator.create_galois_keys(plan_keys(client.context, request));
  const auto x = ckks::testing::random_values(32, 1);
  const auto c = client.encrypt(x);
  for (std::int32_t step = 1; step <= 15; ++step) {
    const auto rotated = client.decrypt(client.evaluator.rotate(c, step, keys));
    for (std::size_t i = 0; i < 32; ++i) EXPECT_NEAR(rotated[i], x[(i + static_cast<std::size_t>(step)) % 32], 1e-4);
  }
}

TEST_F(KeyPlans, GenerationReportsEveryKeyAndStopsOnRequest) {
  const KeyGenerator generator(context.keys());
  const KeyPlan plan = plan_keys(context.keys(), {{1, 2, 5}, true, 0});
  std::vector<std::pair<u64, u64>> told;
  (void)generator.create_galois_keys(plan, [&](u64 done, u64 total) {
    told.emplace_back(done, total);
    return true;
  });
  EXPECT_EQ(told, (std::vector<std::pair<u64, u64>>{{1, 4}, {2, 4}, {3, 4}, {4, 4}}));
  try {
    (void)generator.create_galois_keys(plan, [](u64 done, u64) { return done < 2; });
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::stopped);
    EXPECT_EQ(e.problem(), "stopped after 2 of 4 keys");
  }
}

TEST_F(KeyPlans, JoinedKeysRotateAsBothSetsAndMakeNoKeyTwice) {
  const ckks::testing::Client client(ckks::testing::parameters_of(Shape{}));
  const KeyGenerator& generator = client.generator;
  KeyRequest composed{{1, 2, 3, 5, 6, 7, 9, 11, 13}, false, 0};
  composed.max_bytes = 8 * plan_keys(client.context, composed).bytes_per_key;
  const GaloisKeys few = generator.create_galois_keys(plan_keys(client.context, composed));
  const GaloisKeys more = generator.create_galois_keys(plan_keys(client.context, {{3, -4, 13}, true, 0}));
  const GaloisKeys both = few.joined(more);
  std::set<std::int32_t> steps(few.plan().steps.begin(), few.plan().steps.end());
  steps.insert({3, -4, 13});
  EXPECT_EQ(both.plan().steps, std::vector<std::int32_t>(steps.begin(), steps.end()));
  EXPECT_TRUE(both.plan().conjugation);
  EXPECT_EQ(both.plan().galois_bytes, (steps.size() + 1) * both.plan().bytes_per_key);
  const auto x = ckks::testing::random_values(32, 1);
  const auto c = client.encrypt(x);
  for (const RotationPath& path : both.plan().paths) {
    EXPECT_TRUE(path.keys.size() == 1 || !steps.contains(path.step)) << path.step;
    const auto rotated = client.decrypt(client.evaluator.rotate(c, path.step, both));
    for (std::size_t i = 0; i < 32; ++i)
      EXPECT_NEAR(rotated[i], x[(i + static_cast<std::size_t>(path.step + 32)) % 32], 1e-4) << path.step;
  }
  EXPECT_EQ(both.plan().paths.size(), 10U);
  EXPECT_EQ(ckks::testing::residues(client.evaluator.rotate(c, few.plan().steps[0], both)),
            ckks::testing::residues(client.evaluator.rotate(c, few.plan().steps[0], few)));
  const ckks::testing::Client other(ckks::testing::parameters_of(Shape{}));
  const KeyGenerator same_context(client.context.keys());
  EXPECT_THROW((void)few.joined(same_context.create_galois_keys(plan_keys(client.context, {{4}, false, 0}))), Error);
  EXPECT_THROW((void)few.joined(other.generator.create_galois_keys(plan_keys(other.context, {{4}, false, 0}))), Error);
}

TEST_F(KeyPlans, BudgetsThatAreTooSmallNameTheLeast) {
  try {
    (void)plan_keys(context, {{1, 3, 5}, false, 1000});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::invalid_argument);
    EXPECT_NE(e.fix().find(std::to_string(3 * plan_keys(context, {{1}, false, 0}).bytes_per_key)), std::string::npos)
        << e.fix();
  }
  EXPECT_THROW((void)plan_keys(context, {{32}, false, 0}), Error);
}

}  // namespace
}  // namespace ringfort
