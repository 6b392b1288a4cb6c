// SPDX-License-Identifier: Apache-2.0
// Runs a program in the functional simulator, and compares its result with the reference (verify.h).
#include "codegen/verify.h"

#include <algorithm>
#include <random>

#include "codegen/program.h"
#include "sim/functional.h"

namespace ringfort::rpu {
namespace {

class Verifier {
 public:
  Verifier(const KernelRequest& request, const KernelInterface& kernel_interface)
      : request_(request),
        interface_(kernel_interface) {
    for (const u128 modulus : request.moduli) {
      moduli_.emplace_back(modulus);
      if (!transforms(request.function)) continue;
      const TransformField field = make_field(modulus, request.n, request.negacyclic);
      roots_.push_back(field.stage_roots());
    }
  }

  // Runs the program and compares its result with the reference. Word i of an operand is next(q, i), where q is the
  // modulus of the word's limb.
  template <class Next>
  bool agrees(const Runner& run, Next next) {
    inputs_ = {};
    for (const std::string& name : interface_.operands) {
      if (name == kSecondBuffer) continue;
      Words& words = inputs_.operands[name];
      for (u32 i = 0; i < request_.polynomials() * request_.n; ++i)
        words.push_back(next(request_.moduli[limb_of(i)], i));
    }
    for (u32 t = 0; request_.function == Function::multiply_scalar && t < request_.moduli.size(); ++t)
      inputs_.scalars.push_back(next(request_.moduli[t], t));
    const std::optional<Words> result = run(inputs_);
    if (!result) return false;
    for (u32 i = 0; i < request_.polynomials(); ++i)
      if (!agrees(i, *result)) return false;
    return true;
  }

 private:
  [[nodiscard]] u32 limb_of(u32 word) const { return word / request_.n / request_.batch; }
  [[nodiscard]] Words polynomial(u32 i, const Words& words) const {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(i) * request_.n;
    return {first, first + request_.n};
  }
  // Returns polynomial i of the named operand, or of the first operand if the function does not use the named one.
  [[nodiscard]] Words input(const std::string& name, u32 i) const {
    const auto found = inputs_.operands.find(name);
    return polynomial(i, found == inputs_.operands.end() ? inputs_.operands.begin()->second : found->second);
  }
  // Changes the order of evaluations from the program's order to the canonical order.
  [[nodiscard]] Words canonical(const Words& values) const {
    Words result(values.size());
    for (u32 position = 0; position < values.size(); ++position) {
      u32 index = 0;
      for (u32 bit = 0; bit < interface_.order.size(); ++bit)
        index |= ((position >> bit) & 1U) << interface_.order[bit];
      result[index] = values[position];
    }
    return result;
  }
  [[nodiscard]] Words transformed(Words x, u32 limb) const {
    reference_transform(moduli_[limb], roots_[limb], x);
    return x;
  }

  [[nodiscard]] bool agrees(u32 i, const Words& all) const {
    const u32 limb = i / request_.batch;
    const Modulus& q = moduli_[limb];
    const Words result = polynomial(i, all);
    if (std::any_of(result.begin(), result.end(), [&q](u128 value) { return value >= q.value(); })) return false;
    if (request_.function == Function::transform) {
      const Words x = input("x", i);
      return request_.inverse ? transformed(result, limb) == canonical(x) : transformed(x, limb) == canonical(result);
    }
    const Words a = input("a", i), b = input("b", i), c = input("c", i);
    if (request_.function == Function::multiply_polynomials) {
      const Words other = transformed(b, limb);
      Words product = transformed(a, limb);
      for (std::size_t k = 0; k < other.size(); ++k) product[k] = q.multiply(product[k], other[k]);
      return transformed(result, limb) == product;
    }
    for (std::size_t k = 0; k < a.size(); ++k)
      if (result[k] != expected(limb, a[k], b[k], c[k])) return false;
    return true;
  }

  [[nodiscard]] u128 expected(u32 limb, u128 a, u128 b, u128 c) const {
    const Modulus& q = moduli_[limb];
    switch (request_.function) {
      case Function::add: return q.add(a, b);
      case Function::subtract: return q.subtract(a, b);
      case Function::negate: return q.subtract(0, a);
      case Function::multiply: return q.multiply(a, b);
      case Function::multiply_add: return q.add(c, q.multiply(a, b));
      case Function::multiply_scalar: return q.multiply(a, inputs_.scalars[limb]);
      case Function::transform:
      case Function::multiply_polynomials: break;
    }
    return 0;
  }

  const KernelRequest& request_;
  const KernelInterface& interface_;
  std::vector<Modulus> moduli_;
  std::vector<Words> roots_;
  Inputs inputs_;
};

}  // namespace

bool verified(const KernelRequest& request, const KernelInterface& kernel_interface, u64 seed, const Runner& run) {
  Verifier verifier(request, kernel_interface);
  std::mt19937_64 random(seed);
  const auto drawn = [&random](u128 q, u32) { return ((static_cast<u128>(random()) << 64) | random()) % q; };
  const auto extreme = [](u128 q, u32 i) { return i % 3 == 0 ? q - 1 : u128{i % 3 - 1}; };
  return verifier.agrees(run, drawn) && verifier.agrees(run, extreme);
}

bool verify(const Program& program, const KernelRequest& request, u64 seed) {
  const KernelInterface kernel_interface{program.plan.operands, program.order};
  return verified(request, kernel_interface, seed, [&](const Inputs& inputs) -> std::optional<Words> {
    Functional simulator(request.machine, program.image);
    State& state = simulator.state();
    for (const auto& [name, words] : inputs.operands)
      std::copy(words.begin(), words.end(), state.vdm.begin() + program.image.symbol(name).address);
    if (!inputs.scalars.empty())
      std::copy(inputs.scalars.begin(), inputs.scalars.end(),
                state.sdm.begin() + program.image.symbol("scalars").address);
    if (simulator.run(program.image.kernel("")).trap != Trap::none) return std::nullopt;
    const Symbol& result = program.image.symbol(program.result);
    const auto first = state.vdm.begin() + result.address;
    return Words(first, first + result.words);
  });
}

}  // namespace ringfort::rpu
