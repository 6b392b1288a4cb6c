// SPDX-License-Identifier: Apache-2.0
// The public bound against what decryption finds: never passed, in random circuits over all automatic verbs, equal operands
// included; how far above the truth it is (bits) is recorded for each depth.
#include "support/ckks.h"

namespace ringfort::ckks {
namespace {

using testing::Client;
using testing::Shape;
using testing::Values;

struct Traced {
  Ciphertext c;
  Values v;
};

Values combine(const Values& a, const Values& b, char op) {
  Values out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = op == '+' ? a[i] + b[i] : op == '-' ? a[i] - b[i] : a[i] * b[i];
  return out;
}

Traced step(const Client& client, const Traced& a, const Traced& b, u64 choice) {
  const AutomaticEvaluator& e = client.automatic;
  const bool deep = a.c.level() > 0 && b.c.level() > 0;
  switch (choice % 6) {
    case 0: return {e.add(a.c, b.c), combine(a.v, b.v, '+')};
    case 1: return {e.sub(a.c, b.c), combine(a.v, b.v, '-')};
    case 2: {
      Values turned(a.v.size());
      for (std::size_t i = 0; i < turned.size(); ++i) turned[i] = a.v[(i + 2) % turned.size()];
      return {e.rotate(a.c, 2), turned};
    }
    case 3: return {e.add(a.c, b.v), combine(a.v, b.v, '+')};
    default:
      if (!deep) return {e.sub(a.c, a.c), Values(a.v.size(), 0.0)};
      return {e.multiply(a.c, b.c), combine(a.v, b.v, '*')};
  }
}

TEST(CkksBound, HoldsInEveryOneOfAHundredRandomCircuits) {
  Shape shape;
  shape.n = 256;
  shape.levels = 4;
  shape.first_bits = 58;
  shape.special_bits = 58;
  testing::choose_seed(9);
  const Client client(testing::parameters_of(shape), "cpu", {2});
  std::mt19937_64 generator(10);
  std::vector<double> slack(5, 1e9);
  for (int circuit = 0; circuit < 100; ++circuit) {
    std::vector<Traced> held;
    for (u64 i = 0; i < 2; ++i) {
      Values v = testing::random_values(128, 100 * circuit + i);
      held.push_back({client.encrypt(v), std::move(v)});
    }
    for (int i = 0; i < 8; ++i) held.push_back(step(client, held[generator() % held.size()], held[held.size() - 1 - generator() % 2], generator()));
    for (const Traced& t : held) {
      const double error = testing::largest_difference(client.decrypt(t.c), t.v), claimed = testing::claimed_error(client, t.c);
      ASSERT_LE(error, claimed) << "circuit " << circuit << " level " << t.c.level();
      const std::size_t depth = shape.levels - t.c.level();
      slack[depth] = std::min(slack[depth], std::log2(claimed / error));
    }
  }
  for (std::size_t depth = 0; depth < slack.size(); ++depth) RecordProperty("bits_above_depth_" + std::to_string(depth), std::to_string(slack[depth]));
}

TEST(CkksBound, AnOperationThatWouldPassTheModulusIsRefusedBeforeItRuns) {
  testing::choose_seed(11);
  const Client client(testing::parameters_of({}));
  const Ciphertext a = client.encrypt({0.5});
  Ciphertext out = a.clone();
  const auto before = testing::residues(out);
  try {
    client.evaluator.multiply_into(out, client.evaluator.mod_switch(a, 0), client.evaluator.mod_switch(a, 0));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::noise_bound_exceeded) << e.what();
  }
  EXPECT_EQ(testing::residues(out), before);
  Ciphertext grown = client.evaluator.mod_switch(a, 0);
  int doublings = 0;
  EXPECT_THROW(for (; doublings < 64; ++doublings) grown = client.evaluator.add(grown, grown), Error);
  EXPECT_GE(doublings, 8);                                               // 2^50 holds values of 2^40 that many times
  EXPECT_LE(testing::largest_difference({client.decrypt(grown)[0]}, {0.5 * std::exp2(doublings)}), testing::claimed_error(client, grown));
}

TEST(CkksBound, AValueWithoutACertainBitIsNotDecrypted) {
  testing::choose_seed(12);
  const Client client(testing::parameters_of({}));
  const Ciphertext tiny = client.evaluator.multiply_plain(client.encrypt({0.5}), client.encoder.encode_public(Values{1e-12}));
  EXPECT_NEAR(client.decrypt(tiny)[0], 0.5e-12, testing::claimed_error(client, tiny));   // its bits after the point are certain
  const Ciphertext lost = client.evaluator.rescale(client.encrypt({0.5}));              // nothing is left of its scale
  try {
    (void)client.decryptor.decrypt(lost);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::noise_bound_exceeded) << e.what();
  }
}

}  // namespace
}  // namespace ringfort::ckks
