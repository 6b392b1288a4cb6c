// SPDX-License-Identifier: Apache-2.0
// Tests the kernel convolve: compares full products and block-local products with sums in 64 bits, and with products by
// transforms. hw/pim/README.md explains the terms.
#include "kernels/convolve.h"
#include "ntt_run.h"
#include "support.h"

namespace ringfort::pim::testing {
namespace {

constexpr u32 kShort = 65537;

std::vector<u32> negacyclic(const std::vector<u32>& a, const std::vector<u32>& b, u32 q) {
  const u32 n = static_cast<u32>(a.size());
  std::vector<u32> out(n);
  for (u32 k = 0; k < n; ++k) {
    u64 plus = 0, minus = 0;
    for (u32 i = 0; i < n; ++i) (i <= k ? plus : minus) += product_mod(a[i], b[(k + n - i) % n], q);
    out[k] = static_cast<u32>((plus + u64{n} * q - minus) % q);
  }
  return out;
}

class Convolve : public DpuTest {
 protected:
  void SetUp() override {
    DpuTest::SetUp();
    if (!IsSkipped()) run_.emplace(kernel_path("convolve"), Timing{});
  }

  std::vector<u32> multiply(u32 q, const std::vector<u32>& a, const std::vector<u32>& b, u32 first, u32 count) {
    const u32 words = static_cast<u32>(a.size());
    run_->put(0, a);
    run_->put(words * 4, b);
    run_->set_arguments(ConvolveArguments{q, words, first, count, 0, words * 4, words * 8});
    run_->launch();
    return run_->get(words * 8, count);
  }

  std::optional<KernelRun> run_;
};

TEST_F(Convolve, IsTheNegacyclicProduct) {
  for (u32 n : {64u, 128u, 512u, 1024u}) {
    const auto a = random_words(n, kShort, n), b = random_words(n, kShort, n + 1);
    ASSERT_EQ(multiply(kShort, a, b, 0, n), negacyclic(a, b, kShort)) << n;
  }
}

// Tests the residue 2^16, which needs 17 bits: in all places, in one place, and in only one operand.
TEST_F(Convolve, TheLargestResidueIsNotLost) {
  const u32 n = 256;
  const std::vector<u32> full(n, kShort - 1), small(n, kShort - 2);
  auto one = random_words(n, kShort - 1, 3);
  one[77] = kShort - 1;
  const auto plain = random_words(n, kShort - 1, 4);
  for (const auto& [a, b] :
       {std::pair{full, full}, {full, small}, {small, full}, {one, plain}, {plain, one}, {small, small}})
    ASSERT_EQ(multiply(kShort, a, b, 0, n), negacyclic(a, b, kShort));
  std::vector<u32> zeros(n);
  zeros[0] = 1;
  ASSERT_EQ(multiply(kShort, plain, zeros, 0, n), plain);
}

TEST_F(Convolve, PiecesOfTheResultOnDifferentDpusAreTheWhole) {
  const u32 n = 512;
  const auto a = random_words(n, kShort, 5), b = random_words(n, kShort, 6);
  std::vector<u32> joined;
  for (u32 first = 0; first < n; first += 128) {
    const auto piece = multiply(kShort, a, b, first, 128);
    joined.insert(joined.end(), piece.begin(), piece.end());
  }
  ASSERT_EQ(joined, negacyclic(a, b, kShort));
}

// A DPU that has slices of the operands computes the product of these slices. This product is not a part of the product
// of the whole polynomials.
TEST_F(Convolve, BlockLocalUseIsNoProductOfTheWhole) {
  const u32 n = 256, slice = 64;
  const auto a = random_words(n, kShort, 7), b = random_words(n, kShort, 8);
  const std::vector<u32> first_a(a.begin(), a.begin() + slice), first_b(b.begin(), b.begin() + slice);
  const auto local = multiply(kShort, first_a, first_b, 0, slice);
  EXPECT_EQ(local, negacyclic(first_a, first_b, kShort));
  const auto whole = multiply(kShort, a, b, 0, n);
  EXPECT_NE(local, std::vector<u32>(whole.begin(), whole.begin() + slice));
}

TEST_F(Convolve, AThousandResultsTakeWideBlocks) {
  const u32 n = 2048;
  const auto a = random_words(n, kShort, 9), b = random_words(n, kShort, 10);
  const auto whole = negacyclic(a, b, kShort);
  ASSERT_EQ(multiply(kShort, a, b, 1024, 1024), std::vector<u32>(whole.begin() + 1024, whole.end()));
  ASSERT_EQ(multiply(kShort, a, b, 16, 48), std::vector<u32>(whole.begin() + 16, whole.begin() + 64));
}

TEST_F(Convolve, OtherPrimesGiveMontgomeryProducts) {
  for (u64 bits : {24u, 30u}) {
    const u32 q = prime_below(u64{1} << bits, 1u << 16), n = 128;
    const auto a = random_words(n, q, bits), b = random_words(n, q, bits + 1);
    auto scaled = b;
    for (auto& word : scaled) word = static_cast<u32>(product_mod(word, u64{1} << 32, q));
    ASSERT_EQ(multiply(q, a, scaled, 0, n), negacyclic(a, b, q)) << q;
  }
}

TEST_F(Convolve, AgreesWithTheProductByTransforms) {
  const u32 n = all_counts() ? 4096 : 1024, root = minimal_root(kShort, n);
  const auto a = random_words(n, kShort, 1), b = random_words(n, kShort, 2);
  const auto x = negacyclic_transform(a, root, kShort), y = negacyclic_transform(b, root, kShort);
  std::vector<u32> values(n);
  for (u32 i = 0; i < n; ++i) values[i] = static_cast<u32>(product_mod(x[i], y[i], kShort));
  ASSERT_EQ(negacyclic_transform(multiply(kShort, a, b, 0, n), root, kShort), values);
}

}  // namespace
}  // namespace ringfort::pim::testing
