// SPDX-License-Identifier: Apache-2.0
// Compares the noise bounds of BFV with an independent model in schoolbook arithmetic over the integers
// (support/schoolbook.h). A phase c0 + c1 s is Q / t times the message, plus an error; the noise is the error divided
// by Q / t. Measured noise must be below the bound, and at most some bits below.
#include "scheme/bfv/noise.h"

#include <gtest/gtest.h>

#include "support/schoolbook.h"

namespace ringfort::bfv {
namespace {

using testing::Coefficients;
using testing::Schoolbook;

constexpr i64 kQ = testing::kPrime0 * testing::kPrime1, kT = 17;
const double kLog2Q = std::log2(kQ);

class BfvNoise : public ::testing::TestWithParam<u32> {
 protected:
  struct Pair {
    Coefficients c0, c1;
  };
  Pair encrypt(const Coefficients& m) {
    const Coefficients a = sim.uniform(kQ), b = sim.sum(sim.times(sim.product(a, s, kQ), -1, kQ), sim.error(), kQ),
                       r = sim.ternary();
    Coefficients lifted = m;
    for (i64& x : lifted) x = static_cast<i64>(Schoolbook::divided(static_cast<i128>(x) * kQ, kT));
    return {sim.sum(sim.sum(sim.product(r, b, kQ), sim.error(), kQ), lifted, kQ),
            sim.sum(sim.product(r, a, kQ), sim.error(), kQ)};
  }
  // Returns the noise nu of a phase modulo Q whose message is m, as a norm. It computes t phase - Q m modulo t Q, and
  // divides the result by Q.
  [[nodiscard]] double noise(const Coefficients& phase, const Coefficients& m) const {
    std::vector<i128> out(sim.n);
    for (u32 i = 0; i < sim.n; ++i) {
      const i128 x = (static_cast<i128>(phase[i]) * kT - static_cast<i128>(m[i]) * kQ) % (static_cast<i128>(kT) * kQ);
      out[i] = Schoolbook::centred({x}, kQ * kT)[0];
    }
    return sim.norm(out) / static_cast<double>(kQ);
  }
  void expect_tight(double measured, Bound bound, double bits) const {
    EXPECT_LT(std::log2(measured), bound.log2) << sim.n;
    EXPECT_GT(std::log2(measured), bound.log2 - bits) << sim.n << ": more pessimistic than stated";
  }
  Schoolbook sim{GetParam()};
  NoiseGrowth bound{GetParam(), kT};
  Coefficients s = sim.ternary();
};

TEST_P(BfvNoise, FreshCiphertextsAreWithinFiveBits) {
  const Coefficients m = sim.uniform(kT);
  const Pair c = encrypt(m);
  expect_tight(noise(sim.phase(c.c0, c.c1, s, kQ), m), bound.fresh(bound.embedding().fresh_public(), kLog2Q), 5);
}

TEST_P(BfvNoise, ProductsAreWithinTenBits) {
  const Coefficients m = sim.uniform(kT), other = sim.uniform(kT);
  const Pair x = encrypt(m), y = encrypt(other);
  const auto scaled = [&](const std::vector<i128>& component) {
    std::vector<i128> out;
    for (const i128 v : component) out.push_back(Schoolbook::divided(v * kT, kQ));
    return Schoolbook::centred(out, kQ);
  };
  std::vector<i128> cross = sim.product(x.c0, y.c1);
  const std::vector<i128> second = sim.product(x.c1, y.c0);
  for (u32 i = 0; i < sim.n; ++i) cross[i] += second[i];
  const Coefficients c0 = scaled(sim.product(x.c0, y.c0)), c1 = scaled(cross), c2 = scaled(sim.product(x.c1, y.c1));
  const Coefficients phase = sim.phase(c0, sim.sum(c1, sim.product(c2, s, kQ), kQ), s, kQ);
  const Bound fresh = bound.fresh(bound.embedding().fresh_public(), kLog2Q),
              after = bound.product({fresh}, {fresh}, kLog2Q);
  ASSERT_LT(after.log2, NoiseGrowth::kLargest);
  expect_tight(noise(phase, sim.product(m, other, kT)), after, 10);

  const Bound weighted = bound.plain_product(fresh, Bound::of(kT / 2));
  const Coefficients by_plain = sim.phase(sim.product(x.c0, other, kQ), sim.product(x.c1, other, kQ), s, kQ);
  expect_tight(noise(by_plain, sim.product(m, other, kT)), weighted, 12);
}

TEST_P(BfvNoise, SwitchingTheModulusAddsItsRounding) {
  const Coefficients m = sim.uniform(kT);
  const Pair c = encrypt(m);
  const Coefficients c0 = Schoolbook::divided(c.c0, testing::kPrime1), c1 = Schoolbook::divided(c.c1, testing::kPrime1);
  const Coefficients phase = sim.phase(c0, c1, s, testing::kPrime0);
  std::vector<double> nu;
  for (u32 i = 0; i < sim.n; ++i) {
    const double x = static_cast<double>(phase[i]) * kT / testing::kPrime0 - static_cast<double>(m[i]);
    nu.push_back(x - kT * std::round(x / kT));
  }
  const Bound fresh = bound.fresh(bound.embedding().fresh_public(), kLog2Q);
  expect_tight(sim.norm(nu), bound.mod_switched(fresh, std::log2(testing::kPrime0), 2), 5);
}

// A factor without noise leaves the noise of the other factor, multiplied by its own phase.
TEST(BfvFactors, OfMoreComponentsHaveLargerPhasesAndRoundings) {
  const NoiseGrowth bound(1024, 65537);
  const auto phase = [&](u32 components) { return Bound::of(65537) * bound.embedding().uniform_phase(components); };
  const Bound noise = Bound::power_of_two(-30);
  for (u32 k = 2; k <= 8; ++k) {
    for (u32 l = 2; l <= 8; ++l) {
      EXPECT_NEAR(bound.tensor({{}, k}, {noise, l}).log2, (phase(k) * noise).log2, 1e-9) << k << " " << l;
      EXPECT_NEAR(bound.tensor({noise, k}, {{}, l}).log2, (phase(l) * noise).log2, 1e-9) << k << " " << l;
      EXPECT_NEAR(bound.product({{}, k}, {{}, l}, 100).log2, (phase(k + l - 1)).log2 - 100, 1e-9) << k << " " << l;
    }
  }
  EXPECT_GT(phase(3).log2, phase(2).log2 + 5);
}

INSTANTIATE_TEST_SUITE_P(Degrees, BfvNoise, ::testing::Values(64u, 256u));

}  // namespace
}  // namespace ringfort::bfv
