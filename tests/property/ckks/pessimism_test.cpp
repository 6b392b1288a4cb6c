// SPDX-License-Identifier: Apache-2.0
// Measures, after successive products, the slack between the noise bound and the error of the worst slot. The result is
// the distribution of the slack in bits over random inputs, for depths 1 to 6. The bound holds for every input and
// every key. The measurements show typical inputs.
#include "support/ckks.h"

namespace ringfort::ckks::testing {
namespace {

constexpr u32 kDepth = 6, kInputs = 12;

// Returns the slack at each depth i of the sequence x_(i+1) = x_i y_i, y_(i+1) = x_i^2. The inputs x_0 and y_0 are
// encrypted under the public key.
std::vector<double> differences(const Client& client, u64 seed) {
  const Encryptor open(client.context, client.open);
  Values x = random_values(client.context.slots(), seed), y = random_values(client.context.slots(), seed + 1);
  const auto encrypt = [&](const Values& v) { return open.encrypt(client.encoder.encode(v)); };
  Ciphertext a = encrypt(x), b = encrypt(y);
  std::vector<double> out;
  for (u32 i = 0; i < kDepth; ++i) {
    const Ciphertext product = client.automatic.multiply(a, b);
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double ab = x[j] * y[j];
      y[j] = x[j] * x[j];
      x[j] = ab;
    }
    b = client.automatic.multiply(a, a);
    a = product.clone();
    out.push_back(std::log2(claimed_error(client, a) / largest_difference(client.decrypt(a), x)));
  }
  return out;
}

TEST(CkksPessimism, ClaimsAreWithinFewBitsOfMeasurementsAtEveryDepth) {
  Shape shape;
  shape.n = 8192;
  shape.levels = kDepth;
  shape.bits = 45;
  shape.first_bits = 58;
  shape.special_bits = 58;
  choose_seed(6001);
  const Client client(parameters_of(shape), "", {});
  std::vector<std::vector<double>> by_depth(kDepth);
  for (u64 input = 0; input < kInputs; ++input) {
    const std::vector<double> found = differences(client, 100 * input);
    for (u32 i = 0; i < kDepth; ++i) by_depth[i].push_back(found[i]);
  }
  for (u32 i = 0; i < kDepth; ++i) {
    std::vector<double>& bits = by_depth[i];
    std::sort(bits.begin(), bits.end());
    EXPECT_GT(bits.front(), 0) << "depth " << i + 1 << ": the bound does not hold";
    EXPECT_LT(bits.back(), i < 4 ? 8 : 10) << "depth " << i + 1;
    RecordProperty(
        "depth_" + std::to_string(i + 1),
        std::to_string(bits.front()) + " " + std::to_string(bits[bits.size() / 2]) + " " + std::to_string(bits.back()));
  }
}

}  // namespace
}  // namespace ringfort::ckks::testing
