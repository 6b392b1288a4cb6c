// SPDX-License-Identifier: Apache-2.0
// The timeline of a verb beside the planner of jobs (hw/rpu/sim/job/plan.h), which knows the whole job before it begins.
#include "backend/rpu/timeline.h"

#include <gtest/gtest.h>

#include "backend/rpu/prepared.h"
#include "sim/job/execute.h"
#include "sim/job/plan.h"

namespace ringfort::rpu_host {
namespace {

struct Stream {
  u32 count;
  u64 load, run, store;
};

// `count` operands through two places in turn.
u64 on_timeline(const Stream& s) {
  Timeline timeline(4096);
  timeline.begin();
  for (u32 i = 0; i < s.count; ++i) {
    const u32 place = i % 2 * 1024;
    timeline.load(place, s.load);
    const Timeline::Use use{place, true};
    timeline.run(&use, 1, s.run, 0);
    timeline.store(place, s.store);
  }
  return timeline.end();
}

u64 planned(const Stream& s) {
  using rpu::job::Unit;
  std::vector<rpu::job::Task> tasks;
  for (u32 i = 0; i < s.count; ++i) {
    std::vector<u32> before;
    if (i >= 2) before.push_back(3 * (i - 2) + 2);
    tasks.push_back({Unit::hbm, s.load, before});
    tasks.push_back({Unit::rpu, s.run, {3 * i}});
    tasks.push_back({Unit::hbm, s.store, {3 * i + 1}});
  }
  u64 end = 0;
  for (const rpu::job::Span& span : rpu::job::plan(tasks)) end = std::max(end, span.finish);
  return end;
}

TEST(Timeline, EqualsThePlannerOfJobs_WhateverIsSlower) {
  for (const Stream& s : {Stream{1, 5, 7, 3}, {2, 5, 7, 3}, {8, 100, 10, 100}, {8, 10, 100, 10}, {9, 30, 60, 30}, {16, 50, 40, 1}}) {
    EXPECT_EQ(on_timeline(s), planned(s)) << s.count << ": " << s.load << ", " << s.run << ", " << s.store;
  }
}

TEST(Timeline, TransfersHideBehindKernelsThatAreSlower) {
  EXPECT_EQ(on_timeline({10, 10, 100, 10}), 10u + 10 * 100 + 10);
}

TEST(Timeline, OnePlaceOrdersEverything) {
  Timeline timeline(1024);
  timeline.begin();
  for (u32 i = 0; i < 3; ++i) {
    timeline.load(0, 10);
    const Timeline::Use use{0, true};
    timeline.run(&use, 1, 100, 0);
    timeline.store(0, 5);
  }
  EXPECT_EQ(timeline.end(), 3u * (10 + 100 + 5));
}

TEST(Timeline, AKernelWaitsForItsCodeAndForEveryOperand) {
  Timeline timeline(4096);
  timeline.begin();
  timeline.load(0, 10);
  timeline.load(1024, 20);
  const u64 ready = timeline.fetch(7);
  const Timeline::Use uses[] = {{0, true}, {1024, false}};
  timeline.run(uses, 2, 100, ready);
  EXPECT_EQ(timeline.end(), 10u + 20 + 7 + 100);
}

TEST(Timeline, EveryVerbBeginsAtZero) {
  Timeline timeline(1024);
  for (u32 verb = 0; verb < 2; ++verb) {
    timeline.begin();
    timeline.load(0, 10);
    EXPECT_EQ(timeline.end(), 10u);
  }
}

// A kernel of 1024 words goes through a place of 4096 in four runs: the store waits for the last one.
TEST(Timeline, APlaceOfSeveralPiecesIsStoredAfterTheLastOfThem) {
  constexpr u32 kPiece = 1024, kPieces = 4;
  Processor processor(library_of({}));
  Program& scale = *processor.program(Routine::scale, kPiece);
  const rpu::Modulus q(12289);
  const u128 factor = 3;
  processor.begin();
  processor.loaded(0, kPieces * kPiece);
  for (u32 i = 0; i < kPieces; ++i) processor.run(scale, std::array{0u, 0u}, std::span(&q, 1), std::span(&factor, 1), i * kPiece);
  processor.stored(0, kPieces * kPiece);
  processor.finish({});
  const u64 moved = rpu::job::transfer_cycles({}, u64{kPieces} * kPiece * sizeof(u128)), code = rpu::job::transfer_cycles({}, scale.kernel->code_bytes());
  const u64 cycles = moved + code + kPieces * (scale.kernel->cycles + scale.kernel->scalar_words()) + moved;
  EXPECT_DOUBLE_EQ(processor.clock({}).us * processor.machine().clock_mhz(), static_cast<double>(cycles));
}

}  // namespace
}  // namespace ringfort::rpu_host
