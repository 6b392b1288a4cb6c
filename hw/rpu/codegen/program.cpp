// SPDX-License-Identifier: Apache-2.0
#include "codegen/program.h"

#include <algorithm>
#include <random>

#include "codegen/pease.h"
#include "codegen/roots.h"
#include "codegen/split.h"
#include "sim/functional.h"
#include "sim/refusal.h"

namespace ringfort::rpu {
namespace {

constexpr double kPaperJitter = 8;  // ranks; of 3, 8 and 20 the best at 64K on (128, 128)

// What the optimizer `best` draws from; the values that lead at 64K on (128, 128), and their neighbours.
constexpr std::array<double, 5> kJitters{0, 2, 4, 8, 12};
constexpr std::array<u32, 4> kOpenBlocks{1, 4, 5, 6};
constexpr std::array<double, 6> kSkews{0.3, 0.5, 0.7, 0.8, 0.9, 1.0};
constexpr std::array<u32, 4> kReserves{4, 10, 12, 16};
constexpr std::array<u32, 5> kHorizons{2, 4, 8, 12, 1U << 20};
constexpr u32 kUntwistedLimit = 4096;  // above it the loads of the untwisted form cost more than the twist's products

void check_request(const TransformRequest& request) {
  if (request.n < kLeastTransform || request.n > kLargestTransform || !std::has_single_bit(request.n))
    throw Refusal("n = " + std::to_string(request.n) + " is not a power of two in 1024 .. 131072",
                  "choose one of them");
  if (request.tries == 0) throw Refusal("no schedule is to be tried", "ask for at least one");
}

void check_room(const TransformPlan& plan, const TransformRequest& request) {
  if (plan.words() > request.machine.vdm_words)
    throw Refusal("a transform of " + std::to_string(request.n) + " needs " + std::to_string(plan.words()) +
                      " words of vdm, the machine has " + std::to_string(request.machine.vdm_words),
                  "set vdm_words=" + std::to_string(plan.words()) + " or choose a smaller n");
}

TransformField field_of(const TransformRequest& request) {
  const Modulus q(request.modulus);
  const u128 psi = minimal_root(q, request.n);
  return {q, psi, root_powers(q, psi, request.n)};
}

// The breakdown rules that an optimizer chooses from.
std::vector<TransformPlan> plans_of(const TransformField& field, const TransformRequest& request) {
  std::vector<TransformPlan> plans;
  if (request.optimizer == Optimizer::best) {
    plans.push_back(split_transform(field, request.n, true));
    if (request.n <= kUntwistedLimit) plans.push_back(split_transform(field, request.n, false));
  } else {
    plans.push_back(pease(field, request.n));
  }
  return plans;
}

template <class Values>
auto drawn(std::mt19937_64& random, const Values& values) {
  return values[random() % values.size()];
}

// Try i of a request, from the seed and i alone. The first has no jitter, and one block at a time always fits.
ScheduleOptions options_of(const TransformRequest& request, u32 i) {
  ScheduleOptions options;
  options.optimizer = request.optimizer;
  options.seed = request.seed * request.tries + i;
  options.jitter = i == 0 ? 0 : kPaperJitter;
  if (request.optimizer != Optimizer::best || i == 0) return options;
  std::mt19937_64 random(options.seed);
  options.jitter = drawn(random, kJitters);
  options.open_blocks = drawn(random, kOpenBlocks);
  options.skew = drawn(random, kSkews);
  options.reserve = drawn(random, kReserves);
  options.horizon = drawn(random, kHorizons);
  return options;
}

struct Choice {
  std::size_t plan = 0;
  Schedule schedule;
};

Choice best_schedule(const std::vector<TransformPlan>& plans, const TransformRequest& request) {
  Choice best;
  const u32 tries = request.optimizer == Optimizer::none ? 1 : request.tries;
  for (u32 i = 0; i < tries; ++i)
    for (std::size_t p = 0; p < plans.size(); ++p) {
      std::optional<Schedule> next = schedule(plans[p].flow, request.machine, options_of(request, i));
      if (!next) continue;
      if (best.schedule.code.empty() || next->cycles < best.schedule.cycles) best = {p, std::move(*next)};
    }
  if (best.schedule.code.empty())
    throw Refusal("no schedule of the transform fits the registers", "allow more tries, or use another optimizer");
  return best;
}

Image link(const Schedule& schedule, const TransformPlan& plan, const TransformRequest& request) {
  const Modulus q(request.modulus);
  Image image;
  for (const Instruction& instruction : schedule.code) image.code.push_back(encode(instruction));
  image.kernels = {{"ntt", 0, static_cast<u32>(image.code.size())}};
  image.segments = {{Space::vdm, plan.table_at, plan.table},
                    {Space::sdm, kModulusWord, {q.value(), q.reduction_constant(), 0}}};
  image.symbols = {{"x", Space::vdm, 0, request.n}};
  if (plan.table_at > request.n) image.symbols.push_back({"y", Space::vdm, request.n, plan.table_at - request.n});
  image.symbols.push_back({"table", Space::vdm, plan.table_at, static_cast<u32>(plan.table.size())});
  image.symbols.push_back({"q", Space::sdm, kModulusWord, 2});
  image.symbols.push_back({"zero", Space::sdm, kZeroWord, 1});
  image.vdm_words = plan.words();
  image.sdm_words = kZeroWord + 1;
  return image;
}

bool computes_transform(const Program& program, const TransformRequest& request, const std::vector<u128>& roots,
                        const std::vector<u128>& input) {
  Functional simulator(request.machine, program.image);
  auto& memory = simulator.state().vdm;
  std::copy(input.begin(), input.end(), memory.begin());
  if (simulator.run(program.image.kernel("ntt")).trap != Trap::none) return false;
  const Modulus q(request.modulus);
  const Symbol& result = program.image.symbol(program.result);
  std::vector<u128> expected = input;
  reference_transform(q, roots, expected);
  return std::equal(expected.begin(), expected.end(), memory.begin() + result.address);
}

}  // namespace

Program forward_transform(const TransformRequest& request) {
  check_request(request);
  const std::vector<TransformPlan> plans = plans_of(field_of(request), request);
  for (const TransformPlan& plan : plans) check_room(plan, request);
  const Choice choice = best_schedule(plans, request);
  const TransformPlan& plan = plans[choice.plan];
  Program program{link(choice.schedule, plan, request), plan.result_at == 0 ? "x" : "y", choice.schedule.cycles};
  if (!verify_transform(program, request, request.seed))
    throw std::logic_error("the generated program does not compute the transform");
  return program;
}

bool verify_transform(const Program& program, const TransformRequest& request, u64 seed) {
  const std::vector<u128> roots = field_of(request).root_powers;
  std::mt19937_64 random(seed);
  std::vector<u128> input(request.n);
  for (u128& value : input) value = ((static_cast<u128>(random()) << 64) | random()) % request.modulus;
  if (!computes_transform(program, request, roots, input)) return false;
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = i % 3 == 0 ? request.modulus - 1 : i % 3 - 1;
  return computes_transform(program, request, roots, input);
}

}  // namespace ringfort::rpu
