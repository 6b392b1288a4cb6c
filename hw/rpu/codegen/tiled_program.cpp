// SPDX-License-Identifier: Apache-2.0
// Searches for the plan and the tile size that give the fastest job. To make a job, it divides a plan into tiles,
// schedules each tile as a kernel, and adds the transfers of pages. First it compares jobs of all plans, and then jobs
// of the best plan with other tile sizes. For these jobs it tries few schedules. hw/rpu/README.md explains the terms.
#include "codegen/tiled_program.h"

#include <algorithm>

#include "codegen/fit.h"
#include "codegen/flow_facts.h"
#include "codegen/link.h"
#include "codegen/paging.h"
#include "codegen/verify.h"
#include "sim/refusal.h"

namespace ringfort::rpu {
namespace {

constexpr u32 kScratchShare = 16;  // 1/16 of the memory is for values that do not fit in registers
// a tile accesses at most 1/4 of the memory, so that the pages of the next tiles can arrive at the same time
constexpr u32 kWordsShare = 4;
constexpr u32 kOperations = 600;  // largest number of operations of a tile while plans are compared
constexpr std::array<u32, 3> kOtherOperations{300, 1200, 2400};  // further tile sizes for the best plan
constexpr u32 kTileScoutTries = 2;  // largest number of schedules that a comparison tries for a tile

class Builder {
 public:
  Builder(const KernelRequest& request, const KernelPlan& plan, u32 operations, u32 tries)
      : request_(request),
        plan_(plan),
        operations_(operations),
        search_{request.optimizer, request.seed, tries} {}

  // Returns the job, or none if a tile does not fit in the memory or has no schedule.
  std::optional<TiledProgram> build() {
    const u32 words = request_.machine.vdm_words;
    tiling_ = tiled(plan_, {operations_, words / kWordsShare});
    const u32 frames = (words - words / kScratchShare) / tiling_.page_words;
    for (const ProgramTile& tile : tiling_.tiles)
      most_pages_ = std::max(most_pages_, static_cast<u32>(tile.pages.size()));
    if (most_pages_ > frames) return std::nullopt;
    scratch_at_ = frames * tiling_.page_words;
    const u32 result_words = request_.polynomials() * request_.n;
    const u32 result = result_at();
    paging_ = paged(tiling_, frames, result / tiling_.page_words, (result + result_words) / tiling_.page_words);
    if (!link()) return std::nullopt;
    write_job();
    return std::move(program_);
  }

  // Returns the smallest memory in which every tile fits, in words.
  [[nodiscard]] u32 least_words() const {
    return most_pages_ * tiling_.page_words / (kScratchShare - 1) * kScratchShare + kScratchShare;
  }

 private:
  [[nodiscard]] u32 result_at() const {
    const auto operand = std::find(plan_.operands.begin(), plan_.operands.end(), plan_.result);
    return static_cast<u32>(operand - plan_.operands.begin()) * request_.polynomials() * request_.n;
  }

  // Returns a plan for tile t. It accesses the frames that have the tile's pages.
  [[nodiscard]] Plan plan_of(u32 t) const {
    Plan plan;
    plan.table_at = scratch_at_;
    plan.residents = plan_.residents;
    std::map<ValueId, ValueId> names;
    for (const auto& block : tiling_.tiles[t].blocks) {
      plan.flow.begin_block();
      for (Operation operation : block) {
        if (pipe_of(operation) == Pipe::load_store)
          operation.address = tiling_.page_words * paging_.frames[t].at(operation.address / tiling_.page_words) +
                              operation.address % tiling_.page_words;
        const std::vector<ValueId> results = plan.flow.repeat(operation, names, plan_.flow.values());
        for (std::size_t k = 0; k < results.size(); ++k) names[operation.results[k]] = results[k];
      }
    }
    return plan;
  }

  bool link() {
    Image image;
    image.vdm_words = scratch_at_;
    for (u32 t = 0; t < tiling_.tiles.size(); ++t) {
      const auto found = fitted(plan_of(t), request_.machine, search_, request_.machine.vdm_words);
      if (!found) return false;
      add_kernel(image, "tile" + std::to_string(t), found->schedule);
      image.vdm_words = std::max(image.vdm_words, found->plan.words());
    }
    image.symbols.push_back({"pages", Space::vdm, 0, image.vdm_words});
    add_scalar_memory(image, request_.moduli, plan_.scalars);
    program_.job.programs.push_back({kFunctionNames[static_cast<std::size_t>(request_.function)], std::move(image)});
    return true;
  }

  void write_job() {
    program_.job.file = "the generated job";
    const u32 words = request_.polynomials() * request_.n;
    for (const std::string& name : plan_.operands) program_.job.arrays.push_back({name, Words(words)});
    program_.job.arrays.push_back({"table", tiling_.table});
    for (const PageStep& from : paging_.steps) {
      job::Step step;
      step.name = "lsk"[static_cast<std::size_t>(from.kind)] + std::to_string(program_.job.steps.size());
      step.kind = from.kind == PageStepKind::load    ? job::Kind::load
                  : from.kind == PageStepKind::store ? job::Kind::store
                                                     : job::Kind::run;
      step.after = from.after;
      if (step.kind == job::Kind::run) step.kernel = program_.job.programs[0].image.kernels[from.tile];
      add_moves(step, from.moves);
      program_.job.steps.push_back(step);
    }
    program_.result = plan_.result;
    program_.order = plan_.order;
  }

  // Adds moves to a step. Pages that are adjacent in vector memory and in off-chip memory are one move.
  void add_moves(job::Step& step, const std::vector<PageMove>& moves) const {
    for (const PageMove& move : moves) {
      const u32 words = request_.polynomials() * request_.n;
      const u32 at = move.page * tiling_.page_words;
      const u32 array = std::min(at / words, static_cast<u32>(plan_.operands.size()));
      const u64 first = at - u64{array} * words, all = program_.job.arrays[array].words.size();
      const job::Move next{array, first, std::min<u64>(tiling_.page_words, all - first),
                           u64{move.frame} * tiling_.page_words};
      if (!step.moves.empty()) {
        job::Move& last = step.moves.back();
        if (last.array == array && last.first + last.words == next.first && last.address + last.words == next.address) {
          last.words += next.words;
          continue;
        }
      }
      step.moves.push_back(next);
    }
  }

  const KernelRequest& request_;
  const KernelPlan& plan_;
  u32 operations_;  // largest number of operations of a tile
  SearchRequest search_;
  Tiling tiling_;
  Paging paging_;
  u32 most_pages_ = 0;  // largest number of pages that a tile has
  u32 scratch_at_ = 0;  // first word after the frames, for values that do not fit in registers
  TiledProgram program_;
};

// Makes jobs from few schedules. The fastest job determines the plan and the tile size of the final job.
class Scout {
 public:
  explicit Scout(const KernelRequest& request) : request_(request) {}

  void look(const KernelPlan& plan, u32 operations) {
    Builder builder(request_, plan, operations, std::min(kTileScoutTries, request_.tries));
    auto found = builder.build();
    if (!found) {
      needed_ = std::min(needed_, builder.least_words());
      return;
    }
    const u64 cycles = execute(found->job, request_.machine).cycles;
    if (plan_ != nullptr && cycles >= cycles_) return;
    plan_ = &plan;
    operations_ = operations;
    cycles_ = cycles;
  }
  [[nodiscard]] const KernelPlan* plan() const noexcept { return plan_; }
  [[nodiscard]] u32 operations() const noexcept { return operations_; }
  [[nodiscard]] u32 needed() const noexcept { return needed_; }

 private:
  const KernelRequest& request_;
  const KernelPlan* plan_ = nullptr;  // best plan so far
  u32 operations_ = 0;
  u64 cycles_ = 0;
  u32 needed_ = ~0U;  // smallest memory, in words, in which the tiles of one of the refused jobs would fit
};

bool verify(TiledProgram& program, const KernelRequest& request, const KernelPlan& plan) {
  return verified(
      request, {plan.operands, program.order}, request.seed, [&](const Inputs& inputs) -> std::optional<Words> {
        job::Job job = program.job;
        const auto array = [&job](const std::string& name) -> Words& {
          return std::find_if(job.arrays.begin(), job.arrays.end(), [&](const auto& a) { return a.name == name; })
              ->words;
        };
        for (const auto& [name, words] : inputs.operands) array(name) = words;
        if (!inputs.scalars.empty()) job.programs[0].image.segments.back().words = inputs.scalars;
        program.report = execute(job, request.machine);
        return array(program.result);
      });
}

KernelRequest one_after_the_other(KernelRequest request) {
  request.together = std::max(1U, request.machine.vdm_words / (2 * kWordsShare) / request.n);
  return request;
}

}  // namespace

bool outgrows_memory(const KernelRequest& request) {
  check_request(request);
  const auto plans = kernel_plans(request, fields_of(request));
  return std::none_of(plans.begin(), plans.end(),
                      [&](const KernelPlan& plan) { return plan.words() <= request.machine.vdm_words; });
}

TiledProgram generate_tiled(const KernelRequest& wanted) {
  const KernelRequest request = one_after_the_other(wanted);
  check_request(request);
  std::vector<KernelPlan> plans = kernel_plans(request, fields_of(request));
  if (request.optimizer != Optimizer::best) plans.resize(1);
  Scout scout(request);
  for (const KernelPlan& plan : plans) scout.look(plan, kOperations);
  if (scout.plan() == nullptr && scout.needed() > request.machine.vdm_words)
    throw Refusal("one kernel works on " + std::to_string(scout.needed()) + " words of vdm, the machine has " +
                      std::to_string(request.machine.vdm_words),
                  "set vdm_words=" + std::to_string(scout.needed()));
  if (scout.plan() == nullptr)
    throw Refusal("no schedule of the program fits the registers", "allow more tries, or use another optimizer");
  for (const u32 operations : kOtherOperations) scout.look(*scout.plan(), operations);
  auto program = Builder(request, *scout.plan(), scout.operations(), request.tries).build();
  if (!program) throw std::logic_error("the full search finds no job where the short one did");
  if (!verify(*program, request, *scout.plan())) throw std::logic_error("the job disagrees with the reference");
  return std::move(*program);
}

}  // namespace ringfort::rpu
