// SPDX-License-Identifier: Apache-2.0
#include "codegen/program.h"

#include <algorithm>
#include <random>

#include "codegen/scalar_loads.h"
#include "codegen/spill.h"
#include "sim/refusal.h"

namespace ringfort::rpu {
namespace {

void check_request(const KernelRequest& request) {
  if (request.n < kLeastTransform || request.n > kLargestTransform || !std::has_single_bit(request.n))
    throw Refusal("n = " + std::to_string(request.n) + " is not a power of two in 1024 .. 131072",
                  "choose one of them");
  if (request.tries == 0) throw Refusal("no schedule is to be tried", "ask for at least one");
  if (request.moduli.empty() || request.moduli.size() > kRegisters)
    throw Refusal(std::to_string(request.moduli.size()) + " moduli were given", "give 1 .. 64, one for each tower");
  for (const u128 modulus : request.moduli)
    if (modulus < 2) throw Refusal("a modulus is below 2", "choose a larger one");
  if (request.batch == 0) throw Refusal("the batch is empty", "ask for at least one polynomial");
}

void check_room(const Plan& plan, const KernelRequest& request) {
  if (plan.words() > request.machine.vdm_words)
    throw Refusal("the program needs " + std::to_string(plan.words()) + " words of vdm, the machine has " +
                      std::to_string(request.machine.vdm_words),
                  "set vdm_words=" + std::to_string(plan.words()) + " or choose a smaller n or batch");
}

std::vector<TransformField> fields_of(const KernelRequest& request) {
  std::vector<TransformField> fields;
  if (!transforms(request.function)) return fields;
  for (const u128 modulus : request.moduli) fields.push_back(make_field(modulus, request.n, request.negacyclic));
  return fields;
}

struct Choice {
  KernelPlan plan;
  Schedule schedule;
};

constexpr std::array<u32, 4> kSpillLimits{44, 36, 28, 20};

// With as few values kept in memory as the registers demand, as far as the memory allows.
std::optional<Choice> scheduled(const KernelPlan& plan, const KernelRequest& request, const SearchRequest& search) {
  Choice choice{plan, {}};
  auto found = schedule(plan, request.machine, search);
  for (auto limit = kSpillLimits.begin(); !found && limit != kSpillLimits.end(); ++limit) {
    static_cast<Plan&>(choice.plan) = spilled(plan, *limit);
    if (choice.plan.words() <= request.machine.vdm_words) found = schedule(choice.plan, request.machine, search);
  }
  if (!found) return std::nullopt;
  choice.schedule = std::move(*found);
  return choice;
}

constexpr std::size_t kFinalists = 3;
constexpr u32 kScoutTries = 4;

// Of many plans the best by a short search get the whole one.
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
  for (const Instruction& instruction : schedule.code) image.code.push_back(encode(instruction));
  image.kernels = {
      {kFunctionNames[static_cast<std::size_t>(request.function)], 0, static_cast<u32>(image.code.size())}};
  std::vector<u128> scalar_memory{0};
  const auto moduli = static_cast<u32>(request.moduli.size());
  for (const u128 modulus : request.moduli) {
    scalar_memory.push_back(modulus);
    scalar_memory.push_back(Modulus(modulus).reduction_constant());
  }
  scalar_memory.insert(scalar_memory.end(), plan.scalars.begin(), plan.scalars.end());
  const u32 words = request.polynomials() * request.n;
  for (u32 i = 0; i < plan.operands.size(); ++i)
    image.symbols.push_back({plan.operands[i], Space::vdm, i * words, words});
  if (!plan.table.empty()) {
    image.segments.push_back({Space::vdm, plan.table_at, plan.table});
    image.symbols.push_back({"table", Space::vdm, plan.table_at, static_cast<u32>(plan.table.size())});
  }
  image.segments.push_back({Space::sdm, kZeroWord, scalar_memory});
  image.symbols.push_back({"zero", Space::sdm, kZeroWord, 1});
  image.symbols.push_back({"moduli", Space::sdm, modulus_word(0), 2 * moduli});
  if (!plan.scalars.empty())
    image.symbols.push_back({"scalars", Space::sdm, scalar_word(0, moduli), static_cast<u32>(plan.scalars.size())});
  image.vdm_words = plan.words();
  image.sdm_words = static_cast<u32>(scalar_memory.size());
  return image;
}

}  // namespace

Program generate(const KernelRequest& request) {
  check_request(request);
  std::vector<KernelPlan> plans = kernel_plans(request, fields_of(request));
  const auto fits = [&request](const KernelPlan& plan) { return plan.words() <= request.machine.vdm_words; };
  if (std::none_of(plans.begin(), plans.end(), fits)) check_room(plans.front(), request);
  std::erase_if(plans, [&fits](const KernelPlan& plan) { return !fits(plan); });
  if (request.optimizer != Optimizer::best)
    plans.resize(1);  // the paper's rule, or what stands in where it does not fit
  const Choice choice = best_schedule(plans, request);
  Image image = link(choice.schedule, choice.plan, request);
  Program program{std::move(image), choice.plan.result, choice.plan.order, choice.schedule.cycles, choice.plan};
  if (!verify(program, request, request.seed))
    throw std::logic_error("the generated program does not compute what it should");
  return program;
}

}  // namespace ringfort::rpu
