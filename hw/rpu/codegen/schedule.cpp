// SPDX-License-Identifier: Apache-2.0
// Searches for the best schedule with each of the three optimizers, and computes the exact times of the instructions
// found.
#include "codegen/schedule.h"

#include <algorithm>

#include "codegen/scheduler.h"

namespace ringfort::rpu {
namespace {

constexpr double kPaperJitter = 8;           // in ranks; the best of 3, 8, 20 for 64K points, 128 lanes and 128 banks
constexpr u32 kPaperHorizon = 4;             // cycles; an operation that would wait longer for its pipe is not chosen
constexpr u32 kConstantMemories = 4;         // the number that the paper's compiler uses
constexpr std::size_t kShortProgram = 1024;  // operations
constexpr u32 kLeastTries = 4;
constexpr std::size_t kStretch = 48;  // operations
constexpr std::size_t kBeam = 8;      // schedules kept from one stretch to the next

// The search draws habits (scheduler.h) from these values: the best ones for 64K points on 128 lanes and 128 banks, and
// their neighbours.
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
  // Tries whole schedules, each with constant habits (the parameters of scheduler.h). The first schedule has no jitter
  // and one block at a time. The second schedule prefers the compute pipe, which is best for short programs.
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

  // Tries again. In each try, loads leave more registers for operations in progress than in the try before.
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
    for (u64 stretch = 0; !front.empty() && front[0].placed() < operations(); ++stretch) {
      const std::size_t until = std::min(operations(), front[0].placed() + kStretch);
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

  // Computes the time of the code from the start. The front end may dispatch an operation before the slot in which the
  // scheduler chose it.
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
  u32 tries_;  // schedules per request; more for short programs
  std::optional<Schedule> best_;
};

}  // namespace

std::optional<Schedule> schedule(const Plan& plan, const Machine& machine, const SearchRequest& request) {
  return Search(plan, machine, request).search();
}

}  // namespace ringfort::rpu
