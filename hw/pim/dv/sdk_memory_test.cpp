// SPDX-License-Identifier: Apache-2.0
// Tests parts of the SDK: the buddy allocator, errno, profiled sections, and queues between host and DPU.
// hw/pim/README.md explains the terms.
#include <algorithm>
#include <numeric>

#include "support.h"

namespace ringfort::pim::testing {
namespace {

constexpr u32 kTasklets = 16, kInvalid = 28, kNoMemory = 49;

class SdkMemory : public DpuTest {};

TEST_F(SdkMemory, BuddyBlocksAreCutJoinedAndRefusedAsDocumented) {
  Dpu dpu = ready("sdk_memory");
  ASSERT_EQ(dpu.run().fault.text, "");
  EXPECT_EQ(get<u32>(dpu, "first_wrong"), 0u);
  EXPECT_EQ(get<u32>(dpu, "blocks_of_16"), 256u);
  EXPECT_EQ(get<u32>(dpu, address(dpu, "errors"), 8),
            (std::vector<u32>{kNoMemory, kInvalid, kInvalid, 0, kInvalid, kInvalid, kInvalid, kInvalid}));
}

TEST_F(SdkMemory, TaskletsShareTheBuddyHeapAndEachHasItsErrno) {
  Dpu dpu = ready("sdk_memory");
  ASSERT_EQ(dpu.run().fault.text, "");
  EXPECT_EQ(get<u32>(dpu, "damaged"), 0u);
  EXPECT_GT(get<u32>(dpu, "failures"), 0u);  // some allocations failed because the heap was full
  EXPECT_EQ(get<u32>(dpu, "whole_heap_left"), 1u);
  std::vector<u32> numbers(kTasklets);
  std::iota(numbers.begin(), numbers.end(), 100u);
  EXPECT_EQ(get<u32>(dpu, address(dpu, "numbers"), kTasklets), numbers);
}

TEST_F(SdkMemory, SectionsCountTheirCyclesOnlyInAProfiledBuild) {
  Dpu plain = ready("sdk_memory"), profiled = ready("sdk_memory_profiled");
  ASSERT_EQ(plain.run().fault.text, "");
  ASSERT_EQ(profiled.run().fault.text, "");
  const u32 counts = kTasklets * 4;  // the counts follow the start times
  EXPECT_EQ(get<u32>(plain, address(plain, "section") + counts, kTasklets), std::vector<u32>(kTasklets));
  const auto cycles = get<u32>(profiled, address(profiled, "section") + counts, kTasklets);
  const auto elapsed = get<u32>(profiled, address(profiled, "elapsed"), kTasklets);
  for (u32 t = 0; t < kTasklets; ++t) {
    EXPECT_LT(cycles[t], elapsed[t]);
    EXPECT_GT(cycles[t], elapsed[t] - 2 * 40 * kTasklets);  // each call takes at most 40 instructions
  }
  EXPECT_TRUE(std::is_sorted(cycles.begin(), cycles.end()));
  EXPECT_LT(cycles.front() + 2 * kTasklets, cycles.back());
  Dpu twice = ready("sdk_memory_profiled");
  set<u32>(twice, "start_twice", 1);
  EXPECT_EQ(twice.run().fault.code, FaultCode::assertion);
}

constexpr u32 kInputs = 29;

Dpu filled(const std::string& program) {
  Dpu dpu = ready(program);
  std::vector<u64> pairs;
  for (u32 i = 0; i < kInputs; ++i) pairs.insert(pairs.end(), {i + 1, 100 + 3 * i});
  put(dpu, address(dpu, "__inputs_data"), pairs);
  put(dpu, address(dpu, "inputs") + 8, std::vector<u64>{kInputs});  // the pointer that the host writes
  return dpu;
}

void expect_drained(const Dpu& dpu) {
  EXPECT_EQ(get<u64>(dpu, address(dpu, "inputs"), 2), (std::vector<u64>{kInputs, kInputs}));
  EXPECT_EQ(get<u64>(dpu, address(dpu, "outputs"), 2), (std::vector<u64>{0, kInputs}));
}

TEST_F(SdkMemory, AQueueIsProcessedByOneTaskletForEachElement) {
  Dpu dpu = filled("sdk_fifo_1");
  ASSERT_EQ(dpu.run().fault.text, "");
  expect_drained(dpu);
  auto results = get<u64>(dpu, address(dpu, "__outputs_data"), kInputs);
  std::sort(results.begin(), results.end());
  for (u32 i = 0; i < kInputs; ++i) EXPECT_EQ(results[i], (i + 1) * 1000 + 100 + 3 * i);
  const auto turns = get<u32>(dpu, address(dpu, "of_tasklet"), kTasklets);
  EXPECT_EQ(std::accumulate(turns.begin(), turns.end(), 0u), kInputs);
  EXPECT_LE(*std::max_element(turns.begin(), turns.end()), 3u);
}

TEST_F(SdkMemory, AQueueIsProcessedByAllTaskletsInOrder) {
  Dpu dpu = filled("sdk_fifo_2");
  ASSERT_EQ(dpu.run().fault.text, "");
  expect_drained(dpu);
  const auto results = get<u64>(dpu, address(dpu, "__outputs_data"), kInputs);
  for (u32 i = 0; i < kInputs; ++i)
    EXPECT_EQ(results[i], (i + 1) * kTasklets * (kTasklets - 1) / 2 + kTasklets * (100 + 3 * i)) << i;
  EXPECT_EQ(get<u32>(dpu, address(dpu, "of_tasklet"), kTasklets), std::vector<u32>(kTasklets, kInputs));
}

TEST_F(SdkMemory, AFullOutputQueueWaitsForTheHost) {
  for (const char* program : {"sdk_fifo_1", "sdk_fifo_2"}) {
    Dpu dpu = filled(program);
    // the host has read 20 elements, so that 12 elements are free
    put(dpu, address(dpu, "outputs") + 8, std::vector<u64>{20});
    EXPECT_EQ(dpu.run(1000000).fault.code, FaultCode::cycle_limit) << program;
    EXPECT_EQ(get<u64>(dpu, address(dpu, "outputs"), 2), (std::vector<u64>{0, 32})) << program;
  }
}

}  // namespace
}  // namespace ringfort::pim::testing
