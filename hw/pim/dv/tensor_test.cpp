// SPDX-License-Identifier: Apache-2.0
// Tests the kernel tensor: compares tensor products of ciphertexts of two components with plain remainders. The
// operands are edge values, a million random coefficients, and short vectors. hw/pim/README.md explains the terms.
#include "support.h"
#include "tensor_run.h"

namespace ringfort::pim::testing {
namespace {

class Tensor : public DpuTest {
 protected:
  void SetUp() override {
    DpuTest::SetUp();
    if (!IsSkipped()) run_.emplace(kernel_path("tensor"), Timing{});
  }

  void check(u32 q, const Components& x) {
    const u64 radix_inverse = power_mod((u64{1} << (q < (1u << 24) ? 24 : 32)) % q, q - 2, q);
    const auto times = [&](u32 a, u32 b) { return product_mod(product_mod(a, b, q), radix_inverse, q); };
    const std::size_t words = x.a0.size();
    std::vector<u32> out;
    run_tensor(*run_, q, x, out);
    for (std::size_t i = 0; i < words; ++i) {
      const std::string which =
          "q=" + std::to_string(q) + " words=" + std::to_string(words) + " index " + std::to_string(i);
      ASSERT_EQ(out[i], times(x.a0[i], x.b0[i])) << which;
      ASSERT_EQ(out[words + i], (times(x.a0[i], x.b1[i]) + times(x.a1[i], x.b0[i])) % q) << which;
      ASSERT_EQ(out[2 * words + i], times(x.a1[i], x.b1[i])) << which;
    }
  }

  static Components random_components(u32 words, u32 q, u64 seed) {
    Words random(seed);
    Components x;
    for (auto* component : {&x.a0, &x.a1, &x.b0, &x.b1}) {
      for (u32 i = 0; i < words; ++i) component->push_back(random.below(q));
    }
    return x;
  }

  std::optional<KernelRun> run_;
};

TEST_F(Tensor, IsTheProductOfTwoCiphertexts) {
  for (unsigned bits : {17u, 24u, 28u, 30u}) {
    const u32 q = prime_below(u64{1} << bits, 1u << 16);
    for (u32 words : {2u, 126u, 128u, 130u, 4094u}) check(q, random_components(words, q, words + bits));
  }
}

TEST_F(Tensor, EdgeValues) {
  for (unsigned bits : {24u, 30u}) {
    const u32 q = prime_below(u64{1} << bits, 1u << 16);
    const std::vector<u32> edges{0, 1, 65535, 65536, q / 2, q - 65536, q - 2, q - 1};
    Components x;
    for (u32 i = 0; i < 4096; ++i) {
      x.a0.push_back(edges[i & 7]);
      x.a1.push_back(edges[i >> 3 & 7]);
      x.b0.push_back(edges[i >> 6 & 7]);
      x.b1.push_back(edges[i >> 9]);
    }
    check(q, x);
  }
}

TEST_F(Tensor, AMillionRandomCoefficients) {
  for (unsigned bits : {24u, 30u}) {
    const u32 q = prime_below(u64{1} << bits, 1u << 16);
    check(q, random_components(125000, q, bits));
  }
}

}  // namespace
}  // namespace ringfort::pim::testing
