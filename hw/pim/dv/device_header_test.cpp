// SPDX-License-Identifier: Apache-2.0
// Tests headers of DPU programs that the kernels do not use: sequential and unaligned access to MRAM, pools of mutexes,
// and the two performance counters at the same time. hw/pim/README.md explains the terms.
#include "support.h"
#include "sim/words.h"

namespace ringfort::pim::testing {
namespace {

constexpr u32 kTasklets = 16, kBytes = 700, kRecord = 13, kTurns = 20;

class DeviceHeaders : public DpuTest {};

std::vector<u8> pattern() {
  std::vector<u8> bytes(4096);
  Words words(5);
  for (auto& byte : bytes) byte = static_cast<u8>(words.next());
  return bytes;
}

Dpu prepared(const Chip& chip, u32 first, u32 step) {
  Dpu dpu = ready("device_headers", {}, chip);
  put(dpu, address(dpu, "__sys_used_mram_end"), pattern());
  set<u32>(dpu, "first", first);
  set<u32>(dpu, "step", step);
  return dpu;
}

TEST_F(DeviceHeaders, SequentialReadsGiveEveryByteWhereverTheyBeginAndHoweverFarTheyStep) {
  const auto bytes = pattern();
  for (const u32 first : {0u, 1u, 31u, 32u, 33u, 100u}) {
    for (const u32 step : {1u, 3u, 4u}) {
      Dpu dpu = prepared(kV1A, first, step);
      ASSERT_EQ(dpu.run().fault.text, "");
      u32 mixed = 0;
      for (u32 i = 0; i < kBytes; ++i) mixed = mixed * 31 + bytes[first + i * step];
      EXPECT_EQ(get<u32>(dpu, "mixed"), mixed * 31 + bytes[first]) << first << ", " << step;
      EXPECT_EQ(get<u32>(dpu, "told"), first + kBytes * step);
    }
  }
}

TEST_F(DeviceHeaders, NeighboursThatShareWordsOfMramDoNotLoseEachOthersBytes) {
  Dpu dpu = prepared(kV1A, 0, 1);
  ASSERT_EQ(dpu.run().fault.text, "");
  const auto records = get<u8>(dpu, address(dpu, "records"), kTasklets * kRecord);
  const auto flags = get<u8>(dpu, address(dpu, "flags"), kTasklets);
  for (u32 t = 0; t < kTasklets; ++t) {
    EXPECT_EQ(flags[t], t);
    for (u32 i = 0; i < kRecord; ++i)
      EXPECT_EQ(records[t * kRecord + i], static_cast<u8>(t * 16 + i)) << t << ", " << i;
  }
}

TEST_F(DeviceHeaders, AtomicUpdatesAndVirtualMutexesLoseNoCount) {
  Dpu dpu = prepared(kV1A, 0, 1);
  ASSERT_EQ(dpu.run().fault.text, "");
  EXPECT_EQ(get<i32>(dpu, "total"), 1000 + static_cast<i32>(kTurns * kTasklets * (kTasklets + 1) / 2));
  const auto counts = get<u32>(dpu, address(dpu, "counts"), 64);
  for (u32 cell = 0; cell < 64; ++cell) EXPECT_EQ(counts[cell], cell % 8 < 2 ? kTasklets * kTurns / 2 : 0) << cell;
  const auto pooled = get<u32>(dpu, address(dpu, "pooled"), 8);
  for (u32 i = 0; i < 8; ++i) EXPECT_EQ(pooled[i], kTasklets * (i < 4 ? 3 : 2)) << i;
}

TEST_F(DeviceHeaders, AWriteOutOfStepWithItsSourceIsAFault) {
  Dpu dpu = prepared(kV1A, 0, 1);
  set<u32>(dpu, "skew", 3);
  const Fault fault = dpu.run().fault;
  EXPECT_EQ(fault.code, FaultCode::unaligned);
  EXPECT_NE(fault.text.find("mram_write_unaligned"), std::string::npos) << fault.text;
}

TEST_F(DeviceHeaders, BothCountersRunOnTheChipThatHasTwoAndStopTheProgramOnTheOther) {
  for (const Chip& chip : kChips) {
    Dpu dpu = prepared(chip, 0, 1);
    set<u32>(dpu, "both", 1);
    const RunReport report = dpu.run();
    if (chip.counters < 2) {
      EXPECT_EQ(report.fault.code, FaultCode::one_counter) << report.fault.text;
      continue;
    }
    ASSERT_EQ(report.fault.text, "");
    const auto cycles = get<u64>(dpu, "cycles"), instructions = get<u64>(dpu, "instructions");
    EXPECT_GT(instructions, 10000u);
    EXPECT_GT(cycles, instructions);  // an instruction takes a cycle, and waiting for transfers takes more cycles
    EXPECT_LE(cycles, report.counters.cycles);
    EXPECT_LE(instructions, report.counters.instructions);
  }
}

}  // namespace
}  // namespace ringfort::pim::testing
