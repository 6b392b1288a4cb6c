// SPDX-License-Identifier: Apache-2.0
// Random expressions give the same integers in BFV, in BGV and in the clear, on the levels that the automatic evaluators choose;
// where one scheme has no room left it says so before it computes. The measured noise never passes the public bound.
#include <cstdlib>

#include "scheme/bfv/policy.h"
#include "support/integers.h"

namespace ringfort::integers {
namespace {

using testing::Client;
using testing::Shape;
using testing::Values;

constexpr u64 kT = 65537;

Shape shape() {
  Shape shape;
  shape.n = 64;
  shape.levels = 5;
  shape.bits = shape.first_bits = shape.special_bits = 58;
  return shape;
}

template <class S>
std::vector<Ciphertext<S>> run(const Client<S>& client, const std::vector<Values>& inputs, u64 seed, u32 steps) {
  std::mt19937_64 generator(seed);
  std::vector<Ciphertext<S>> held;
  for (const Values& input : inputs) held.push_back(client.encrypt(input));
  for (u32 i = 0; i < steps; ++i) {
    const auto &a = held[generator() % held.size()], &b = held[held.size() - 1 - generator() % 2];
    switch (generator() % 6) {
      case 0: held.push_back(client.automatic.add(a, b)); break;
      case 1: held.push_back(client.automatic.sub(a, b)); break;
      case 2: held.push_back(client.automatic.rotate(a, 2)); break;
      case 3: held.push_back(client.automatic.multiply_plain(a, client.encoder.encode(inputs[0]))); break;
      case 4: held.push_back(client.automatic.add_plain(a, client.encoder.encode(inputs[1]))); break;
      default: held.push_back(client.automatic.multiply(a, b));
    }
  }
  return held;
}

std::vector<Values> run_in_the_clear(const std::vector<Values>& inputs, u64 seed, u32 steps) {
  std::mt19937_64 generator(seed);
  std::vector<Values> held = inputs;
  const auto each = [](auto f) { return testing::each(64, kT, f); };
  for (u32 i = 0; i < steps; ++i) {
    const Values a = held[generator() % held.size()], b = held[held.size() - 1 - generator() % 2];
    switch (generator() % 6) {
      case 0: held.push_back(each([&](u32 j) { return a[j] + b[j]; })); break;
      case 1: held.push_back(each([&](u32 j) { return a[j] - b[j]; })); break;
      case 2: held.push_back(testing::turned(a, 2)); break;
      case 3: held.push_back(each([&](u32 j) { return a[j] * inputs[0][j]; })); break;
      case 4: held.push_back(each([&](u32 j) { return a[j] + inputs[1][j]; })); break;
      default: held.push_back(each([&](u32 j) { return a[j] * b[j]; }));
    }
  }
  return held;
}

// Runs as much of the circuit as the bounds allow: the number of steps, and what they gave.
template <class S>
u32 expect_circuit(const Client<S>& client, const std::vector<Values>& inputs, u64 seed) {
  for (u32 steps = 7; steps > 0; --steps) {
    try {
      const auto found = run(client, inputs, seed, steps);
      const auto expected = run_in_the_clear(inputs, seed, steps);
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(client.decrypt(found[i]), expected[i]) << "seed " << seed << " value " << i;
      return steps;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Code::noise_bound_exceeded) << e.what();
    }
  }
  return 0;
}

u64 circuits() {
  const char* const counts = std::getenv("RINGFORT_COUNTS");
  return counts != nullptr && std::string_view(counts) == "full" ? 10000 : 100;
}

TEST(IntegerCircuits, BfvAndBgvAndTheClearAgree) {
  testing::choose_seed(51);
  const Client<bfv::Scheme> bfv(testing::parameters_of<bfv::Scheme>(shape(), kT), "cpu", {2});
  const Client<bgv::Scheme> bgv(testing::parameters_of<bgv::Scheme>(shape(), kT), "cpu", {2});
  u64 bfv_steps = 0, bgv_steps = 0;
  for (u64 seed = 0; seed < circuits(); ++seed) {
    const std::vector<Values> inputs = {testing::random_values(64, kT, 2 * seed), testing::random_values(64, kT, 2 * seed + 1)};
    bfv_steps += expect_circuit(bfv, inputs, seed);
    bgv_steps += expect_circuit(bgv, inputs, seed);
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_GT(bfv_steps, 6 * circuits());                                // the bounds leave room for most of them
  EXPECT_GT(bgv_steps, 6 * circuits());
}

// The noise that the secret key finds: log2 of the largest coefficient of phase - (what the plaintext contributes).
template <class S>
double measured_noise(const Client<S>& client, const Ciphertext<S>& c) {
  const Block& block = c.state().block;
  const KeyContext::State& k = *block.context;
  const auto work = k.workspace();
  const Limbs data = k.chain.data(block.level);
  const Scratch<Eval> held = phase(block, *client.generator.secret_key().state(), block.level, *work);
  Slice<Eval> sum = held.all();
  if constexpr (std::is_same_v<S, bfv::Scheme>) {
    const auto plain = client.decryptor.decrypt(c);
    const auto space = k.workspace();
    const Poly<Eval> lifted = Policy<S>::lift_for_sum(client.context.state()->ring, plain.state().coefficients.span(), block.level, 1, *space);
    k.ring.sub(work->stream, sum, sum, lifted.all());
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

// The claim in units of the phase: BFV's is relative to Q / t.
template <class S>
double claimed_noise(const Client<S>& client, const Ciphertext<S>& c) {
  const IntegerRing& ring = client.context.state()->ring;
  const double log2_q = ring.base().ring.basis().log2_product(ring.base().chain.data(c.level()));
  return c.state().claim.error.log2 + (std::is_same_v<S, bfv::Scheme> ? log2_q - std::log2(static_cast<double>(kT)) : 0);
}

template <class S>
void expect_bounded() {
  testing::choose_seed(52);
  const Client<S> client(testing::parameters_of<S>(shape(), kT), "cpu", {2});
  for (u64 seed = 0; seed < 20; ++seed) {
    const std::vector<Values> inputs = {testing::random_values(64, kT, seed), testing::random_values(64, kT, seed + 1)};
    try {
      for (const auto& c : run(client, inputs, seed, 6)) ASSERT_LE(measured_noise(client, c), claimed_noise(client, c)) << seed;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Code::noise_bound_exceeded) << e.what();
    }
  }
}

TEST(IntegerBounds, TheNoiseOfBfvStaysBelowItsBound) { expect_bounded<bfv::Scheme>(); }
TEST(IntegerBounds, ThePhaseOfBgvStaysBelowItsBound) { expect_bounded<bgv::Scheme>(); }

}  // namespace
}  // namespace ringfort::integers
