// SPDX-License-Identifier: Apache-2.0
// Tests the device `dry`, which checks a program without its arithmetic. A program on it must have the same levels,
// scales, bounds, refusals and sizes in bytes as on any other device. Ciphertexts on it have no residues.
#include "support/ckks.h"

namespace ringfort::ckks::dry_test {
namespace {

using testing::Client;

struct Facts {
  std::vector<double> bounds;
  std::vector<std::uint32_t> levels;
  std::vector<std::size_t> bytes;
  bool operator==(const Facts&) const = default;
};

template <class F>
Code refusal(F f) {
  try {
    f();
  } catch (const Error& error) { return error.code(); }
  return Code::internal;
}

// Runs one operation of each kind that changes a bound. Also checks the refusals of a program that has no levels left.
Facts facts_on(std::string_view device, const testing::Shape& shape) {
  testing::choose_seed(4);
  const Client client(testing::parameters_of(shape), device);
  const Ciphertext a = client.encrypt(testing::random_values(client.context.slots(), 1)),
                   b = client.encrypt(testing::random_values(client.context.slots(), 2));
  const Plaintext plain = client.encoder.encode_public(testing::random_values(client.context.slots(), 3));
  std::vector<Ciphertext> results;
  results.push_back(client.automatic.multiply(a, b));
  results.push_back(client.automatic.add(results.back(), a));
  results.push_back(client.automatic.rotate(results.back(), 2));
  results.push_back(client.evaluator.rescale(client.evaluator.multiply_plain(a, plain)));
  results.push_back(client.automatic.conjugate(results.back()));
  results.push_back(client.evaluator.declare_magnitude(results.back(), 0.5));
  Facts facts;
  for (const Ciphertext& each : results) {
    facts.bounds.insert(facts.bounds.end(), {each.scale(), each.magnitude(), each.precision_bits()});
    facts.levels.push_back(each.level());
    facts.bytes.push_back(each.bytes());
  }
  Ciphertext last = a.clone();
  while (last.level() > 0) last = client.automatic.square(last);
  EXPECT_EQ(refusal([&] { last = client.automatic.square(last); }), Code::depth_exhausted) << device;
  EXPECT_EQ(refusal([&] { static_cast<void>(client.automatic.rotate(a, 17)); }), Code::key_missing) << device;
  return facts;
}

TEST(DryRuns, HaveTheFactsOfOtherDevices) {
  for (const testing::Shape& shape : {testing::Shape{}, testing::words_of_short_form()})
    EXPECT_EQ(facts_on("dry", shape), facts_on("cpu", shape));
}

TEST(DryRuns, HaveNoWords) {
  const Client client(testing::parameters_of({}), "dry");
  const Ciphertext a = client.encrypt(testing::random_values(4, 1));
  EXPECT_EQ(refusal([&] { static_cast<void>(client.decrypt(a)); }), Code::unsupported);
}

TEST(DryRuns, TakeNoMemoryForWords) {
  testing::Shape shape;
  shape.n = 1u << 15;
  const Client client(testing::parameters_of(shape), "dry");
  const Ciphertext a = client.encrypt(testing::random_values(4, 1));
  std::vector<Ciphertext> many;
  for (int i = 0; i < 20000; ++i) many.push_back(client.evaluator.negate(a));  // with words, they would take 40 GB
  EXPECT_GT(KeyContext(client.context).memory().used, std::size_t{20} << 30);
}

}  // namespace
}  // namespace ringfort::ckks::dry_test
