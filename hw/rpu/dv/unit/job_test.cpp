// SPDX-License-Identifier: Apache-2.0
// Tests jobs (sim/job/job.h): how many cycles a transfer takes, in which cycle each step starts, and which jobs are
// rejected. hw/rpu/README.md explains the terms.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "sim/job/execute.h"
#include "sim/job/races.h"

namespace ringfort::rpu::job {
namespace {

Task hbm(u64 cycles, std::vector<u32> after = {}) { return {Unit::hbm, cycles, std::move(after)}; }
Task rpu(u64 cycles, std::vector<u32> after = {}) { return {Unit::rpu, cycles, std::move(after)}; }

std::vector<u64> starts(const std::vector<Task>& tasks) {
  std::vector<u64> found;
  for (const Span& span : plan(tasks)) found.push_back(span.start);
  return found;
}

TEST(JobPlan, ATransferTakesItsLatencyAndItsBytesAtTheRateRoundedUp) {
  Machine machine;  // 512 * 10^9 bytes/s at 1680 MHz are 304.76 bytes per cycle
  EXPECT_EQ(transfer_cycles(machine, 0), 0U);
  EXPECT_EQ(transfer_cycles(machine, 16), 1U);
  EXPECT_EQ(transfer_cycles(machine, 304), 1U);
  EXPECT_EQ(transfer_cycles(machine, 305), 2U);
  EXPECT_EQ(transfer_cycles(machine, u64{3} * 16384 * 16), 2581U);  // the paper states 1.536 us for 16K
  machine.hbm_latency = 100;
  EXPECT_EQ(transfer_cycles(machine, 305), 102U);
  machine.banks = 32;  // at 1290 MHz, more bytes per cycle
  EXPECT_EQ(transfer_cycles(machine, 305), 101U);
}

TEST(JobPlan, TheTwoUnitsWorkSideBySideAndEachDoesOneThingAtATime) {
  EXPECT_EQ(starts({hbm(10), hbm(10), rpu(7), rpu(5)}), (std::vector<u64>{0, 10, 0, 7}));
}

TEST(JobPlan, AStepWaitsForTheLastThatItNames) {
  EXPECT_EQ(starts({hbm(10), rpu(4), rpu(3, {0, 1})}), (std::vector<u64>{0, 0, 10}));
}

TEST(JobPlan, AFreeUnitTakesTheFirstStepOfTheListThatIsReadyAndDoesNotWaitForAnEarlierOne) {
  // the transfer that starts at cycle 30 does not delay the last transfer
  EXPECT_EQ(starts({hbm(10), rpu(20, {0}), hbm(10, {1}), hbm(10)}), (std::vector<u64>{0, 10, 30, 10}));
  // two tasks wait for the unit at cycle 10; the first one in the list starts
  EXPECT_EQ(starts({hbm(10), hbm(5), hbm(6)}), (std::vector<u64>{0, 10, 15}));
}

TEST(JobPlan, DoubleBufferingHidesTheShorterOfTransferAndKernel) {
  // Load i fills buffer i mod 2 after kernel i - 2. Kernel i runs after load i. There is no gap between the kernels.
  std::vector<Task> tasks;
  for (u32 i = 0; i < 6; ++i) {
    tasks.push_back(hbm(80, i < 2 ? std::vector<u32>{} : std::vector<u32>{2 * (i - 2) + 1}));
    tasks.push_back(rpu(100, {2 * i}));
  }
  const auto spans = plan(tasks);
  for (u32 i = 0; i < 6; ++i) EXPECT_EQ(spans[2 * i + 1].start, 80U + 100U * i);
  EXPECT_EQ(overlap(tasks, spans), 5U * 80U);
}

TEST(JobPlan, OneBufferMakesTransferAndKernelAlternate) {
  EXPECT_EQ(starts({hbm(80), rpu(100, {0}), hbm(80, {1}), rpu(100, {2})}), (std::vector<u64>{0, 80, 180, 260}));
}

// The definition of the schedule, without optimizations. The next task is the task that can start earliest, of all
// tasks whose predecessors have a start time. Of several such tasks it is the first one in the list.
std::vector<Span> plan_by_definition(const std::vector<Task>& tasks) {
  std::vector<std::optional<Span>> spans(tasks.size());
  std::array<u64, 2> free_at{};
  for (std::size_t left = tasks.size(); left != 0; --left) {
    std::optional<std::pair<u64, std::size_t>> earliest;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const auto& after = tasks[i].after;
      if (spans[i] || !std::all_of(after.begin(), after.end(), [&](u32 j) { return spans[j].has_value(); })) continue;
      u64 start = free_at[static_cast<std::size_t>(tasks[i].unit)];
      for (const u32 j : after) start = std::max(start, spans[j]->finish);
      if (!earliest || start < earliest->first) earliest = {start, i};
    }
    const auto [start, next] = *earliest;
    spans[next] = Span{start, start + tasks[next].cycles};
    free_at[static_cast<std::size_t>(tasks[next].unit)] = spans[next]->finish;
  }
  std::vector<Span> all;
  for (const auto& span : spans) all.push_back(*span);
  return all;
}

TEST(JobPlan, RandomTasksStartAsTheDefinitionSays) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<Task> tasks(1 + random() % 40);
    for (u32 i = 0; i < tasks.size(); ++i) {
      tasks[i].unit = random() % 2 == 0 ? Unit::hbm : Unit::rpu;
      tasks[i].cycles = random() % 5;  // 0 also occurs, so that many tasks can start in one cycle
      for (u32 j = 0; j < i; ++j)
        if (random() % tasks.size() < 2) tasks[i].after.push_back(j);
    }
    const std::vector<Span> found = plan(tasks), expected = plan_by_definition(tasks);
    u64 both = 0, end = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      ASSERT_EQ(found[i].start, expected[i].start) << "round " << round << ", task " << i;
      ASSERT_EQ(found[i].finish, expected[i].finish);
      end = std::max(end, expected[i].finish);
    }
    for (u64 cycle = 0; cycle < end; ++cycle) {
      std::array<bool, 2> busy{};
      for (std::size_t i = 0; i < tasks.size(); ++i)
        if (expected[i].start <= cycle && cycle < expected[i].finish)
          busy[static_cast<std::size_t>(tasks[i].unit)] = true;
      both += busy[0] && busy[1] ? 1 : 0;
    }
    ASSERT_EQ(overlap(tasks, found), both);
  }
}

TEST(JobRaces, RandomOrdersHideARaceExactlyWhereAPathLeadsFromStepToStep) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 200; ++round) {
    const u32 count = 2 + random() % 150;
    std::vector<std::vector<u32>> after(count);
    for (u32 i = 1; i < count; ++i)
      for (u64 edges = random() % 3; edges != 0; --edges) after[i].push_back(static_cast<u32>(random() % i));
    const u32 second = 1 + random() % (count - 1), first = random() % second;
    std::vector<Footprint> steps(count);
    steps[first].writes.add(7, 8);
    steps[second].reads.add(7, 8);
    std::vector<bool> reached(count);  // steps from which a path leads to `second`
    reached[second] = true;
    for (u32 i = second; i > first; --i)
      if (reached[i])
        for (const u32 j : after[i]) reached[j] = true;
    ASSERT_EQ(find_race(steps, after).has_value(), !reached[first]) << "round " << round;
  }
}

TEST(JobRaces, RangesJoinWhereTheyTouch) {
  Ranges a, b;
  a.add(10, 20);
  a.add(30, 40);
  b.add(20, 30);
  EXPECT_FALSE(a.common(b));
  a.add(20, 21);
  EXPECT_EQ(a.common(b), 20U);
  a.add(15, 35);
  b.add(0, 5);
  EXPECT_EQ(b.common(a), 20U);
}

TEST(JobRaces, AnUnorderedWriteIsFoundAndAnOrderedOneIsNone) {
  std::vector<Footprint> steps(3);
  steps[0].writes.add(0, 512);
  steps[1].reads.add(0, 512);
  steps[2].writes.add(100, 101);
  EXPECT_FALSE(find_race(steps, {{}, {0}, {1}}));  // step 1 orders steps 0 and 2
  const auto race = find_race(steps, {{}, {0}, {0}});
  ASSERT_TRUE(race);
  EXPECT_EQ(race->first, 1U);
  EXPECT_EQ(race->second, 2U);
  EXPECT_EQ(race->word, 100U);
}

TEST(JobRaces, TwoReadersNeedNoOrder) {
  std::vector<Footprint> steps(2);
  steps[0].reads.add(0, 512);
  steps[1].reads.add(0, 512);
  EXPECT_FALSE(find_race(steps, {{}, {}}));
}

TEST(JobRaces, AStridedStoreTouchesEverySecondWordOnly) {
  Instruction in;
  in.op = Op::vstore;
  in.vs = static_cast<u8>(Mode::stride);
  in.vt = 1;
  Footprint even, odd;
  touch(even, in, 0);
  touch(odd, in, 1);
  EXPECT_FALSE(even.writes.common(odd.writes));
  touch(odd, in, 1022);
  EXPECT_EQ(even.writes.common(odd.writes), 1022U);
}

TEST(JobParse, DamagedTextIsReadOrRefusedAndNothingElse) {
  const std::string text =
      "array a 512\narray b 0x200\n# two copies\nl: load a -> p.x + 16\nk: run p.main with q = 7, z = 0x10 after l\n"
      "s: store p.y -> b after k, l\n";
  const std::string signs = "\n\t #:,=+->.0x9az\x80\xff";
  std::mt19937 random(512);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = text;
    for (int edit = 0; edit < 4; ++edit) damaged[random() % damaged.size()] = signs[random() % signs.size()];
    damaged.resize(random() % (damaged.size() + 1));
    try {
      static_cast<void>(parse_job(damaged, "a.job"));
    } catch (const std::runtime_error& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).rfind("a.job", 0), 0U) << error.what() << "\n" << damaged;
    }
  }
  EXPECT_EQ(refused, 20000);  // the text names an undeclared program
}

}  // namespace
}  // namespace ringfort::rpu::job
