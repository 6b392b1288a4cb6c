// SPDX-License-Identifier: Apache-2.0
// Tests the timeline of the simulated ring processor, which schedules verbs one after another. It must give the same
// times as the job planner (hw/rpu/sim/job/plan.h), which knows the whole job in advance.
#include "backend/rpu/timeline.h"

#include <gtest/gtest.h>

#include <array>

#include "sim/job/plan.h"

namespace ringfort::rpu_host {
namespace {

constexpr Timeline::Region kFirst{0, 1024}, kSecond{1024, 1024};

struct Stream {
  u32 count;
  u64 load, run, store;
};

// Returns the cycles that `count` operands take on the timeline. The operands use two places in the vector memory
// alternately.
u64 on_timeline(const Stream& s) {
  Timeline timeline(4096);
  timeline.begin();
  for (u32 i = 0; i < s.count; ++i) {
    const Timeline::Region region{i % 2 * 1024, 1024};
    timeline.load(region, s.load);
    timeline.run_kernel(std::array{Timeline::Use{region, true}}, s.run, 0);
    timeline.store(region, s.store);
  }
  timeline.drain();
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
  for (const Stream& s :
       {Stream{1, 5, 7, 3}, {2, 5, 7, 3}, {8, 100, 10, 100}, {8, 10, 100, 10}, {9, 30, 60, 30}, {16, 50, 40, 1}}) {
    EXPECT_EQ(on_timeline(s), planned(s)) << s.count << ": " << s.load << ", " << s.run << ", " << s.store;
  }
}

TEST(Timeline, TransfersHideBehindKernelsThatAreSlower) {
  EXPECT_EQ(on_timeline({10, 10, 100, 10}), 10u + 10 * 100 + 10);
}

TEST(Timeline, OnePlaceOrdersEverything) {
  Timeline timeline(2048);
  timeline.begin();
  for (u32 i = 0; i < 3; ++i) {
    timeline.load(kFirst, 10);
    timeline.run_kernel(std::array{Timeline::Use{kFirst, true}}, 100, 0);
    timeline.store(kFirst, 5);
  }
  timeline.drain();
  EXPECT_EQ(timeline.end(), 3u * (10 + 100 + 5));
}

TEST(Timeline, AKernelWaitsForItsCodeAndForEveryOperand) {
  Timeline timeline(4096);
  timeline.begin();
  timeline.load(kFirst, 10);
  timeline.load(kSecond, 20);
  const u64 ready = timeline.fetch(7).end;
  timeline.run_kernel(std::array{Timeline::Use{kFirst, true}, Timeline::Use{kSecond, false}}, 100, ready);
  EXPECT_EQ(timeline.end(), 10u + 20 + 7 + 100);
}

TEST(Timeline, EveryJobBeginsAtZero) {
  Timeline timeline(2048);
  for (u32 job = 0; job < 2; ++job) {
    timeline.begin();
    timeline.load(kFirst, 10);
    EXPECT_EQ(timeline.end(), 10u);
  }
}

// The memory is idle between the end of the first load and the store, because the store waits for a long kernel. Later
// loads to an unused place fill this gap.
TEST(Timeline, ALoadGoesWhereTheMemoryIsIdle) {
  Timeline timeline(4096);
  timeline.begin();
  timeline.load(kFirst, 10);
  timeline.run_kernel(std::array{Timeline::Use{kFirst, true}}, 100, 0);
  const u64 stored = timeline.stored(timeline.store(kFirst, 10));
  EXPECT_EQ(stored, 120u);
  EXPECT_EQ(timeline.load(kSecond, 50).end, 60u);
  EXPECT_EQ(timeline.load(kSecond, 50).end, 110u);
  EXPECT_EQ(timeline.load(kSecond, 50).end, 170u);
}

TEST(Timeline, WordsAreLoadedAfterTheyWereStored) {
  Timeline timeline(4096);
  timeline.begin();
  timeline.run_kernel(std::array{Timeline::Use{kFirst, true}}, 100, 0);
  const u32 number = timeline.store(kFirst, 10);
  EXPECT_EQ(timeline.load(kSecond, 5, timeline.stored(number)).begin, 110u);
}

}  // namespace
}  // namespace ringfort::rpu_host
