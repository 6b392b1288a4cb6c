// SPDX-License-Identifier: Apache-2.0
// Tests the results of DPU programs. C code that is compiled for the DPU gives the same results as on the host. Other
// tests cover the synchronisation of tasklets, memory that keeps its contents between launches, logs, and determinism.
// timing_test.cpp tests times, and fault_test.cpp tests broken rules. hw/pim/README.md explains the terms.
#include <stdexcept>

#include "support.h"

extern "C" {
#include "programs/mixture.h"
#include "sim/words.h"
}

namespace ringfort::pim::testing {
namespace {

class Simulator : public DpuTest {};

TEST_F(Simulator, CompiledCComputesWhatTheHostsCompilerComputes) {
  for (const Timing& timing : {Timing{}, Timing{.fuse = false}, Timing{.fuse_pairs = true}}) {
    Dpu dpu = ready("mixture", timing);
    for (u64 seed : {0ull, 1ull, 0x123456789abcdefull}) {
      set<u64>(dpu, "seed", seed);
      set<u32>(dpu, "steps", 150);
      const RunReport report = dpu.run();
      ASSERT_EQ(report.fault.text, "");
      const auto results = get<u64>(dpu, address(dpu, "results"), 16);
      for (u64 t = 0; t < 16; ++t) EXPECT_EQ(results[t], mixture(seed + t, 150)) << "seed " << seed << " tasklet " << t;
    }
  }
}

void check_synchronised(Dpu& dpu, u32 tasklets, u32 launch) {
  constexpr u32 kTurns = 20;
  EXPECT_EQ(get<u32>(dpu, "counter"), tasklets * kTurns * launch);
  EXPECT_EQ(get<u32>(dpu, "barrier_errors"), 0u);
  EXPECT_EQ(get<u32>(dpu, "inside"), 0u);
  EXPECT_EQ(get<u32>(dpu, "most_inside"), 2u);
  const auto chain = get<u32>(dpu, address(dpu, "chain"), tasklets);
  for (u32 t = 0; t < tasklets; ++t) EXPECT_EQ(chain[t], t + 1);
}

TEST_F(Simulator, TaskletsSynchroniseWithMutexBarrierSemaphoreAndHandshake) {
  for (const auto& [name, tasklets] : {std::pair{"synchronise", 16u}, std::pair{"synchronise_24", 24u}}) {
    Dpu dpu = ready(name);
    const RunReport report = dpu.run();
    ASSERT_EQ(report.fault.text, "");
    check_synchronised(dpu, tasklets, 1);
  }
}

TEST_F(Simulator, HeapPiecesAreRoundedAlignedAndDistinct) {
  Dpu dpu = ready("synchronise");
  ASSERT_EQ(dpu.run().fault.text, "");
  auto addresses = get<u32>(dpu, address(dpu, "heap_addresses"), 16);
  std::sort(addresses.begin(), addresses.end());
  EXPECT_EQ(addresses.front(), dpu.program().symbols.find("__sys_heap_start")->second.address);
  for (std::size_t i = 1; i < addresses.size(); ++i) EXPECT_EQ(addresses[i], addresses[i - 1] + 16);
}

TEST_F(Simulator, VariablesLastFromLaunchToLaunchAndALoadResetsThem) {
  Dpu dpu = ready("synchronise");
  for (u32 launch = 1; launch <= 3; ++launch) {
    ASSERT_EQ(dpu.run().fault.text, "");
    check_synchronised(dpu, 16, launch);
  }
  dpu.load(load("synchronise"));
  EXPECT_EQ(get<u32>(dpu, "counter"), 0u);
}

TEST_F(Simulator, CountersCountCyclesAndInstructions) {
  Dpu dpu = ready("synchronise");
  const RunReport report = dpu.run();
  const auto cycles = get<u64>(dpu, "cycles"), instructions = get<u64>(dpu, "instructions");
  EXPECT_GT(cycles, report.counters.cycles / 2);
  EXPECT_LT(cycles, report.counters.cycles);
  EXPECT_GT(instructions, 0u);
  EXPECT_LT(instructions, 40u);  // tasklet 0 starts the counter in one statement and reads it in the next
}

TEST_F(Simulator, PrintfArrivesInTheLogOnce) {
  Dpu dpu = ready("synchronise");
  ASSERT_EQ(dpu.run().fault.text, "");
  EXPECT_EQ(dpu.take_log(), "turns: -3 of 320,    42|abc|ff  |00FF|-5000000000\n");
  EXPECT_EQ(dpu.take_log(), "");
}

TEST_F(Simulator, FirstRunsTakeTheSameCycles) {
  Dpu first = ready("synchronise"), second = ready("synchronise");
  const RunReport a = first.run(), b = second.run(), again = first.run();
  EXPECT_EQ(a.counters.cycles, b.counters.cycles);
  EXPECT_EQ(a.counters.instructions, b.counters.instructions);
  EXPECT_NE(a.counters.cycles, 0u);
  // A second run begins with the memory contents that the first run left. Therefore its loops may take other paths.
  EXPECT_EQ(again.counters.dma_bytes, a.counters.dma_bytes);
}

TEST_F(Simulator, HostAccessBeyondAMemoryIsRefusedAndChangesNothing) {
  Dpu dpu = ready("synchronise");
  const std::vector<u8> bytes(16, 0xff);
  for (const u32 last : {kV1A.wram_bytes - 8, kMramBase + kMramBytes - 8}) {
    put(dpu, last, std::vector<u64>{7});
    EXPECT_FALSE(dpu.write(last, bytes)) << last;
    EXPECT_EQ(get<u64>(dpu, last, 1)[0], 7u) << last;
  }
  EXPECT_FALSE(dpu.write(0x01000000, bytes));
  std::vector<u8> read = bytes;
  EXPECT_FALSE(dpu.read(kIramBase, read));
  EXPECT_EQ(read, bytes);
  EXPECT_TRUE(dpu.write(kMramBase + kMramBytes - 16, bytes));
}

}  // namespace
}  // namespace ringfort::pim::testing
