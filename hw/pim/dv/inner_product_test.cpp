// SPDX-License-Identifier: Apache-2.0
// Tests the kernel inner_product: compares inner products with plain remainders. Eight products share one reduction.
// Therefore the tests have numbers of products near eight, and also edge values and a million products.
// hw/pim/README.md explains the terms.
#include "inner_product_run.h"
#include "support.h"

namespace ringfort::pim::testing {
namespace {

class InnerProduct : public DpuTest {
 protected:
  void SetUp() override {
    DpuTest::SetUp();
    if (!IsSkipped()) run_.emplace(kernel_path("inner_product"), Timing{});
  }

  // Compares the kernel with plain remainders. If `edge` is true, all words are q - 1.
  void check(u32 q, const Shape& s, bool accumulate, bool edge) {
    Words random(s.words + s.inner);
    const auto words = [&](u32 count) {
      std::vector<u32> values(count);
      for (auto& word : values) word = edge ? q - 1 : random.below(q);
      return values;
    };
    const auto a = words(s.rows * s.inner * s.words), b = words(s.inner * s.columns * s.words);
    auto out = words(accumulate ? s.rows * s.columns * s.words : 0);
    const auto before = out;
    run_inner_product(*run_, q, s, a, b, out);
    const u64 radix_inverse = power_mod((u64{1} << (q < (1u << 24) ? 24 : 32)) % q, q - 2, q);
    for (u32 r = 0; r < s.rows; ++r) {
      for (u32 c = 0; c < s.columns; ++c) check_entry(q, s, {a, b, before, out}, r, c, radix_inverse);
    }
  }

  struct Data {
    const std::vector<u32>&a, &b, &before, &out;
  };

  void check_entry(u32 q, const Shape& s, const Data& d, u32 r, u32 c, u64 radix_inverse) {
    const u32 at = (r * s.columns + c) * s.words;
    for (u32 i = 0; i < s.words; ++i) {
      u64 sum = 0;
      for (u32 k = 0; k < s.inner; ++k)
        sum = (sum + product_mod(d.a[(r * s.inner + k) * s.words + i], d.b[(k * s.columns + c) * s.words + i], q)) % q;
      u64 expected = product_mod(sum, radix_inverse, q);
      if (!d.before.empty()) expected = (expected + d.before[at + i]) % q;
      ASSERT_EQ(d.out[at + i], expected) << "q=" << q << " inner=" << s.inner << " words=" << s.words << " row " << r
                                         << " column " << c << " index " << i;
    }
  }

  std::optional<KernelRun> run_;
};

TEST_F(InnerProduct, IsTheMatrixProductOfVectors) {
  for (u64 bits : {17u, 24u, 28u, 30u}) {
    const u32 q = prime_below(u64{1} << bits, 1u << 16);
    for (u32 inner : {1u, 7u, 8u, 9u, 20u}) check(q, {66, 2, inner, 3}, inner % 2 == 0, false);
    check(q, {2, 1, 3, 1}, true, false);
    check(q, {512, 3, 8, 2}, false, false);
  }
}

TEST_F(InnerProduct, TheLargestSumsAreReduced) {
  for (u64 bits : {17u, 18u, 24u, 29u, 30u}) check(prime_below(u64{1} << bits, 1u << 16), {64, 1, 24, 1}, true, true);
}

TEST_F(InnerProduct, AMillionProducts) {
  for (u64 bits : {24u, 30u}) check(prime_below(u64{1} << bits, 1u << 16), {4096, 4, 16, 4}, false, false);
}

}  // namespace
}  // namespace ringfort::pim::testing
