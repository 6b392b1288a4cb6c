// SPDX-License-Identifier: Apache-2.0
// Tests the kernel ntt: compares its transforms with the transforms of reference.h, with the definition, with their
// inverses, and with schoolbook products. hw/pim/README.md explains the terms.
#include <fstream>
#include <nlohmann/json.hpp>

#include "ntt_run.h"
#include "support.h"

namespace ringfort::pim::testing {
namespace {

class Ntt : public DpuTest {
 protected:
  void SetUp() override {
    DpuTest::SetUp();
    if (!IsSkipped()) run_.emplace(kernel_path("ntt"), Timing{});
  }
  std::optional<KernelRun> run_;
};

std::string name_of(const Transform& t) { return "q=" + std::to_string(t.q) + " n=" + std::to_string(t.n()); }

TEST_F(Ntt, ForwardIsTheTransformAndInverseUndoesIt) {
  for (unsigned bits : {17u, 24u, 28u, 30u}) {
    for (u32 log_n : {6u, 7u, 10u, 11u, 12u, 13u}) {
      const Transform t = make_transform(bits, log_n);
      const auto a = random_words(t.n(), t.q, log_n);
      auto words = a;
      run_transform(*run_, t, kForward, words);
      ASSERT_EQ(words, negacyclic_transform(a, t.root, t.q)) << name_of(t);
      for (u32 index : {0u, 1u, t.n() / 2, t.n() - 1})
        ASSERT_EQ(words[index], transform_value(a, t.root, t.q, index)) << name_of(t) << " index " << index;
      run_transform(*run_, t, kInverse, words);
      ASSERT_EQ(words, a) << name_of(t);
    }
  }
}

// Above 2^13 words, the kernel transforms one row after the other. The forward transform computes the stages between
// rows before it transforms the rows, and the inverse transform computes them afterwards.
TEST_F(Ntt, PolynomialsLongerThanWramTakeOnePassMore) {
  for (unsigned bits : {24u, 30u}) {
    for (u32 log_n : {14u, 15u, 16u}) {
      if (log_n == 16 && bits == 24 && !all_counts()) continue;
      const Transform t = make_transform(bits, log_n);
      auto a = random_words(t.n(), t.q, log_n);
      a[0] = a[t.n() - 1] = t.q - 1;
      auto words = a;
      run_transform(*run_, t, kForward, words);
      ASSERT_EQ(words, negacyclic_transform(a, t.root, t.q)) << name_of(t);
      ASSERT_EQ(words[4321], transform_value(a, t.root, t.q, 4321)) << name_of(t);
      run_transform(*run_, t, kInverse, words);
      ASSERT_EQ(words, a) << name_of(t);
    }
  }
}

TEST_F(Ntt, ABatchOfLongPolynomialsIsItsPolynomialsOneByOne) {
  const Transform t = make_transform(24, 14);
  auto batch = random_words(2 * t.n(), t.q, 3);
  const std::vector<u32> second(batch.begin() + t.n(), batch.end());
  run_transform(*run_, t, kForward, batch);
  ASSERT_EQ(std::vector<u32>(batch.begin() + t.n(), batch.end()), negacyclic_transform(second, t.root, t.q));
}

TEST_F(Ntt, EdgeValuesStayCanonical) {
  for (unsigned bits : {24u, 30u}) {
    const Transform t = make_transform(bits, 10);
    for (u32 edge : {0u, 1u, t.q - 1}) {
      std::vector<u32> words(t.n(), edge);
      words[3] = t.q - 1 - edge % 2;
      const auto a = words;
      run_transform(*run_, t, kForward, words);
      ASSERT_EQ(words, negacyclic_transform(a, t.root, t.q)) << name_of(t) << " edge " << edge;
      run_transform(*run_, t, kInverse, words);
      ASSERT_EQ(words, a) << name_of(t) << " edge " << edge;
    }
  }
}

TEST_F(Ntt, ABatchIsItsPolynomialsOneByOne) {
  const Transform t = make_transform(30, 10);
  auto batch = random_words(5 * t.n(), t.q, 3);
  const auto before = batch;
  run_transform(*run_, t, kForward, batch);
  for (u32 p = 0; p < 5; ++p) {
    const std::vector<u32> one(before.begin() + p * t.n(), before.begin() + (p + 1) * t.n());
    const std::vector<u32> result(batch.begin() + p * t.n(), batch.begin() + (p + 1) * t.n());
    ASSERT_EQ(result, negacyclic_transform(one, t.root, t.q)) << "polynomial " << p;
  }
}

TEST_F(Ntt, ProductsOfValuesAreNegacyclicProducts) {
  const Transform t = make_transform(24, 8);
  const u32 n = t.n();
  const auto a = random_words(n, t.q, 1), b = random_words(n, t.q, 2);
  std::vector<u32> expected(n);
  for (u32 i = 0; i < n; ++i) {
    for (u32 j = 0; j < n; ++j) {
      const u64 term = product_mod(a[i], b[j], t.q);
      u32& coefficient = expected[(i + j) % n];
      coefficient = static_cast<u32>((i + j < n ? coefficient + term : coefficient + t.q - term) % t.q);
    }
  }
  auto x = a, y = b;
  run_transform(*run_, t, kForward, x);
  run_transform(*run_, t, kForward, y);
  for (u32 i = 0; i < n; ++i) x[i] = static_cast<u32>(product_mod(x[i], y[i], t.q));
  run_transform(*run_, t, kInverse, x);
  EXPECT_EQ(x, expected);
}

// With RINGFORT_COUNTS=full, the test has a million coefficients for each kind of transform.
TEST_F(Ntt, ManyPolynomialsComeBack) {
  for (unsigned bits : {24u, 30u}) {
    const Transform t = make_transform(bits, 12);
    const auto a = random_words((all_counts() ? 256 : 16) * t.n(), t.q, bits);
    auto words = a;
    run_transform(*run_, t, kForward, words);
    run_transform(*run_, t, kInverse, words);
    ASSERT_EQ(words, a) << name_of(t);
  }
}

// The transforms of reference.h are equal to those of the library HEXL: forward transforms for HEXL's primes below
// 2^31, with lengths up to 8192.
TEST(Reference, TransformsAsHexlDoes) {
  std::ifstream file(std::string(PIM_ROOT) + "/../../tests/vectors/ntt_hexl.json");
  const auto cases = nlohmann::json::parse(file)["cases"];
  int met = 0;
  for (const auto& known : cases) {
    const u64 q = known["q"], n = known["N"];
    if (q >> 31 != 0 || n > 8192) continue;
    const u32 root = minimal_root(static_cast<u32>(q), static_cast<u32>(n));
    ASSERT_EQ(root, known["psi"].get<u64>());
    std::vector<u32> a(n);
    for (u64 i = 0; i < n; ++i) a[i] = static_cast<u32>(Words(i).next() % q);
    const auto values = negacyclic_transform(a, root, static_cast<u32>(q));
    for (std::size_t i = 0; i < known["forward_head"].size(); ++i)
      ASSERT_EQ(values[i], known["forward_head"][i].get<u64>()) << "q=" << q << " n=" << n;
    ASSERT_EQ(values.back(), known["forward_last"].get<u64>()) << "q=" << q << " n=" << n;
    ++met;
  }
  EXPECT_GE(met, 20);
}

}  // namespace
}  // namespace ringfort::pim::testing
