// SPDX-License-Identifier: Apache-2.0
// Compares the noise bounds of BGV with an independent model in schoolbook arithmetic (support/schoolbook.h). Errors
// are multiples of the plain modulus t. Therefore the phase c0 + c1 s is the message modulo t.
#include "scheme/bgv/noise.h"

#include <gtest/gtest.h>

#include "support/schoolbook.h"

namespace ringfort::bgv {
namespace {

using testing::Coefficients;
using testing::Schoolbook;

constexpr i64 kQ = testing::kPrime0 * testing::kPrime1, kT = 17;

TEST(BgvNoise, PhasesStayWithinTheirBoundsAndShowTheMessage) {
  for (const u32 n : {64u, 256u}) {
    Schoolbook sim(n);
    const NoiseGrowth bound(n, kT);
    const Coefficients s = sim.ternary(), m = sim.uniform(kT), a = sim.uniform(kQ), r = sim.ternary();
    const auto error = [&] { return sim.times(sim.error(), kT, kQ); };
    const Coefficients b = sim.sum(sim.times(sim.product(a, s, kQ), -1, kQ), error(), kQ);
    const Coefficients c0 = sim.sum(sim.sum(sim.product(r, b, kQ), error(), kQ), m, kQ),
                       c1 = sim.sum(sim.product(r, a, kQ), error(), kQ);
    const Coefficients phase = sim.phase(c0, c1, s, kQ);
    const Bound fresh = bound.fresh(bound.embedding().fresh_public());
    EXPECT_EQ(sim.times(phase, 1, kT), m);
    EXPECT_LT(std::log2(sim.norm(phase)), fresh.log2);
    EXPECT_GT(std::log2(sim.norm(phase)), fresh.log2 - 6);

    // Divides by the second prime p. First it subtracts from each coefficient x a small multiple `delta` of t such that
    // p divides the difference. This does not change x modulo t. The division then multiplies the message by p^(-1)
    // modulo t.
    const i64 p = testing::kPrime1;
    const auto switched = [&](Coefficients c) {
      for (i64& x : c) {
        i128 delta = (static_cast<i128>(x) % p + p) % p;  // delta = x mod p, delta = 0 mod t, |delta| <= t p / 2
        while (delta % kT != 0) delta += p;
        if (2 * delta > static_cast<i128>(p) * kT) delta -= static_cast<i128>(p) * kT;
        x = static_cast<i64>((x - delta) / p);
      }
      return c;
    };
    const Coefficients smaller = sim.phase(switched(c0), switched(c1), s, testing::kPrime0);
    EXPECT_EQ(sim.times(smaller, p % kT, kT), m);
    const Bound after = bound.mod_switched(fresh, std::log2(p), 2);
    EXPECT_LT(std::log2(sim.norm(smaller)), after.log2);
    EXPECT_GT(std::log2(sim.norm(smaller)), after.log2 - 6);
  }
}

}  // namespace
}  // namespace ringfort::bgv
