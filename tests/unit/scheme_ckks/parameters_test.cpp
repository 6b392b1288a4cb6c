// SPDX-License-Identifier: Apache-2.0
// Tests the choice of CKKS parameters for given requirements. A choice promises the precision in bits after each
// product. The promise is compared with the noise bounds of the verbs, and with true results. Also tests the choice of
// the smallest ring, presets, and the texts of refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "ringfort/ckks.h"
#include "ringfort/error.h"
#include "support/refused.h"

namespace ringfort::ckks {
namespace {

using ringfort::testing::refusal;
using ringfort::testing::says;

Requirements wanted(std::uint32_t depth, std::uint32_t precision, double magnitude = 1) {
  Requirements r;
  r.depth = depth;
  r.precision = precision;
  r.magnitude = magnitude;
  return r;
}

TEST(CkksParameters, KeepThePromiseInTheSmallestRing) {
  for (const Requirements& r :
       {wanted(0, 10), wanted(1, 20), wanted(2, 30), wanted(4, 20), wanted(6, 25), wanted(12, 15), wanted(3, 12, 16)}) {
    const Parameters p = choose(r);
    const Explanation e = explain(p);
    EXPECT_GE(e.depth, r.depth);
    EXPECT_GE(e.bits_left[r.depth], r.precision);
    EXPECT_LT(e.bits_left[r.depth], r.precision + 3) << "the modulus is longer than needed";
    EXPECT_LE(e.log2_qp, e.log2_qp_limit);
    EXPECT_TRUE(std::is_sorted(e.bits_left.rbegin(), e.bits_left.rend()));
    if (p.chain.n == 1024) continue;
    Requirements smaller = r;
    smaller.n = p.chain.n / 2;
    EXPECT_EQ(refusal([&] { (void)choose(smaller); }).code(), Code::unsupported) << r.depth << " " << r.precision;
  }
}

// Squares a ciphertext repeatedly. The bounds of the verbs must keep the promise, and the results must be within the
// bounds.
TEST(CkksParameters, ThePromiseIsKeptByTheVerbs) {
  for (const Requirements& r : {wanted(1, 15), wanted(3, 12)}) {
    const Context context(choose(r));
    const KeyGenerator keys(context);
    const RelinearizationKey relinearization = keys.create_relinearization_key();
    const Encoder encoder(context);
    const Evaluator evaluator(context);
    std::vector<double> x(context.slots());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::cos(0.37 * static_cast<double>(i));
    Ciphertext c = Encryptor(context, keys.create_public_key()).encrypt(encoder.encode(x));
    const std::vector<double> promised = explain(context.parameters()).bits_left;
    for (std::uint32_t i = 0; i < r.depth; ++i) {
      c = evaluator.rescale(evaluator.relinearize(evaluator.square(c), relinearization));
      for (double& value : x) value *= value;
      EXPECT_GE(c.precision_bits(), promised[i + 1]);
    }
    std::vector<double> shown(x.size());
    encoder.decode(Decryptor(context, keys.secret_key()).decrypt(c), shown);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(shown[i] - x[i]));
    EXPECT_LE(worst, std::ldexp(1, -static_cast<int>(r.precision) - 1));
    EXPECT_EQ(c.bytes(),
              explain(context.parameters()).ciphertext_bytes / context.parameters().chain.data.size() *
                  (context.parameters().chain.data.size() - r.depth * context.parameters().chain.limbs_per_level));
  }
}

std::uint32_t degree(const Requirements& r) { return choose(r).chain.n; }

// With the shortest scale, each level has one prime, and the special prime is as long. The limit of this ring allows
// only a longer scale, whose levels have two primes of half the length.
TEST(CkksParameters, ALongerScaleMayFitASmallerRing) { EXPECT_EQ(degree(wanted(1, 30)), 8192u); }

TEST(CkksParameters, MoreIsAskedFromLargerRings) {
  Requirements r = wanted(4, 20);
  const std::uint32_t usual = degree(r);
  EXPECT_EQ(usual, 16384u);
  r.security.bits = 256;
  EXPECT_GT(degree(r), usual);
  r.security = {192, 2018, true};
  EXPECT_GT(degree(r), usual);
  r = wanted(4, 20);
  r.slots = 20000;
  EXPECT_EQ(degree(r), 65536u);
  EXPECT_EQ(choose(r).slots, 32768u);
  r.slots = 100;
  EXPECT_EQ(degree(r), usual);
  EXPECT_EQ(choose(r).slots, 128u);
}

TEST(CkksParameters, ReleaseIsReservedInThePrecision) {
  Requirements r = wanted(1, 10);
  r.release = {20, 16};
  const Parameters p = choose(r);
  const double reserved = 0.5 * (std::log2(12.0 * 16) + 20 + std::log2(p.chain.n)) + std::log2(14);
  Parameters shown = p;
  shown.release = {};
  EXPECT_GE(explain(p).bits_left[1], 10);
  EXPECT_NEAR(explain(shown).bits_left[1] - explain(p).bits_left[1], reserved, 0.3);
}

TEST(CkksParameters, ShortPrimesMakeLevelsOfSeveral) {
  for (const std::uint32_t bits : {24u, 30u}) {
    Requirements r = wanted(3, 18);
    r.primes = {bits, PrimeForm::c_2_16_1};
    const Parameters p = choose(r);
    EXPECT_EQ(p.chain.limbs_per_level, 2u);
    for (const auto* primes : {&p.chain.data, &p.chain.special}) {
      for (const std::uint64_t q : *primes) EXPECT_TRUE(q >> bits == 0 && q % 65536 == 1) << q;
    }
    const Explanation e = explain(p);
    EXPECT_GE(e.bits_left[3], 18);
    EXPECT_EQ(e.ciphertext_bytes, 2 * p.chain.data.size() * p.chain.n * 4) << "32-bit words";
  }
}

// For each preset: n, the number of data primes of 50 bits, and the limit of log2 QP in the table of 2024.
TEST(CkksPresets, AreThePublicationsSets) {
  const std::pair<const char*, std::array<std::uint32_t, 3>> expected[] = {
      {"ckks-8192-3", {8192, 3, 214}}, {"ckks-32768-8", {32768, 8, 868}}, {"ckks-65536-24", {65536, 24, 1747}}};
  EXPECT_EQ(preset_names().size(), std::size(expected));
  for (const auto& [name, values] : expected) {
    const Parameters p = preset(name);
    const Explanation e = explain(p);
    EXPECT_EQ(p.chain.n, values[0]);
    EXPECT_EQ(p.chain.data.size(), values[1]);
    EXPECT_EQ(p.chain.special.size(), 1u);
    EXPECT_EQ(p.chain.digit_limbs, 1u);
    EXPECT_EQ(e.log2_qp_limit, values[2]);
    EXPECT_NEAR(e.log2_qp, 50 * (values[1] + 1), 0.01);
    for (const std::uint64_t q : p.chain.data) EXPECT_TRUE(q >> 50 == 0 && q >> 49 == 1) << q;
    EXPECT_EQ(e.depth, values[1] - 2);
    EXPECT_TRUE(p.chain.insecure_reason.empty());
  }
  EXPECT_TRUE(says(refusal([] { (void)preset("ckks-1"); }), "known: ckks-8192-3"));
}

TEST(CkksParameters, RefusalsSayWhatWouldFit) {
  const Error deep = refusal([] { (void)choose(wanted(60, 30)); });
  EXPECT_EQ(deep.code(), Code::unsupported);
  EXPECT_TRUE(says(deep, "depth 60 at precision 30, in the largest ring, n = 131072")) << deep.what();
  EXPECT_TRUE(says(deep, "choose depth <= ")) << deep.what();
  Requirements small = wanted(8, 20);
  small.n = 8192;
  const Error ring = refusal([&] { (void)choose(small); });
  EXPECT_TRUE(says(ring, "log2 QP = ") && says(ring, "214 is the limit of 128 bits") && says(ring, "or a larger ring"))
      << ring.what();
  for (const auto& change : std::vector<std::function<void(Requirements&)>>{
           [](Requirements& r) { r.magnitude = 0; }, [](Requirements& r) { r.magnitude = std::nan(""); },
           [](Requirements& r) { r.precision = 200; }, [](Requirements& r) { r.n = 3000; },
           [](Requirements& r) { r.primes.bits = 61; }, [](Requirements& r) { r.depth = 100000; },
           [](Requirements& r) { r.security.bits = 80; }, [](Requirements& r) { r.release = {200, 1}; },
           [](Requirements& r) { r.release = {30, 0}; },
           [](Requirements& r) { r.insecure_reason = "no ring given"; }}) {
    Requirements r = wanted(2, 20);
    change(r);
    EXPECT_EQ(refusal([&] { (void)choose(r); }).code(), Code::invalid_argument);
  }
}

TEST(CkksParameters, BelowTheTablesOnlyWithAReasonThatIsShown) {
  Requirements r = wanted(2, 20);
  r.n = 2048;
  EXPECT_EQ(refusal([&] { (void)choose(r); }).code(), Code::unsupported);
  r.insecure_reason = "a quick test";
  const Parameters p = choose(r);
  EXPECT_EQ(p.chain.insecure_reason, "a quick test");
  EXPECT_NE(explain(p).text().find("INSECURE, not checked: a quick test"), std::string::npos);
  EXPECT_GE(explain(p).bits_left[2], 20);
  Parameters silent = p;
  silent.chain.insecure_reason.clear();
  EXPECT_EQ(refusal([&] { (void)explain(silent); }).code(), Code::insecure_parameters);
}

}  // namespace
}  // namespace ringfort::ckks
