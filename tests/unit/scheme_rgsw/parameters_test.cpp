// SPDX-License-Identifier: Apache-2.0
// Tests the parameters of Ring-GSW: the presets, the decision whether they are secure, the refusals of validate(), and
// the digest that identifies parameters. The digits of a residue modulo q are those in base 2^base_bits.
#include <gtest/gtest.h>

#include <set>

#include "ringfort/error.h"
#include "ringfort/rgsw.h"
#include "support/refused.h"

namespace ringfort::rgsw {
namespace {

using ringfort::testing::refusal;

TEST(RgswPresets, PresetsBelow128BitsNeedExplicitPermission) {
  for (const std::string_view name : {"paper-gsw", "paper-row", "paper-row-b256"}) {
    EXPECT_EQ(refusal([&] { (void)preset(name); }).code(), Code::insecure_parameters);
    const Parameters p = preset(name, true);
    EXPECT_FALSE(p.insecure_reason.empty());
    EXPECT_FALSE(security(p).accepted);
    EXPECT_EQ(security(p).bits, 110u);
    EXPECT_EQ(security(p).limit_log2_q, 26u);
    EXPECT_EQ(p.failure_bits, 40u);
    validate(p);
    Parameters silent = p;
    silent.insecure_reason.clear();
    silent.failure_bits = 128;
    EXPECT_EQ(refusal([&] { validate(silent); }).code(), Code::insecure_parameters);
  }
  for (const std::string_view name : {"gsw128", "gsw128-compact"}) {
    const Parameters p = preset(name);
    EXPECT_TRUE(p.insecure_reason.empty());
    EXPECT_TRUE(security(p).accepted);
    EXPECT_EQ(security(p).bits, 137u);
    EXPECT_EQ(security(p).limit_log2_q, 53u);
    EXPECT_EQ(p.failure_bits, 128u);
    validate(p);
  }
  EXPECT_EQ(refusal([] { (void)preset("gsw64"); }).code(), Code::invalid_argument);
  EXPECT_EQ(preset_names().size(), 5u);
}

// The preset paper-gsw has the parameters of [MartinsSousa16].
TEST(RgswPresets, ValuesAreTheOnesOfTheStudy) {
  const Parameters paper = preset("paper-gsw", true);
  EXPECT_EQ(paper.q, 2147352577u);  // 2^31 - 2^17 + 1
  EXPECT_EQ(paper.n, 1024u);
  EXPECT_EQ(paper.digits, 31u);
  EXPECT_TRUE(paper.literal_allowed && paper.public_key_allowed && !paper.centred);
  EXPECT_FALSE(preset("paper-row-b256", true).public_key_allowed);
  EXPECT_FALSE(preset("gsw128-compact").public_key_allowed);
  // the largest prime below 2^50 that is 1 mod 4096; Python found it by trial
  EXPECT_EQ(preset("gsw128").q, 1125899906826241u);
}

TEST(RgswPresets, PaperGswAndPaperRowShareTheirFiles) {
  EXPECT_EQ(digest(preset("paper-gsw", true)), digest(preset("paper-row", true)));
  std::set<std::array<std::uint8_t, 32>> digests;
  for (const std::string_view name : preset_names()) digests.insert(digest(preset(name, true)));
  EXPECT_EQ(digests.size(), 4u);
}

TEST(RgswPresets, EveryFieldThatDecidesMeaningChangesTheDigest) {
  const Parameters p = preset("gsw128");
  std::vector<Parameters> others(7, p);
  others[0].n = 4096;
  others[1].q += 4096;
  others[2].base_bits = 14;
  others[3].digits = 3;
  others[4].shift = 21;
  others[5].centred = false;
  others[6].failure_bits = 64;
  for (const Parameters& other : others) EXPECT_NE(digest(other), digest(p));
  Parameters renamed = p;
  renamed.name = "other";
  EXPECT_EQ(digest(renamed), digest(p));
}

TEST(RgswParameters, InvalidRingsAndGadgetsAreRefused) {
  const auto refused = [](auto change) {
    Parameters p = preset("gsw128");
    p.insecure_reason = "a test";
    change(p);
    return refusal([&] { validate(p); }).code();
  };
  EXPECT_EQ(refused([](Parameters& p) { p.n = 2000; }), Code::invalid_argument);
  EXPECT_EQ(refused([](Parameters& p) { p.n = 4; }), Code::invalid_argument);
  EXPECT_EQ(refused([](Parameters& p) { p.q -= 4096; }), Code::invalid_argument);
  EXPECT_EQ(refused([](Parameters& p) { p.q = 0; }), Code::invalid_argument);
  EXPECT_EQ(refused([](Parameters& p) { p.q = 4097; }), Code::invalid_argument);  // 4097 = 17 * 241 is no prime
  EXPECT_EQ(refused([](Parameters& p) { p.base_bits = 0; }), Code::invalid_argument);
  EXPECT_EQ(refused([](Parameters& p) { p.base_bits = 31; }), Code::invalid_argument);
  EXPECT_EQ(refused([](Parameters& p) { p.shift = 10; }),
            Code::invalid_argument);  // the digits cover only 40 of the 50 bits of q
  EXPECT_EQ(refused([](Parameters& p) { p.shift = 40; }),
            Code::invalid_argument);  // the digits cover 70 bits, but q has only 50
  EXPECT_EQ(refused([](Parameters& p) { p.centred = false; }),
            Code::invalid_argument);  // the mean of these digits is not 0
  EXPECT_EQ(refused([](Parameters& p) { p.failure_bits = 20; }), Code::invalid_argument);
  EXPECT_EQ(refused([](Parameters& p) { p.literal_allowed = true; }),
            Code::invalid_argument);  // literal products need digits in base 2
  EXPECT_EQ(refusal([] {
              Parameters p = preset("gsw128");
              p.failure_bits = 64;
              validate(p);
            }).code(),
            Code::insecure_parameters);
}

}  // namespace
}  // namespace ringfort::rgsw
