// SPDX-License-Identifier: Apache-2.0
// Runs random circuits of the verbs of AutomaticEvaluator on complex values. Some operands are equal. Contexts have one
// prime or two primes per level. No decryption may have an error above the public bound. For each depth, the test
// records the slack between bound and error in bits.
#include <cstdlib>
#include <numeric>

#include "support/ckks.h"

namespace ringfort::ckks {
namespace {

using testing::Client;
using testing::Shape;
using testing::Values;

using Slot = std::complex<double>;
using Slots = std::vector<Slot>;
constexpr u32 kSlots = 64;

struct Traced {
  Ciphertext c;
  Slots v;
};

enum class Verb {
  add,
  subtract,
  negate,
  add_many,
  multiply,
  square,
  multiply_integer,
  subtract_values,
  sub_points,
  add_vector,
  add_points,
  add_value,
  multiply_vector,
  multiply_points,
  multiply_value,
  power,
  inner_product,
  rotate,
  conjugate,
  sum_slots,
  align
};
constexpr std::size_t kVerbs = static_cast<std::size_t>(Verb::align) + 1;

template <class F>
Slots each(F f) {
  Slots out(kSlots);
  for (u32 i = 0; i < kSlots; ++i) out[i] = f(i);
  return out;
}

Slots random_points(u64 seed) {
  const Values components = testing::random_values(2 * kSlots, seed, std::sqrt(0.5));
  return each([&](u32 i) { return Slot(components[i], components[kSlots + i]); });
}

Ciphertext encrypt(const Client& client, const Slots& values, std::optional<u32> level) {
  return client.encryptor.encrypt(client.encoder.encode(std::span<const Slot>(values), {level, {}, {}}));
}

Traced step(const Client& client, Verb verb, const Traced& a, const Traced& b) {
  static const Values known = testing::random_values(kSlots, 77);
  static const Slots points = random_points(78);
  constexpr Slot kValue(-0.5, 0.75);
  const AutomaticEvaluator& e = client.automatic;
  const Slots &x = a.v, &y = b.v;
  switch (verb) {
    case Verb::add: return {e.add(a.c, b.c), each([&](u32 i) { return x[i] + y[i]; })};
    case Verb::subtract: return {e.subtract(a.c, b.c), each([&](u32 i) { return x[i] - y[i]; })};
    case Verb::negate: return {e.negate(a.c), each([&](u32 i) { return -x[i]; })};
    case Verb::add_many: {
      const Ciphertext terms[] = {a.c.clone(), b.c.clone(), b.c.clone()};
      return {e.add_many(terms), each([&](u32 i) { return x[i] + 2.0 * y[i]; })};
    }
    case Verb::multiply_integer: return {e.multiply_integer(a.c, -5), each([&](u32 i) { return -5.0 * x[i]; })};
    case Verb::subtract_values: return {e.subtract_plain(a.c, known), each([&](u32 i) { return x[i] - known[i]; })};
    case Verb::sub_points: return {e.subtract_plain(a.c, points), each([&](u32 i) { return x[i] - points[i]; })};
    case Verb::multiply: return {e.multiply(a.c, b.c), each([&](u32 i) { return x[i] * y[i]; })};
    case Verb::square: return {e.square(a.c), each([&](u32 i) { return x[i] * x[i]; })};
    case Verb::add_vector: return {e.add_plain(a.c, known), each([&](u32 i) { return x[i] + known[i]; })};
    case Verb::add_points: return {e.add_plain(a.c, points), each([&](u32 i) { return x[i] + points[i]; })};
    case Verb::add_value: return {e.add_plain(a.c, kValue), each([&](u32 i) { return x[i] + kValue; })};
    case Verb::multiply_vector: return {e.multiply_plain(a.c, known), each([&](u32 i) { return x[i] * known[i]; })};
    case Verb::multiply_points: return {e.multiply_plain(a.c, points), each([&](u32 i) { return x[i] * points[i]; })};
    case Verb::multiply_value: return {e.multiply_plain(a.c, kValue), each([&](u32 i) { return x[i] * kValue; })};
    case Verb::power: return {e.power(a.c, 3), each([&](u32 i) { return x[i] * x[i] * x[i]; })};
    case Verb::inner_product: {
      const Ciphertext left[] = {a.c.clone(), b.c.clone()}, right[] = {b.c.clone(), b.c.clone()};
      return {e.inner_product(left, right), each([&](u32 i) { return (x[i] + y[i]) * y[i]; })};
    }
    case Verb::rotate: return {e.rotate(a.c, 2), each([&](u32 i) { return x[(i + 2) % kSlots]; })};
    case Verb::conjugate: return {e.conjugate(a.c), each([&](u32 i) { return std::conj(x[i]); })};
    case Verb::sum_slots: return {e.sum_slots(a.c), Slots(kSlots, std::accumulate(x.begin(), x.end(), Slot{}))};
    case Verb::align: return {e.align(a.c, a.c.level() - std::min(a.c.level(), 1u)), x};
  }
  return {};
}

struct Observed {
  std::array<u64, kVerbs> steps{};  // accepted steps
  // the least slack between bound and error in bits, by depth
  std::array<double, 5> slack{1e9, 1e9, 1e9, 1e9, 1e9};
  u64 decrypted = 0, lost = 0;
};

void expect_within_the_bound(const Client& client, const Traced& t, Observed& observed) {
  Slots found(kSlots), rounded(kSlots);
  try {
    const Plaintext plain = client.decryptor.decrypt(t.c);
    client.encoder.decode(plain, std::span(rounded));
    client.encoder.decode_raw(plain, std::span(found));
  } catch (const Error& refused) {  // no guaranteed bit is left
    EXPECT_EQ(refused.code(), Code::noise_bound_exceeded) << refused.what();
    ++observed.lost;
    return;
  }
  double error = 0, largest = 0;
  for (u32 i = 0; i < kSlots; ++i)
    error = std::max(error, std::abs(found[i] - t.v[i])), largest = std::max(largest, std::abs(t.v[i]));
  const double claimed = testing::claimed_error(client, t.c);
  ASSERT_LE(error, claimed) << "level " << t.c.level();
  const double shown = std::exp2(-client.encoder.decoded_precision_bits(t.c) - 1);
  for (u32 i = 0; i < kSlots; ++i) ASSERT_LE(std::abs(rounded[i] - t.v[i]), shown) << "level " << t.c.level();
  ASSERT_LE(largest, t.c.magnitude() * (1 + 1e-12)) << "level " << t.c.level();
  ++observed.decrypted;
  double& slack = observed.slack[client.context.top_level() - t.c.level()];
  slack = std::min(slack, std::log2(claimed / error));
}

void circuit(const Client& client, u64 seed, Observed& observed) {
  std::mt19937_64 generator(seed);
  std::vector<Traced> ciphertexts;
  for (u64 i = 0; i < 3; ++i) {
    const u32 level = client.context.top_level() - static_cast<u32>(i / 2);  // one operand begins one level lower
    Slots v = random_points(100 * seed + i);
    Ciphertext c = encrypt(client, v, level);
    ciphertexts.push_back({std::move(c), std::move(v)});
  }
  for (int i = 0; i < 8; ++i) {
    const auto verb = static_cast<Verb>(generator() % kVerbs);
    const std::size_t a = generator() % ciphertexts.size(), b = ciphertexts.size() - 1 - generator() % 2;
    try {
      ciphertexts.push_back(step(client, verb, ciphertexts[a], ciphertexts[b]));
      ++observed.steps[static_cast<std::size_t>(verb)];
    } catch (const Error& refused) {
      EXPECT_TRUE(refused.code() == Code::noise_bound_exceeded || refused.code() == Code::depth_exhausted)
          << refused.what();
    }
  }
  for (const Traced& t : ciphertexts) expect_within_the_bound(client, t, observed);
}

Shape chain(const Shape& words) {
  Shape shape = words;
  shape.n = 2 * kSlots;
  shape.levels = 4;
  return shape;
}

Shape long_words() {
  Shape shape;
  shape.first_bits = shape.special_bits = 58;
  return shape;
}

u64 circuits() {
  const char* const counts = std::getenv("RINGFORT_COUNTS");
  return counts != nullptr && std::string_view(counts) == "full" ? 10000 : 200;
}

class CkksCircuits : public ::testing::TestWithParam<Shape> {};

TEST_P(CkksCircuits, StayWithinTheirBoundsOverEveryVerb) {
  testing::choose_seed(9);
  const Client client(testing::parameters_of(chain(GetParam())), "", {1, 2, 4, 8, 16, 32});
  Observed observed;
  for (u64 seed = 0; seed < circuits() && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    circuit(client, seed, observed);
  }
  for (std::size_t verb = 0; verb < kVerbs; ++verb) EXPECT_GT(observed.steps[verb], circuits() / 10) << "verb " << verb;
  EXPECT_GT(observed.decrypted, 20 * observed.lost);
  for (std::size_t depth = 0; depth < observed.slack.size(); ++depth)
    RecordProperty("bits_above_depth_" + std::to_string(depth), std::to_string(observed.slack[depth]));
}

INSTANTIATE_TEST_SUITE_P(Chains, CkksCircuits, ::testing::Values(long_words(), testing::short_words()),
                         [](const auto& info) { return info.index == 0 ? "LongWords" : "ShortWords"; });

TEST(CkksBound, AnOperationThatWouldPassTheModulusIsRefusedBeforeItRuns) {
  testing::choose_seed(11);
  const Client client(testing::parameters_of({}));
  const Ciphertext a = client.encrypt({0.5});
  Ciphertext out = a.clone();
  const auto before = testing::residues(out);
  try {
    client.evaluator.multiply_into(out, client.evaluator.mod_switch(a, 0), client.evaluator.mod_switch(a, 0));
    FAIL();
  } catch (const Error& e) { EXPECT_EQ(e.code(), Code::noise_bound_exceeded) << e.what(); }
  EXPECT_EQ(testing::residues(out), before);
  Ciphertext grown = client.evaluator.mod_switch(a, 0);
  int doublings = 0;
  EXPECT_THROW(for (; doublings < 64; ++doublings) grown = client.evaluator.add(grown, grown), Error);
  // at a scale of 2^40, a value that was doubled this many times fits a modulus of 2^50
  EXPECT_GE(doublings, 8);
  EXPECT_LE(testing::largest_difference({client.decrypt(grown)[0]}, {0.5 * std::exp2(doublings)}),
            testing::claimed_error(client, grown));
}

TEST(CkksBound, AnOperationThatWouldLeaveNothingCertainIsRefusedBeforeItRuns) {
  testing::choose_seed(12);
  const Client client(testing::parameters_of({}));
  const auto& e = client.evaluator;
  const Ciphertext a = client.encrypt({0.5}), tiny = e.multiply_plain(a, client.encoder.encode_public(Values{1e-12}));
  // the bound guarantees bits of the value after the binary point
  EXPECT_NEAR(client.decrypt(tiny)[0], 0.5e-12, testing::claimed_error(client, tiny));
  const auto expect_lost = [&](auto verb) {
    try {
      (void)verb();
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::noise_bound_exceeded) << error.what();
      EXPECT_NE(error.problem().find("as large as itself"), std::string::npos) << error.what();
    }
  };
  expect_lost([&] { return e.multiply_integer(tiny, std::int64_t{1} << 45); });
  const Ciphertext far = e.add_plain(a, client.encoder.encode_public(Values{0x1p44}));
  expect_lost([&] { return e.multiply_plain(far, client.encoder.encode_public(Values{0x1p-60})); });
  const Ciphertext wide = e.multiply_integer(a, std::int64_t{1} << 40);
  EXPECT_LT(wide.precision_bits(), 1);  // the bound guarantees no bits after the binary point, but some bits before it
  expect_lost([&] { return e.declare_magnitude(wide, 1); });
}

}  // namespace
}  // namespace ringfort::ckks
