// SPDX-License-Identifier: Apache-2.0
// Generated programs against the reference: the functional simulator runs them, the plain transform judges.
#include <algorithm>
#include <random>

#include "codegen/program.h"
#include "sim/functional.h"

namespace ringfort::rpu {
namespace {

using Words = std::vector<u128>;

class Judge {
 public:
  Judge(const Program& program, const KernelRequest& request) : program_(program), request_(request) {
    for (const u128 modulus : request.moduli) {
      moduli_.emplace_back(modulus);
      if (!transforms(request.function)) continue;
      const TransformField field = make_field(modulus, request.n, request.negacyclic);
      roots_.push_back(field.stage_roots());
    }
  }

  // `next` gives the input, word by word, for a modulus.
  template <class Next>
  bool agrees(Next next) {
    Functional simulator(request_.machine, program_.image);
    Words& memory = simulator.state().vdm;
    for (const Symbol& symbol : program_.image.symbols)
      if (symbol.space == Space::vdm && symbol.name != "table" && symbol.name != "y")
        for (u32 i = 0; i < symbol.words; ++i) memory[symbol.address + i] = next(request_.moduli[tower_of(i)], i);
    const Words before = memory;
    scalars_.clear();
    for (u32 t = 0; request_.function == Function::multiply_scalar && t < request_.moduli.size(); ++t) {
      scalars_.push_back(next(request_.moduli[t], t));
      simulator.state().sdm[program_.image.symbol("scalars").address + t] = scalars_[t];
    }
    if (simulator.run(program_.image.kernel("")).trap != Trap::none) return false;
    for (u32 i = 0; i < request_.polynomials(); ++i)
      if (!agrees(i, before, memory)) return false;
    return true;
  }

 private:
  [[nodiscard]] u32 tower_of(u32 word) const { return word / request_.n / request_.batch; }
  [[nodiscard]] Words polynomial(const std::string& name, u32 i, const Words& memory) const {
    const auto first =
        memory.begin() + program_.image.symbol(name).address + static_cast<std::ptrdiff_t>(i) * request_.n;
    return {first, first + request_.n};
  }
  // From the program's order to the canonical one.
  [[nodiscard]] Words canonical(const Words& values) const {
    Words result(values.size());
    for (u32 position = 0; position < values.size(); ++position) {
      u32 index = 0;
      for (u32 bit = 0; bit < program_.order.size(); ++bit) index |= ((position >> bit) & 1U) << program_.order[bit];
      result[index] = values[position];
    }
    return result;
  }
  [[nodiscard]] Words transformed(Words x, u32 tower) const {
    reference_transform(moduli_[tower], roots_[tower], x);
    return x;
  }

  [[nodiscard]] bool agrees(u32 i, const Words& before, const Words& after) const {
    const u32 tower = i / request_.batch;
    const Modulus& q = moduli_[tower];
    const Words result = polynomial(program_.result, i, after);
    if (std::any_of(result.begin(), result.end(), [&q](u128 value) { return value >= q.value(); })) return false;
    if (request_.function == Function::transform) {
      const Words x = polynomial("x", i, before);
      return request_.inverse ? transformed(result, tower) == canonical(x) : transformed(x, tower) == canonical(result);
    }
    const Words a = polynomial("a", i, before);
    if (request_.function == Function::multiply_polynomials) {
      const Words b = transformed(polynomial("b", i, before), tower);
      Words product = transformed(a, tower);
      for (std::size_t k = 0; k < b.size(); ++k) product[k] = q.multiply(product[k], b[k]);
      return transformed(result, tower) == product;
    }
    const Words b = has("b") ? polynomial("b", i, before) : a, c = has("c") ? polynomial("c", i, before) : a;
    for (std::size_t k = 0; k < a.size(); ++k)
      if (result[k] != expected(tower, a[k], b[k], c[k])) return false;
    return true;
  }

  [[nodiscard]] bool has(const std::string& name) const {
    const auto& symbols = program_.image.symbols;
    return std::any_of(symbols.begin(), symbols.end(), [&name](const Symbol& symbol) { return symbol.name == name; });
  }
  [[nodiscard]] u128 expected(u32 tower, u128 a, u128 b, u128 c) const {
    const Modulus& q = moduli_[tower];
    switch (request_.function) {
      case Function::add:
        return q.add(a, b);
      case Function::subtract:
        return q.subtract(a, b);
      case Function::negate:
        return q.subtract(0, a);
      case Function::multiply:
        return q.multiply(a, b);
      case Function::multiply_add:
        return q.add(c, q.multiply(a, b));
      case Function::multiply_scalar:
        return q.multiply(a, scalars_[tower]);
      case Function::transform:
      case Function::multiply_polynomials:
        break;
    }
    return 0;
  }

  const Program& program_;
  const KernelRequest& request_;
  std::vector<Modulus> moduli_;
  std::vector<Words> roots_;
  Words scalars_;
};

}  // namespace

bool verify(const Program& program, const KernelRequest& request, u64 seed) {
  Judge judge(program, request);
  std::mt19937_64 random(seed);
  const auto drawn = [&random](u128 q, u32) { return ((static_cast<u128>(random()) << 64) | random()) % q; };
  const auto extreme = [](u128 q, u32 i) { return i % 3 == 0 ? q - 1 : u128{i % 3 - 1}; };
  return judge.agrees(drawn) && judge.agrees(extreme);
}

}  // namespace ringfort::rpu
