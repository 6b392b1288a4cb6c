// SPDX-License-Identifier: Apache-2.0
// Searches for the best schedule with one of the three optimizers of schedule.h. Computes the exact time of each
// schedule that it finds. scheduler.h explains rank, jitter and habits.
#include "codegen/schedule.h"

#include <algorithm>

#include "codegen/scheduler.h"

namespace ringfort::rpu {
namespace {

// largest jitter in ranks; 8 is better than 3 and 20 for 64K points, 128 lanes and 128 banks
constexpr double kPaperJitter = 8;
constexpr u32 kPaperHorizon = 4;             // the habit `horizon` (scheduler.h), in cycles
constexpr u32 kConstantMemories = 4;         // number of register memories for constants, as in the paper's compiler
constexpr std::size_t kShortProgram = 1024;  // number of operations
constexpr u32 kLeastTries = 4;
constexpr std::size_t kStretch = 48;  // number of operations
constexpr std::size_t kBeam = 8;      // number of schedules that are kept from one stretch to the next

// The search draws habits (scheduler.h) from these values. They are the best values for 64K points on 128 lanes and 128
// banks, and values near the best ones.
constexpr std::array<double, 5> kJitters{0, 2, 4, 8, 12};
constexpr std::array<u32, 4> kOpenBlocks{2, 4, 5, 6};
constexpr std::array<double, 6> kSkews{0.3, 0.5, 0.7, 0.8, 0.9, 1.0};
constexpr std::array<u32, 4> kReserves{4, 10, 12, 16};
constexpr std::array<u32, 5> kHorizons{2, 4, 8, 12, 1U << 20};
constexpr std::array<Prefer, 4> kPreferences{Prefer::driest, Prefer::driest, Prefer::compute, Prefer::shuffle};

template <class Values>
auto drawn(std::mt19937_64& random, const Values& values) {
  return values[random() % values.size()];
}

Habits drawn_habits(u64 seed) {
  std::mt19937_64 random(seed);
  Habits habits;
  habits.seed = seed;
  habits.jitter = drawn(random, kJitters);
  habits.open_blocks = drawn(random, kOpenBlocks);
  habits.skew = drawn(random, kSkews);
  habits.reserve = drawn(random, kReserves);
  habits.horizon = drawn(random, kHorizons);
  habits.prefer = drawn(random, kPreferences);
  return habits;
}

class Search {
 public:
  Search(const Plan& plan, const Machine& machine, const SearchRequest& request)
      : machine_(machine),
        request_(request),
        facts_(plan.flow, machine),
        start_(facts_, machine, ScalarLoads(plan.flow),
               request.optimizer == Optimizer::best ? (plan.residents + 3) / 4 : kConstantMemories),
        tries_(request.tries) {
    if (request.optimizer == Optimizer::best)
      tries_ = std::max({kLeastTries, tries_, tries_ * static_cast<u32>(kShortProgram / operations())});
  }

  std::optional<Schedule> search() {
    if (request_.optimizer == Optimizer::none) {
      Scheduler scheduler = start_;
      if (scheduler.run_in_order()) keep(scheduler);
    } else {
      whole();
      if (request_.optimizer == Optimizer::best) beam();
      if (!best_) cautious();
    }
    return std::move(best_);
  }

 private:
  // Tries whole schedules. The habits (the parameters of scheduler.h) do not change during a schedule. The first
  // schedule has no jitter and one block at a time. With the optimizer `best`, the second schedule prefers the compute
  // pipe, which is best for short programs.
  void whole() {
    for (u32 i = 0; i < tries_; ++i) {
      Habits habits;
      habits.seed = request_.seed * tries_ + i;
      habits.jitter = i == 0 ? 0 : kPaperJitter;
      if (request_.optimizer == Optimizer::paper) habits.horizon = kPaperHorizon;
      if (request_.optimizer == Optimizer::best && i == 1)
        habits = {habits.seed, 0, 1, 1, 0, 1U << 20, Prefer::compute};
      if (request_.optimizer == Optimizer::best && i > 1) habits = drawn_habits(habits.seed);
      Scheduler scheduler = start_;
      scheduler.adopt(habits);
      if (scheduler.schedule_until(operations())) keep(scheduler);
    }
  }

  // Tries to find any schedule. From try to try, loads leave more registers free.
  void cautious() {
    for (const u32 reserve : kReserves) {
      Habits habits;
      habits.reserve = reserve;
      Scheduler scheduler = start_;
      scheduler.adopt(habits);
      if (!best_ && scheduler.schedule_until(operations())) keep(scheduler);
    }
  }

  void beam() {
    std::vector<Scheduler> front{start_};
    front[0].adopt(Habits{});
    for (u64 stretch = 0; !front.empty() && front[0].scheduled() < operations(); ++stretch) {
      const std::size_t until = std::min(operations(), front[0].scheduled() + kStretch);
      std::vector<Scheduler> next;
      for (u32 i = 0; i < tries_; ++i) {
        Scheduler scheduler = front[i % front.size()];
        if (i >= front.size()) scheduler.adopt(drawn_habits((request_.seed << 32) + (stretch << 16) + i));
        if (scheduler.schedule_until(until)) next.push_back(std::move(scheduler));
      }
      std::stable_sort(next.begin(), next.end(),
                       [](const Scheduler& a, const Scheduler& b) { return a.outlook() < b.outlook(); });
      if (next.size() > kBeam) next.erase(next.begin() + kBeam, next.end());
      front = std::move(next);
    }
    for (const Scheduler& scheduler : front) keep(scheduler);
  }

  void keep(const Scheduler& scheduler) {
    Schedule found{scheduler.code(), 0};
    found.cycles = timed(found.code);
    if (!best_ || found.cycles < best_->cycles) best_ = std::move(found);
  }

  // Computes the cycles of the whole code. The scheduler's own time can be too long: the front end may dispatch an
  // operation before the slot for which the scheduler chose it.
  [[nodiscard]] u64 timed(const std::vector<Instruction>& code) const {
    Timing timing(machine_);
    for (u32 pc = 0; pc < code.size(); ++pc) timing.consume({pc, code[pc], code[pc].address});
    return timing.finish().cycles;
  }

  [[nodiscard]] std::size_t operations() const { return facts_.flow.operations().size(); }

  const Machine& machine_;
  SearchRequest request_;
  FlowFacts facts_;
  Scheduler start_;
  u32 tries_;  // number of schedules to try; larger than in the request for short programs
  std::optional<Schedule> best_;
};

}  // namespace

std::optional<Schedule> schedule(const Plan& plan, const Machine& machine, const SearchRequest& request) {
  return Search(plan, machine, request).search();
}

}  // namespace ringfort::rpu
