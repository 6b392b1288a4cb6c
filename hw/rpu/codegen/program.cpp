// SPDX-License-Identifier: Apache-2.0
// Chooses the best plan and schedule for a request, makes an image of them, and verifies the image.
#include "codegen/program.h"

#include <algorithm>
#include <random>

#include "codegen/fit.h"
#include "codegen/link.h"
#include "sim/refusal.h"

namespace ringfort::rpu {
namespace {

void check_room(const Plan& plan, const KernelRequest& request) {
  if (plan.words() > request.machine.vdm_words)
    throw Refusal("the program needs " + std::to_string(plan.words()) + " words of vdm, the machine has " +
                      std::to_string(request.machine.vdm_words),
                  "set vdm_words=" + std::to_string(plan.words()) + " or choose a smaller n or batch");
}

struct Choice {
  KernelPlan plan;
  Schedule schedule;
};

std::optional<Choice> scheduled(const KernelPlan& plan, const KernelRequest& request, const SearchRequest& search) {
  auto found = fitted(plan, request.machine, search, request.machine.vdm_words);
  if (!found) return std::nullopt;
  Choice choice{plan, std::move(found->schedule)};
  static_cast<Plan&>(choice.plan) = std::move(found->plan);
  return choice;
}

constexpr std::size_t kFinalists = 3;
constexpr u32 kScoutTries = 4;

// If there are more than three plans, searches briefly for a schedule of each plan, and then fully for the best three.
Choice best_schedule(const std::vector<KernelPlan>& plans, const KernelRequest& request) {
  SearchRequest search{request.optimizer, request.seed, std::min(kScoutTries, request.tries)};
  std::vector<std::pair<u64, std::size_t>> ranking;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    if (plans.size() > kFinalists) {
      const auto found = scheduled(plans[p], request, search);
      ranking.emplace_back(found ? found->schedule.cycles : ~u64{0}, p);
    } else {
      ranking.emplace_back(0, p);
    }
  }
  std::sort(ranking.begin(), ranking.end());
  ranking.resize(std::min(kFinalists, ranking.size()));
  search.tries = request.tries;
  std::optional<Choice> best;
  for (const auto& [cycles, p] : ranking) {
    auto next = scheduled(plans[p], request, search);
    if (next && (!best || next->schedule.cycles < best->schedule.cycles)) best = std::move(next);
  }
  if (!best)
    throw Refusal("no schedule of the program fits the registers", "allow more tries, or use another optimizer");
  return std::move(*best);
}

Image link(const Schedule& schedule, const KernelPlan& plan, const KernelRequest& request) {
  Image image;
  add_kernel(image, kFunctionNames[static_cast<std::size_t>(request.function)], schedule);
  const u32 words = request.polynomials() * request.n;
  for (u32 i = 0; i < plan.operands.size(); ++i)
    image.symbols.push_back({plan.operands[i], Space::vdm, i * words, words});
  if (!plan.table.empty()) {
    image.segments.push_back({Space::vdm, plan.table_at, plan.table});
    image.symbols.push_back({"table", Space::vdm, plan.table_at, static_cast<u32>(plan.table.size())});
  }
  add_scalar_memory(image, request.moduli, plan.scalars);
  image.vdm_words = plan.words();
  return image;
}

}  // namespace

Program generate(const KernelRequest& request) {
  check_request(request);
  std::vector<KernelPlan> plans = kernel_plans(request, fields_of(request));
  const auto fits = [&request](const KernelPlan& plan) { return plan.words() <= request.machine.vdm_words; };
  if (std::none_of(plans.begin(), plans.end(), fits)) check_room(plans.front(), request);
  std::erase_if(plans, [&fits](const KernelPlan& plan) { return !fits(plan); });
  if (request.optimizer != Optimizer::best) plans.resize(1);  // the paper's rule, or `split` if that rule does not fit
  const Choice choice = best_schedule(plans, request);
  Image image = link(choice.schedule, choice.plan, request);
  Program program{std::move(image), choice.plan.result, choice.plan.order, choice.schedule.cycles, choice.plan};
  if (!verify(program, request, request.seed))
    throw std::logic_error("the generated program disagrees with the reference");
  return program;
}

}  // namespace ringfort::rpu
