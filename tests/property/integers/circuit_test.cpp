// SPDX-License-Identifier: Apache-2.0
// Runs random expressions of 16 verbs in BFV, in BGV and in cleartext, and checks that they give the same integers. The
// automatic evaluators choose the levels. Contexts have one prime or two primes per level. If a scheme has no noise
// budget left, it must refuse the verb. The measured noise must never exceed the public bound.
#include <cstdlib>
#include <numeric>

#include "rlwe/encryption.h"
#include "scheme/bfv/policy.h"
#include "support/integers.h"

namespace ringfort::integers::circuit_test {
namespace {

using testing::Client;
using testing::Shape;
using testing::Values;

constexpr u64 kT = 65537;
constexpr u32 kDegree = 64;

Shape long_words() {
  Shape shape;
  shape.n = kDegree;
  shape.levels = 5;
  shape.bits = shape.first_bits = shape.special_bits = 58;
  return shape;
}

Shape short_words() {
  Shape shape = testing::short_words();
  shape.n = kDegree;
  shape.levels = 5;
  return shape;
}

enum class Verb {
  add,
  subtract,
  negate,
  add_plain,
  subtract_plain,
  multiply,
  square,
  multiply_plain,
  multiply_integer,
  rotate,
  swap_rows,
  sum_slots,
  power,
  inner_product,
  add_many,
  mod_switch
};
constexpr std::size_t kVerbs = static_cast<std::size_t>(Verb::mod_switch) + 1;
constexpr i64 kFactor = -13;
constexpr u32 kExponent = 3;

// The values of a circuit are its inputs and the results of its steps. The second input is also the operand for verbs
// with a plaintext.
struct Circuit {
  struct Step {
    Verb verb;
    std::size_t a, b;
  };
  std::vector<Values> inputs;
  std::vector<Step> steps;
};

Circuit random_circuit(u64 seed) {
  std::mt19937_64 generator(seed);
  Circuit circuit{{testing::random_values(kDegree, kT, 2 * seed), testing::random_values(kDegree, kT, 2 * seed + 1)},
                  {}};
  for (std::size_t count = 2; count < 10; ++count)
    circuit.steps.push_back(
        {static_cast<Verb>(generator() % kVerbs), generator() % count, count - 1 - generator() % 2});
  return circuit;
}

template <class F>
Values each(F f) {
  return testing::each(kDegree, kT, [&](u32 i) { return static_cast<i128>(f(i)); });
}

Values row_sums(const Values& a) {
  const auto middle = a.begin() + kDegree / 2;
  const i64 sums[] = {std::accumulate(a.begin(), middle, i64{0}), std::accumulate(middle, a.end(), i64{0})};
  return each([&](u32 i) { return sums[i / (kDegree / 2)]; });
}

Values in_the_clear(Verb verb, const Values& a, const Values& b, const Values& plain) {
  switch (verb) {
    case Verb::add: return each([&](u32 i) { return a[i] + b[i]; });
    case Verb::subtract: return each([&](u32 i) { return a[i] - b[i]; });
    case Verb::negate: return each([&](u32 i) { return -a[i]; });
    case Verb::add_plain: return each([&](u32 i) { return a[i] + plain[i]; });
    case Verb::subtract_plain: return each([&](u32 i) { return a[i] - plain[i]; });
    case Verb::multiply: return each([&](u32 i) { return a[i] * b[i]; });
    case Verb::square: return each([&](u32 i) { return a[i] * a[i]; });
    case Verb::multiply_plain: return each([&](u32 i) { return a[i] * plain[i]; });
    case Verb::multiply_integer: return each([&](u32 i) { return a[i] * kFactor; });
    case Verb::rotate: return testing::rotated(a, 2);
    case Verb::swap_rows: return each([&](u32 i) { return a[(i + kDegree / 2) % kDegree]; });
    case Verb::sum_slots: return row_sums(a);
    case Verb::power: return each([&](u32 i) { return a[i] * a[i] * a[i]; });
    case Verb::inner_product: return each([&](u32 i) { return a[i] * b[i] + b[i] * b[i]; });
    case Verb::add_many: return each([&](u32 i) { return a[i] + b[i] + b[i]; });
    case Verb::mod_switch: return a;
  }
  return {};
}

template <class S>
Ciphertext<S> encrypted(const Client<S>& client, Verb verb, const Ciphertext<S>& a, const Ciphertext<S>& b,
                        const Plaintext<S>& plain) {
  const AutomaticEvaluator<S>& e = client.automatic;
  switch (verb) {
    case Verb::add: return e.add(a, b);
    case Verb::subtract: return e.subtract(a, b);
    case Verb::negate: return e.negate(a);
    case Verb::add_plain: return e.add_plain(a, plain);
    case Verb::subtract_plain: return e.subtract_plain(a, plain);
    case Verb::multiply: return e.multiply(a, b);
    case Verb::square: return e.square(a);
    case Verb::multiply_plain: return e.multiply_plain(a, plain);
    case Verb::multiply_integer: return e.multiply_integer(a, kFactor);
    case Verb::rotate: return e.rotate(a, 2);
    case Verb::swap_rows: return e.swap_rows(a);
    case Verb::sum_slots: return e.sum_slots(a);
    case Verb::power: return e.power(a, kExponent);
    case Verb::inner_product: {
      const Ciphertext<S> left[] = {a.clone(), b.clone()}, right[] = {b.clone(), b.clone()};
      return e.inner_product(left, right);
    }
    case Verb::add_many: {
      const Ciphertext<S> terms[] = {a.clone(), b.clone(), b.clone()};
      return e.add_many(terms);
    }
    case Verb::mod_switch: return client.evaluator.mod_switch(a, a.level() - std::min(a.level(), 1u));
  }
  return {};
}

// The numbers of steps that one scheme computed, by verb. Steps that the bounds refuse do not count, and steps that
// depend on refused steps do not count either.
using Counts = std::array<u64, kVerbs>;

template <class S>
std::vector<std::optional<Ciphertext<S>>> evaluate(const Client<S>& client, const Circuit& circuit, Counts& counts) {
  std::vector<std::optional<Ciphertext<S>>> ciphertexts;
  for (const Values& input : circuit.inputs) ciphertexts.emplace_back(client.encrypt(input));
  const Plaintext<S> plain = client.encoder.encode(circuit.inputs[1]);
  for (const Circuit::Step& step : circuit.steps) {
    std::optional<Ciphertext<S>> result;
    try {
      if (ciphertexts[step.a] && ciphertexts[step.b])
        result = encrypted(client, step.verb, *ciphertexts[step.a], *ciphertexts[step.b], plain);
    } catch (const Error& refused) { EXPECT_EQ(refused.code(), Code::noise_bound_exceeded) << refused.what(); }
    counts[static_cast<std::size_t>(step.verb)] += result ? 1 : 0;
    ciphertexts.push_back(std::move(result));
  }
  return ciphertexts;
}

template <class S>
void expect_circuit(const Client<S>& client, const Circuit& circuit, Counts& counts) {
  const auto found = evaluate(client, circuit, counts);
  std::vector<Values> expected = circuit.inputs;
  for (const Circuit::Step& step : circuit.steps)
    expected.push_back(in_the_clear(step.verb, expected[step.a], expected[step.b], circuit.inputs[1]));
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) continue;
    EXPECT_EQ(client.decrypt(*found[i]), expected[i]) << "value " << i;
  }
}

template <class S>
Client<S> client_of(const Shape& shape) {
  return Client<S>(testing::parameters_of<S>(shape, kT), "", {1, 2, 4, 8, 16});
}

u64 circuits() {
  const char* const counts = std::getenv("RINGFORT_COUNTS");
  return counts != nullptr && std::string_view(counts) == "full" ? 10000 : 200;
}

// Checks that the bounds accept most steps, and that they accept each verb in sufficiently many steps.
void expect_coverage(const Counts& counts, u64 steps) {
  EXPECT_GT(2 * std::accumulate(counts.begin(), counts.end(), u64{0}), steps);
  for (std::size_t verb = 0; verb < kVerbs; ++verb) EXPECT_GT(20 * kVerbs * counts[verb], steps) << "verb " << verb;
}

class IntegerCircuits : public ::testing::TestWithParam<Shape> {};

TEST_P(IntegerCircuits, BfvAndBgvAndTheClearAgree) {
  testing::choose_seed(51);
  const auto bfv = client_of<bfv::Scheme>(GetParam());
  const auto bgv = client_of<bgv::Scheme>(GetParam());
  Counts of_bfv{}, of_bgv{};
  for (u64 seed = 0; seed < circuits(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Circuit circuit = random_circuit(seed);
    expect_circuit(bfv, circuit, of_bfv);
    expect_circuit(bgv, circuit, of_bgv);
    if (HasFailure()) break;
  }
  for (const Counts& counts : {of_bfv, of_bgv}) expect_coverage(counts, 8 * circuits());
}

const auto name_of_words = [](const auto& info) {
  return info.param.limbs_per_level == 1 ? "LongWords" : "ShortWords";
};
INSTANTIATE_TEST_SUITE_P(Chains, IntegerCircuits, ::testing::Values(long_words(), short_words()), name_of_words);

// Returns the noise, measured with the secret key. Subtracts the contribution of the plaintext from the phase, and
// returns log2 of the largest coefficient.
template <class S>
double measured_noise(const Client<S>& client, const Ciphertext<S>& c) {
  const RlweCiphertext& ciphertext = c.state().rlwe;
  const KeyContext::State& k = *ciphertext.context;
  const auto work = k.workspace();
  const Limbs data = k.chain.data(ciphertext.level);
  const Scratch<Eval> scratch = phase(ciphertext, *client.generator.secret_key().state(), ciphertext.level, *work);
  Slice<Eval> sum = scratch.all();
  if constexpr (std::is_same_v<S, bfv::Scheme>) {
    const auto plain = client.decryptor.decrypt(c);
    const auto space = k.workspace();
    const Poly<Eval> lifted = Policy<S>::lift_for_sum(client.context.state()->ring, plain.state().coefficients.span(),
                                                      ciphertext.level, 1, *space);
    k.ring.subtract(work->stream, sum, sum, lifted.all());
  }
  std::vector<u64> words(std::size_t{data.count} * k.p.n);
  k.ring.download(work->stream, k.ring.inverse(work->stream, std::move(sum)), std::span<u64>(words), work->staging);
  double most = 0;
  const std::vector<u64> modulus = k.ring.basis().product_words(data);
  const auto log2_of = [](const std::vector<u64>& w) {
    double value = 0;
    for (std::size_t i = w.size(); i-- > 0;) value = value * 0x1p64 + static_cast<double>(w[i]);
    return std::log2(value);
  };
  for (u32 j = 0; j < k.p.n; ++j) {
    std::vector<u64> residues;
    for (u32 i = 0; i < data.count; ++i) residues.push_back(words[std::size_t{i} * k.p.n + j]);
    std::vector<u64> value = k.ring.basis().compose_words(data, residues), negative(value.size());
    u64 borrow = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const u128 difference = static_cast<u128>(modulus[i]) - value[i] - borrow;
      negative[i] = static_cast<u64>(difference);
      borrow = static_cast<u64>(difference >> 127);
    }
    most = std::max(most, std::min(log2_of(value), log2_of(negative)));
  }
  return most;
}

// Returns the noise bound in units of the phase. BFV's own bound is relative to Q / t.
template <class S>
double claimed_noise(const Client<S>& client, const Ciphertext<S>& c) {
  const IntegerRing& ring = client.context.state()->ring;
  const double log2_q = ring.base().ring.basis().log2_product(ring.base().chain.data(c.level()));
  return c.state().bound.error.log2 +
         (std::is_same_v<S, bfv::Scheme> ? log2_q - std::log2(static_cast<double>(kT)) : 0);
}

template <class S>
void expect_bounded(const Shape& shape) {
  testing::choose_seed(52);
  const auto client = client_of<S>(shape);
  Counts counts{};
  for (u64 seed = 0; seed < circuits() / 2; ++seed) {
    for (const auto& c : evaluate(client, random_circuit(seed), counts)) {
      if (!c) continue;
      ASSERT_LE(measured_noise(client, *c), claimed_noise(client, *c)) << "seed " << seed;
    }
  }
  expect_coverage(counts, 4 * circuits());
}

class IntegerBounds : public ::testing::TestWithParam<Shape> {};

TEST_P(IntegerBounds, TheNoiseOfBfvStaysBelowItsBound) { expect_bounded<bfv::Scheme>(GetParam()); }
TEST_P(IntegerBounds, ThePhaseOfBgvStaysBelowItsBound) { expect_bounded<bgv::Scheme>(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Chains, IntegerBounds, ::testing::Values(long_words(), short_words()), name_of_words);

}  // namespace
}  // namespace ringfort::integers::circuit_test
