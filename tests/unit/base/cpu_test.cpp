// SPDX-License-Identifier: Apache-2.0
// Tests the choice of the CPU's instruction set, with and without RINGFORT_CPU, the environment variable that caps the
// choice.
#include "base/cpu.h"

#include <gtest/gtest.h>

namespace ringfort {
namespace {

#if defined(__x86_64__)
TEST(Cpu, FindsTheSetsThatTheCompilersRunTimeFinds) {
  __builtin_cpu_init();
  const Isa found = machine_isa();
  const bool avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  const bool fma = avx2 && __builtin_cpu_supports("fma");
  const bool avx512 = fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  const bool ifma = avx512 && __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("avx512vbmi") &&
                    __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq") &&
                    __builtin_cpu_supports("avx512bitalg");
  EXPECT_EQ(found >= Isa::avx2, avx2);
  EXPECT_EQ(found >= Isa::fma, fma);
  EXPECT_EQ(found >= Isa::avx512, avx512);
  EXPECT_EQ(found >= Isa::ifma, ifma);
  EXPECT_EQ(has_crc32_instruction(), __builtin_cpu_supports("sse4.2") != 0);
}
#endif

TEST(Isa, WithoutACapTheMachineDecides) {
  const IsaChoice choice = choose_isa("", Isa::avx512);
  EXPECT_EQ(choice.used, Isa::avx512);
  EXPECT_TRUE(choice.known);
  EXPECT_FALSE(choice.lowered);
}

TEST(Isa, ACapBelowTheMachineIsObeyed) {
  for (Isa asked : {Isa::ref, Isa::generic, Isa::avx2, Isa::fma, Isa::avx512, Isa::ifma}) {
    const IsaChoice choice = choose_isa(isa_name(asked), Isa::ifma);
    EXPECT_EQ(choice.used, asked) << isa_name(asked);
    EXPECT_TRUE(choice.known && !choice.lowered) << isa_name(asked);
    EXPECT_EQ(choice.requested, isa_name(asked));
  }
}

TEST(Isa, ACapAboveTheMachineIsLoweredAndReported) {
  const IsaChoice choice = choose_isa("ifma", Isa::avx2);
  EXPECT_EQ(choice.used, Isa::avx2);
  EXPECT_TRUE(choice.known && choice.lowered);
}

TEST(Isa, AnUnknownCapIsReportedWithItsText) {
  for (const char* cap : {"AVX2", "avx", "ifma ", "sse", "0"}) {
    const IsaChoice choice = choose_isa(cap, Isa::avx2);
    EXPECT_FALSE(choice.known) << cap;
    EXPECT_FALSE(choice.lowered) << cap;
    EXPECT_EQ(choice.requested, cap);
    EXPECT_EQ(choice.used, Isa::avx2) << cap;
  }
}

TEST(Isa, TheProcessNeverUsesMoreThanTheMachineHas) { EXPECT_LE(chosen_isa().used, machine_isa()); }

}  // namespace
}  // namespace ringfort
