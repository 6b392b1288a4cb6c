// SPDX-License-Identifier: Apache-2.0
// Makes the plans for each function. It lists the recipes (rules.h) that suit the request, and emits one dataflow for
// each recipe. recipe.h explains the steps, such as twist and scale, and the block of a pass.
#include "codegen/kernels.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "codegen/rules.h"

namespace ringfort::rpu {
namespace {

constexpr u32 kUnfusedLimit = 11;  // log2(n); in longer transforms throughput matters more than latency
// log2(n); in longer transforms, loading roots without a twist takes longer than the products of a twist
constexpr u32 kUntwistedLimit = 14;
constexpr u32 kPairVectorBits = 4;  // number of index bits that select vectors in the last pass of the private order
constexpr u32 kVectorsOfBlock = 8;  // number of vectors in a block of an element-wise function
constexpr Residency kPaperResidency{8, ValueKind::constant};

// These functions add the products with powers of psi (field.h) that an inverse transform needs. All of these products
// are at the end, or some of them are after the first pass, where there are few different powers.
Recipe scaled_at_end(Recipe recipe) {
  recipe.passes.back().steps.push_back({StepKind::scale, 0, recipe.bits});
  return recipe;
}

Recipe scaled_after_first_pass(Recipe recipe, u32 border) {
  recipe.passes.front().steps.push_back({StepKind::scale, 0, border});
  recipe.passes.back().steps.push_back({StepKind::scale, border, recipe.bits});
  return recipe;
}

Recipe scaled_by_twist(Recipe recipe, u32 twist) {
  recipe.passes.back().steps.push_back({StepKind::scale, twist, recipe.bits});
  return recipe;
}

// Divides the last stage into products, sums and differences, so that its first results are stored early.
Recipe unfused(Recipe recipe) {
  recipe.passes.back().steps.back().kind = StepKind::unfused;
  return recipe;
}

struct Rule {
  Recipe recipe;
  Residency residency;
};

std::vector<Rule> canonical_rules(u32 bits, const Machine& machine) {
  const u32 border = split_border(bits);
  std::vector<Rule> rules{{split(bits, kElementBits), {}}};
  if (bits <= kUntwistedLimit || border < bits) rules.push_back({split(bits, 0), {}});
  if (bits <= kUnfusedLimit) rules.push_back({unfused(split(bits, 0)), {}});
  if (border < bits) rules.push_back({split(bits, border), {}});
  if (machine.bank_hash == BankHash::kXor)
    for (u32 shuffled = 1; shuffled <= (border < bits ? 2U : 1U); ++shuffled)
      for (const u32 residents : {4, 8}) rules.push_back({strided(bits, shuffled), {residents, ValueKind::data, true}});
  return rules;
}

// Returns rules that all give the same private order, because forward and inverse transforms must use the same one.
// Three passes take less time than two if the front end can dispatch the loads and stores of three passes in time.
std::vector<Rule> private_rules(u32 bits, const KernelRequest& request, bool inverse) {
  if (bits > kElementBits + kBlockBits) {
    const u32 pair_bits = kElementBits + kPairVectorBits;
    const std::vector<u32> two{bits - pair_bits + kFirstExposures};
    const std::vector<u32> three{bits - pair_bits, kPairVectorBits};
    const std::vector<u32>& stages = request.machine.dispatch == 1 || two[0] > kBlockBits ? three : two;
    const u32 done = std::accumulate(stages.begin(), stages.end(), 0U);
    const u32 exposed = kFirstExposures * static_cast<u32>(stages.size());
    const u32 twist = inverse ? bits - done : kElementBits - exposed;
    return {{paired(bits, stages, twist), {4}}, {paired(bits, stages, twist), {8}}};
  }
  std::vector<Rule> rules;
  for (const bool lazy : {false, true})
    for (const u32 residents : {0, 8}) rules.push_back({early(bits, lazy), {residents}});
  if (bits <= kUnfusedLimit) rules.push_back({unfused(early(bits, false)), {8}});
  return rules;
}

std::vector<Rule> forward_rules(const KernelRequest& request, u32 bits) {
  if (request.optimizer != Optimizer::best) {
    std::vector<Rule> rules{{pease(bits), kPaperResidency}};
    // The mirror image of the paper's rule needs a table of several times n words. If the table does not fit in memory,
    // the rule `split` is used.
    if (request.inverse) rules.push_back({split(bits, 0), kPaperResidency});
    return rules;
  }
  if (request.private_order) return private_rules(bits, request, request.inverse);
  return canonical_rules(bits, request.machine);
}

u32 twist_of(const Recipe& recipe) {
  for (const Pass& pass : recipe.passes)
    for (const Step& step : pass.steps)
      if (step.kind == StepKind::twist) return step.bit;
  return 0;
}

u32 stages_of(const Pass& pass) {
  return static_cast<u32>(std::count_if(pass.steps.begin(), pass.steps.end(),
                                        [](const Step& step) { return step.kind == StepKind::stage; }));
}

// Returns the inverse of a recipe: its mirror image, followed by the missing products with powers of psi.
Recipe scaled(const Recipe& forward) {
  const u32 twist = twist_of(forward);
  return twist == 0 ? scaled_at_end(mirrored(forward)) : scaled_by_twist(mirrored(forward), twist);
}

std::vector<Rule> inverse_rules(const KernelRequest& request, u32 bits) {
  std::vector<Rule> rules;
  for (const Rule& rule : forward_rules(request, bits)) {
    rules.push_back({scaled(rule.recipe), rule.residency});
    const Recipe recipe = mirrored(rule.recipe);
    if (twist_of(recipe) == 0 && recipe.passes.size() > 1 && request.optimizer == Optimizer::best)
      rules.push_back({scaled_after_first_pass(recipe, stages_of(recipe.passes[0])), {24, ValueKind::data}});
  }
  return rules;
}

bool needs_second_buffer(const Recipe& recipe) {
  for (u32 p = 0; p < recipe.passes.size(); ++p)
    if (!in_place(recipe, p)) return true;
  return false;
}

void emit_block(Emitter& emitter, const PassBlock& block, u32 from, u32 to) {
  emitter.begin_block();
  Column column = emitter.load(block, from);
  emitter.steps(block, column);
  emitter.store(block, column, to);
}

// A transform in progress: its recipe, its limb, the buffer with its words, and a second buffer.
struct Transform {
  const Recipe& recipe;
  u32 limb;
  u32 here;
  u32 other;

  void pass(Emitter& emitter, u32 p) const {
    const u32 to = in_place(recipe, p) ? here : other;
    for (u32 block = 0; block < blocks_of(recipe, p); ++block) emit_block(emitter, {recipe, p, block, limb}, here, to);
  }
  void passed(u32 p) {
    if (!in_place(recipe, p)) std::swap(here, other);
  }
};

// Calls `body` for each group of polynomials that are transformed side by side.
template <class Body>
void each_group(const KernelRequest& request, const Body& body) {
  const u32 all = request.polynomials(), size = request.together == 0 ? all : request.together;
  for (u32 first = 0; first < all; first += size) body(first, std::min(all, first + size));
}

KernelPlan transform_plan(const KernelRequest& request, const std::vector<TransformField>& fields, const Rule& rule) {
  KernelPlan plan;
  const u32 all = request.polynomials() * request.n;
  const bool second = needs_second_buffer(rule.recipe);
  plan.operands = {"x"};
  if (second) plan.operands.emplace_back(kSecondBuffer);
  plan.table_at = second ? 2 * all : all;
  Emitter emitter(plan, fields, rule.residency);
  bool ends_in_second = false;
  each_group(request, [&](u32 first, u32 end) {
    std::vector<Transform> transforms;
    for (u32 i = first; i < end; ++i)
      transforms.push_back({rule.recipe, i / request.batch, i * request.n, all + i * request.n});
    for (u32 p = 0; p < rule.recipe.passes.size(); ++p) {
      emitter.stretch([&] {
        for (const Transform& transform : transforms) transform.pass(emitter, p);
      });
      for (Transform& transform : transforms) transform.passed(p);
    }
    ends_in_second = transforms[0].here >= all;
  });
  plan.result = plan.operands[ends_in_second ? 1 : 0];
  plan.order = request.inverse ? rule.recipe.before : rule.recipe.map(rule.recipe.passes.size());
  return plan;
}

// Transforms both operands, multiplies, and transforms back. Evaluations are in private order. The last stages of the
// second operand's transform combine elements of one vector, and so do the first stages of the inverse. Therefore no
// vector is stored between these stages.
KernelPlan product_plan(const KernelRequest& request, const std::vector<TransformField>& fields, u32 bits) {
  const u32 all = request.polynomials() * request.n;
  const Rule forward = private_rules(bits, request, false).back(), backward = private_rules(bits, request, true).back();
  const Recipe &there = forward.recipe, back = scaled(backward.recipe);
  const auto last = static_cast<u32>(there.passes.size()) - 1;
  KernelPlan plan;
  plan.operands = {"a", "b"};
  plan.table_at = 2 * all;
  Emitter emitter(plan, fields, forward.residency);
  each_group(request, [&](u32 first, u32 end) {
    const auto each = [&](const Recipe& recipe, u32 p, const auto& body) {
      emitter.stretch([&] {
        for (u32 i = first; i < end; ++i)
          for (u32 block = 0; block < blocks_of(recipe, p); ++block) body(i, block);
      });
    };
    for (u32 p = 0; p <= last; ++p)
      each(there, p, [&](u32 i, u32 block) {
        emit_block(emitter, {there, p, block, i / request.batch}, i * request.n, i * request.n);
        if (p < last)
          emit_block(emitter, {there, p, block, i / request.batch}, all + i * request.n, all + i * request.n);
      });
    each(there, last, [&](u32 i, u32 block) {
      const PassBlock from{there, last, block, i / request.batch}, to{back, 0, block, i / request.batch};
      emitter.begin_block();
      Column column = emitter.load(from, all + i * request.n);
      emitter.steps(from, column);
      const Column other = emitter.load_stored(from, i * request.n);
      for (std::size_t v = 0; v < column.size(); ++v)
        column[v] = emitter.flow().combine(Op::vmulmod, column[v], other[v], static_cast<u8>(from.limb));
      emitter.steps(to, column);
      emitter.store(to, column, i * request.n);
    });
    for (u32 p = 1; p <= last; ++p)
      each(back, p, [&](u32 i, u32 block) {
        emit_block(emitter, {back, p, block, i / request.batch}, i * request.n, i * request.n);
      });
  });
  plan.result = plan.operands[0];
  return plan;
}

// Returns the value of one vector of the result. `load(k)` loads the vector at the same position of operand k.
template <class Load>
ValueId element_wise(Function function, Dataflow& flow, const Load& load, ValueId zero, u8 limb) {
  switch (function) {
    case Function::add: return flow.combine(Op::vaddmod, load(0), load(1), limb);
    case Function::subtract: return flow.combine(Op::vsubmod, load(0), load(1), limb);
    case Function::negate: return flow.combine(Op::vsubmod, zero, load(0), limb);
    case Function::multiply: return flow.combine(Op::vmulmod, load(0), load(1), limb);
    case Function::multiply_add:
      return flow.combine(Op::vaddmod, load(2), flow.combine(Op::vmulmod, load(0), load(1), limb), limb);
    case Function::multiply_scalar: return flow.scaled(Op::vsmulmod, load(0), limb, limb);
    case Function::transform:
    case Function::multiply_polynomials: break;
  }
  throw std::logic_error("not an element-wise function");
}

KernelPlan element_wise_plan(const KernelRequest& request) {
  const u32 all = request.polynomials() * request.n;
  const Function function = request.function;
  KernelPlan plan;
  plan.operands = {"a"};
  if (function != Function::negate && function != Function::multiply_scalar) plan.operands.push_back("b");
  if (function == Function::multiply_add) plan.operands.push_back("c");
  plan.result = plan.operands[function == Function::multiply_add ? 2 : 0];
  plan.result_at = function == Function::multiply_add ? 2 * all : 0;
  plan.table_at = static_cast<u32>(plan.operands.size()) * all;
  if (function == Function::multiply_scalar) plan.scalars.resize(request.moduli.size());
  ValueId zero = 0;
  for (u32 at = 0; at < all; at += kVectorLength) {
    if (at % (kVectorsOfBlock * kVectorLength) == 0) plan.flow.begin_block();
    if (at == 0 && function == Function::negate) {
      plan.table.push_back(0);
      zero = plan.flow.load(plan.table_at, Mode::repeat, 0, ValueKind::constant);
      plan.residents = 1;
    }
    const auto load = [&](u32 operand) { return plan.flow.load(operand * all + at); };
    const auto limb = static_cast<u8>(at / request.n / request.batch);
    plan.flow.store(element_wise(function, plan.flow, load, zero, limb), plan.result_at + at);
  }
  return plan;
}

}  // namespace

std::vector<KernelPlan> kernel_plans(const KernelRequest& request, const std::vector<TransformField>& fields) {
  const auto bits = static_cast<u32>(std::countr_zero(request.n));
  if (request.function == Function::multiply_polynomials) return {product_plan(request, fields, bits)};
  if (request.function != Function::transform) return {element_wise_plan(request)};
  std::vector<KernelPlan> plans;
  for (const Rule& rule : request.inverse ? inverse_rules(request, bits) : forward_rules(request, bits))
    plans.push_back(transform_plan(request, fields, rule));
  return plans;
}

}  // namespace ringfort::rpu
