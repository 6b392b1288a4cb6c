// SPDX-License-Identifier: Apache-2.0
// Tests the built-in instructions of the vendor's DPUs: compares their results with their definitions. Also tests
// mutex_trylock() and check_stack(). hw/pim/README.md explains the terms.
#include <bit>
#include <functional>

#include "support.h"
#include "sim/words.h"

namespace ringfort::pim::testing {
namespace {

constexpr u32 kPairs = 64;

class Builtins : public DpuTest {};

u32 ul(u32 x) { return x & 0xff; }
u32 uh(u32 x) { return x >> 8 & 0xff; }
u32 sl(u32 x) { return static_cast<u32>(static_cast<i8>(x)); }
u32 sh(u32 x) { return sl(x >> 8); }

const std::vector<std::pair<const char*, std::function<u32(u32, u32)>>> kDefinitions = {
    {"mul_ul_ul", [](u32 a, u32 b) { return ul(a) * ul(b); }},
    {"mul_uh_ul", [](u32 a, u32 b) { return uh(a) * ul(b); }},
    {"mul_sl_ul", [](u32 a, u32 b) { return sl(a) * ul(b); }},
    {"mul_sh_ul", [](u32 a, u32 b) { return sh(a) * ul(b); }},
    {"mul_ul_uh", [](u32 a, u32 b) { return ul(a) * uh(b); }},
    {"mul_uh_uh", [](u32 a, u32 b) { return uh(a) * uh(b); }},
    {"mul_sl_uh", [](u32 a, u32 b) { return sl(a) * uh(b); }},
    {"mul_sh_uh", [](u32 a, u32 b) { return sh(a) * uh(b); }},
    {"mul_sl_sl", [](u32 a, u32 b) { return sl(a) * sl(b); }},
    {"mul_sh_sl", [](u32 a, u32 b) { return sh(a) * sl(b); }},
    {"mul_sl_sh", [](u32 a, u32 b) { return sl(a) * sh(b); }},
    {"mul_sh_sh", [](u32 a, u32 b) { return sh(a) * sh(b); }},
    {"lsl_add", [](u32 a, u32 b) { return b + (a << 5); }},
    {"lsr_add", [](u32 a, u32 b) { return b + (a >> 7); }},
    {"rol_add", [](u32 a, u32 b) { return b + std::rotl(a, 9); }},
    {"lsl_sub", [](u32 a, u32 b) { return b - (a << 3); }},
    {"clz", [](u32 a, u32) { return static_cast<u32>(std::countl_zero(a)); }},
    {"cao", [](u32 a, u32) { return static_cast<u32>(std::popcount(a)); }},
    {"clo", [](u32 a, u32) { return static_cast<u32>(std::countl_one(a)); }}};

TEST_F(Builtins, EachIsItsDefinitionAtEdgesAndAtRandom) {
  Dpu dpu = ready("builtins");
  std::vector<u32> first = {0, 0, 1, ~0u, ~0u, 0x80000000u, 0x7f80u, 0x8080u, 0xff7fu},
                   second = {0, ~0u, 1, 0, ~0u, 0x80u, 0x7f80u, 0x807fu, 0x8000u};
  Words words(1);
  while (first.size() < kPairs)
    first.push_back(static_cast<u32>(words.next())), second.push_back(static_cast<u32>(words.next()));
  put(dpu, address(dpu, "first"), first);
  put(dpu, address(dpu, "second"), second);
  ASSERT_EQ(dpu.run().fault.text, "");
  const auto results = get<u32>(dpu, address(dpu, "results"), kDefinitions.size() * kPairs);
  for (std::size_t row = 0; row < kDefinitions.size(); ++row) {
    for (u32 i = 0; i < kPairs; ++i)
      EXPECT_EQ(results[row * kPairs + i], kDefinitions[row].second(first[i], second[i]))
          << kDefinitions[row].first << " of " << first[i] << ", " << second[i];
  }
}

TEST_F(Builtins, AMutexThatIsTakenIsNotTakenAgainAndAStackKnowsItsDepth) {
  Dpu dpu = ready("builtins");
  ASSERT_EQ(dpu.run().fault.text, "");
  EXPECT_EQ(get<u32>(dpu, address(dpu, "tried"), 3), (std::vector<u32>{1, 0, 1}));
  EXPECT_GE(get<u32>(dpu, "stack_left"), get<u32>(dpu, "stack_deeper") + 128);
}

}  // namespace
}  // namespace ringfort::pim::testing
