// SPDX-License-Identifier: Apache-2.0
// Tests the timing rules cycle by cycle. The default machine has 128 lanes and 128 banks, so that a vector takes 4
// cycles. It dispatches an instruction every 2 cycles. Its latencies are 5 cycles (multiply), 1 cycle (add), 4 cycles
// (memory) and 4 cycles (shuffle). An instruction starts one cycle after its dispatch or later. Its finish is start +
// occupancy + latency. hw/rpu/README.md explains the terms.
#include "sim/timing/timing.h"

#include <gtest/gtest.h>

#include "dv/unit/build.h"

namespace ringfort::rpu {
namespace {

using testing::between;
using testing::butterfly;
using testing::load;
using testing::quick_front_end;
using testing::scalar_load;
using testing::store;
using testing::timed;

u32 stalled(const Record& record, Stall cause) { return record.stalls[static_cast<std::size_t>(cause)]; }

TEST(Timing, ALoneLoadStartsOneCycleAfterDispatchAndTakesOccupancyPlusLatency) {
  const auto run = timed(Machine{}, {load(0)});
  EXPECT_EQ(run.records[0].dispatch, 0U);
  EXPECT_EQ(run.records[0].start, 1U);
  EXPECT_EQ(run.records[0].finish(), 9U);
  EXPECT_EQ(run.report.cycles, 9U);
  EXPECT_DOUBLE_EQ(run.report.microseconds, 9.0 / 1680);
}

TEST(Timing, TheFrontEndDispatchesEverySecondCycle) {
  const auto run = timed(Machine{}, {load(0), between(Op::unpklo, 4, 8, 12), between(Op::vmulmod, 16, 20, 24)});
  EXPECT_EQ(run.records[1].dispatch, 2U);
  EXPECT_EQ(run.records[2].dispatch, 4U);
  EXPECT_EQ(stalled(run.records[1], Stall::front_end), 1U);
}

TEST(Timing, ThreePipesWorkAtOnce) {
  const auto run = timed(quick_front_end(), {load(0), between(Op::unpklo, 4, 8, 12), between(Op::vmulmod, 16, 20, 24)});
  EXPECT_EQ(run.records[1].start, 2U);
  EXPECT_EQ(run.records[2].start, 3U);
  EXPECT_EQ(run.report.cycles, 12U);
}

TEST(Timing, OnePipeWorksInOrderAndBackToBack) {
  const auto run = timed(quick_front_end(), {load(0), load(4), load(8)});
  EXPECT_EQ(run.records[1].start, 5U);
  EXPECT_EQ(run.records[2].start, 9U);
  EXPECT_EQ(run.report.pipes[static_cast<std::size_t>(Pipe::load_store)].busy_cycles, 12U);
}

TEST(Timing, TwoLoadsToOneBankGroupStallTheSecondByTheConflict) {
  const auto run = timed(quick_front_end(), {load(0, Mode::stride, 1), load(4)});
  EXPECT_EQ(run.records[0].occupancy, 8U);
  EXPECT_EQ(run.records[1].start, 9U);
  const auto worst = timed(quick_front_end(), {load(0, Mode::stride, 7), load(4)});
  EXPECT_EQ(worst.records[1].start, 513U);
}

TEST(Timing, AReaderWaitsUntilItsWriterHasFinished) {
  const auto run = timed(Machine{}, {load(0), between(Op::vmulmod, 4, 0, 8)});
  EXPECT_EQ(run.records[1].dispatch, 9U);
  EXPECT_EQ(stalled(run.records[1], Stall::busyboard), 7U);
  EXPECT_EQ(run.records[1].blocked_by, 0U);
  EXPECT_EQ(run.report.cycles, 9U + 1 + 4 + 5);
}

TEST(Timing, TheStrictBusyboardMakesASecondReaderWait_TheOtherDoesNot) {
  const std::vector<Instruction> two_readers{between(Op::unpklo, 0, 8, 12), between(Op::unpkhi, 4, 8, 12)};
  EXPECT_EQ(timed(Machine{}, two_readers).records[1].dispatch, 9U);
  Machine hazards;
  hazards.busyboard = Busyboard::kHazards;
  EXPECT_EQ(timed(hazards, two_readers).records[1].dispatch, 2U);
}

TEST(Timing, HazardsBlockAWriterAfterAReaderAndAWriterAfterAWriter) {
  Machine hazards = quick_front_end();
  hazards.busyboard = Busyboard::kHazards;
  EXPECT_EQ(timed(hazards, {store(0), load(0)}).records[1].dispatch, 9U);
  EXPECT_EQ(timed(hazards, {load(0), load(0)}).records[1].dispatch, 9U);
  EXPECT_EQ(timed(hazards, {store(0), store(0)}).records[1].dispatch, 1U);
}

TEST(Timing, AStallStopsEverythingBehindIt) {
  const auto run = timed(quick_front_end(), {load(0), between(Op::vmulmod, 4, 0, 8), load(12)});
  EXPECT_EQ(run.records[2].dispatch, 10U);
}

TEST(Timing, ScalarLoadsBlockTheFrontEndForTwoCycles) {
  const auto run = timed(quick_front_end(), {scalar_load(Op::sload, 1), scalar_load(Op::mload, 1), load(0)});
  EXPECT_EQ(run.records[0].finish(), 2U);
  EXPECT_EQ(run.records[1].dispatch, 2U);
  EXPECT_EQ(run.records[2].dispatch, 4U);
}

TEST(Timing, AFullQueueStopsTheFrontEndUntilItsOldestStarts) {
  Machine machine = quick_front_end();
  machine.queue_depth = 2;
  const auto run = timed(machine, {load(0), load(4), load(8), load(12)});
  // The first three loads start at cycles 1, 5 and 9. At cycle 3, the second and the third load wait in the queue. The
  // fourth load can enter the queue when the second load starts.
  EXPECT_EQ(run.records[2].dispatch, 2U);
  EXPECT_EQ(run.records[3].dispatch, 5U);
  EXPECT_EQ(stalled(run.records[3], Stall::queue), 2U);
}

TEST(Timing, APortConflictWaitsAtDispatch) {
  // The load writes memory 0, which contains v0 and v1, in cycles 5 .. 8. Without a wait, the shuffle would read v1 in
  // cycles 2 .. 5, and conflict in cycle 5. Therefore it reads from cycle 9 on.
  const auto run = timed(quick_front_end(), {load(0), between(Op::unpklo, 4, 1, 8)});
  EXPECT_EQ(stalled(run.records[1], Stall::port), 7U);
  EXPECT_EQ(run.records[1].start, 9U);
  EXPECT_EQ(run.records[1].blocked_by, 0U);
}

TEST(Timing, APortConflictWaitsAtTheHeadOfTheQueue_AndOthersPassIt) {
  Machine machine = quick_front_end();
  machine.ports = Ports::kHead;
  const auto run = timed(machine, {load(0), between(Op::unpklo, 4, 1, 8), between(Op::vmulmod, 12, 16, 20)});
  EXPECT_EQ(run.records[1].dispatch, 1U);
  EXPECT_EQ(run.records[1].start, 9U);
  EXPECT_EQ(run.records[2].start, 3U);
}

TEST(Timing, WithoutPortsNothingWaitsForARegisterMemory) {
  Machine machine = quick_front_end();
  machine.ports = Ports::kNone;
  EXPECT_EQ(timed(machine, {load(0), between(Op::unpklo, 4, 1, 8)}).records[1].start, 2U);
}

TEST(Timing, ChainOfAButterflyAndTwoShufflesTakes29Cycles) {
  // A stage of a transform with n = 1024 takes 1 + 4 + 6 cycles for its butterfly, and 1 + 4 + 4 cycles for each of its
  // two shuffles. The shuffles run one after another, because the strict busyboard keeps their sources busy.
  const auto run = timed(Machine{}, {butterfly(0, 4, 8, 12, 16), between(Op::unpklo, 20, 0, 4),
                                     between(Op::unpkhi, 24, 0, 4), butterfly(28, 32, 20, 24, 36)});
  EXPECT_EQ(run.records[1].dispatch, 11U);
  EXPECT_EQ(run.records[2].dispatch, 20U);
  EXPECT_EQ(run.records[3].dispatch, 29U);
}

TEST(Timing, EveryCycleBetweenArrivalAndDispatchHasACause) {
  Machine machine;
  machine.queue_depth = 1;
  std::vector<Instruction> program;
  for (u8 i = 0; i < 60; ++i) {
    program.push_back(load(static_cast<u8>(i % 8), Mode::stride, static_cast<u8>(i % 5)));
    program.push_back(
        between(Op::pklo, static_cast<u8>(40 + i % 4), static_cast<u8>(i % 4), static_cast<u8>(4 + i % 4)));
    program.push_back(butterfly(20, 24, 28, 32, static_cast<u8>(36 + i % 3)));
  }
  for (const Ports ports : {Ports::kNone, Ports::kHead, Ports::kDispatch}) {
    machine.ports = ports;
    for (const Record& record : timed(machine, program).records) {
      u64 sum = 0;
      for (const u32 cycles : record.stalls) sum += cycles;
      EXPECT_EQ(sum, record.dispatch - record.arrive) << "instruction " << record.pc;
    }
  }
}

TEST(Timing, NoRegisterMemoryIsEverUsedTwiceInACycle) {
  std::vector<Instruction> program;
  for (u32 i = 0; i < 400; ++i) {
    const auto r = [i](u32 k) { return static_cast<u8>((i * 7 + k * 4) % 64); };
    if (i % 3 == 0) program.push_back(load(r(0), Mode::stride, static_cast<u8>(i % 4)));
    if (i % 3 == 1) program.push_back(between(Op::unpklo, r(0), r(1), r(2)));
    if (i % 3 == 2) program.push_back(butterfly(r(0), r(1), r(2), r(3), r(4)));
  }
  for (const Ports ports : {Ports::kHead, Ports::kDispatch}) {
    Machine machine = quick_front_end();
    machine.ports = ports;
    const auto run = timed(machine, program);
    std::vector<u16> used(run.report.cycles + 1);
    const auto take = [&used](u16 memories, u64 begin, u32 cycles) {
      for (u64 c = begin; c < begin + cycles; ++c) {
        EXPECT_EQ(used[c] & memories, 0) << "cycle " << c;
        used[c] = static_cast<u16>(used[c] | memories);
      }
    };
    for (const Record& record : run.records) {
      const VectorUse use = vector_use(record.instruction);
      take(memories_of(use.reads), record.start, record.occupancy);
      take(memories_of(use.writes), record.start + record.latency, record.occupancy);
    }
  }
}

}  // namespace
}  // namespace ringfort::rpu
