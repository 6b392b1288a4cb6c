// SPDX-License-Identifier: Apache-2.0
// The device headers beyond those that the kernels use: sequential and unaligned access to MRAM, pools of mutexes, both counters at once.
#include "support.h"

namespace ringfort::pim::testing {
namespace {

constexpr std::uint32_t kTasklets = 16, kBytes = 700, kRecord = 13, kTurns = 20;

class DeviceHeaders : public DpuTest {};

std::vector<std::uint8_t> pattern() {
  std::vector<std::uint8_t> bytes(4096);
  Words words(5);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(words.next());
  return bytes;
}

Dpu prepared(const Chip& chip, std::uint32_t first, std::uint32_t step) {
  Dpu dpu = ready("device_headers", {}, chip);
  put(dpu, address(dpu, "__sys_used_mram_end"), pattern());
  set<std::uint32_t>(dpu, "first", first);
  set<std::uint32_t>(dpu, "step", step);
  return dpu;
}

TEST_F(DeviceHeaders, SequentialReadsGiveEveryByteWhereverTheyBeginAndHoweverFarTheyStep) {
  const auto bytes = pattern();
  for (const std::uint32_t first : {0u, 1u, 31u, 32u, 33u, 100u}) {
    for (const std::uint32_t step : {1u, 3u, 4u}) {
      Dpu dpu = prepared(kV1A, first, step);
      ASSERT_EQ(dpu.run().fault.text, "");
      std::uint32_t mixed = 0;
      for (std::uint32_t i = 0; i < kBytes; ++i) mixed = mixed * 31 + bytes[first + i * step];
      EXPECT_EQ(get<std::uint32_t>(dpu, "mixed"), mixed * 31 + bytes[first]) << first << ", " << step;
      EXPECT_EQ(get<std::uint32_t>(dpu, "told"), first + kBytes * step);
    }
  }
}

TEST_F(DeviceHeaders, NeighboursThatShareWordsOfMramDoNotLoseEachOthersBytes) {
  Dpu dpu = prepared(kV1A, 0, 1);
  ASSERT_EQ(dpu.run().fault.text, "");
  const auto records = get<std::uint8_t>(dpu, address(dpu, "records"), kTasklets * kRecord);
  const auto flags = get<std::uint8_t>(dpu, address(dpu, "flags"), kTasklets);
  for (std::uint32_t t = 0; t < kTasklets; ++t) {
    EXPECT_EQ(flags[t], t);
    for (std::uint32_t i = 0; i < kRecord; ++i) EXPECT_EQ(records[t * kRecord + i], static_cast<std::uint8_t>(t * 16 + i)) << t << ", " << i;
  }
}

TEST_F(DeviceHeaders, AtomicUpdatesAndVirtualMutexesLoseNoCount) {
  Dpu dpu = prepared(kV1A, 0, 1);
  ASSERT_EQ(dpu.run().fault.text, "");
  EXPECT_EQ(get<std::int32_t>(dpu, "total"), 1000 + static_cast<std::int32_t>(kTurns * kTasklets * (kTasklets + 1) / 2));
  const auto counts = get<std::uint32_t>(dpu, address(dpu, "counts"), 64);
  for (std::uint32_t cell = 0; cell < 64; ++cell) EXPECT_EQ(counts[cell], cell % 8 < 2 ? kTasklets * kTurns / 2 : 0) << cell;
  const auto pooled = get<std::uint32_t>(dpu, address(dpu, "pooled"), 8);
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(pooled[i], kTasklets * (i < 4 ? 3 : 2)) << i;
}

TEST_F(DeviceHeaders, AWriteOutOfStepWithItsSourceIsAFault) {
  Dpu dpu = prepared(kV1A, 0, 1);
  set<std::uint32_t>(dpu, "skew", 3);
  const Fault fault = dpu.run().fault;
  EXPECT_EQ(fault.code, FaultCode::unaligned);
  EXPECT_NE(fault.text.find("mram_write_unaligned"), std::string::npos) << fault.text;
}

TEST_F(DeviceHeaders, BothCountersRunOnTheChipThatHasTwoAndStopTheProgramOnTheOther) {
  for (const Chip& chip : kChips) {
    Dpu dpu = prepared(chip, 0, 1);
    set<std::uint32_t>(dpu, "both", 1);
    const RunReport report = dpu.run();
    if (chip.counters < 2) {
      EXPECT_EQ(report.fault.code, FaultCode::one_counter) << report.fault.text;
      continue;
    }
    ASSERT_EQ(report.fault.text, "");
    const auto cycles = get<std::uint64_t>(dpu, "cycles"), instructions = get<std::uint64_t>(dpu, "instructions");
    EXPECT_GT(instructions, 10000u);
    EXPECT_GT(cycles, instructions);             // one slot a cycle, and transfers to wait for
    EXPECT_LE(cycles, report.counters.cycles);
    EXPECT_LE(instructions, report.counters.instructions);
  }
}

}  // namespace
}  // namespace ringfort::pim::testing
