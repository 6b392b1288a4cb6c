// SPDX-License-Identifier: Apache-2.0
// Element-wise verbs of device `rpu` (verbs.h explains the terms). They run limb by limb, on one tile of each operand
// at a time. Two sets of operands in the vector memory alternate, so that the next tile is loaded while a program runs.
// If one polynomial is combined with all polynomials of a batch, each of its tiles is loaded only once.
#include "backend/rpu/verbs.h"

namespace ringfort::rpu_host {
namespace {

class Elementwise {
 public:
  Elementwise(const RpuPlan& p, const Elements& e)
      : p_(p),
        e_(e),
        processor_(*p.processor),
        program_(p.routine(e.routine)) {}

  void record() {
    for (u32 limb = 0; limb < e_.out.limbs.count; ++limb) {
      for (u32 offset = 0; offset < p_.plan.n; offset += p_.tile) { column(limb, offset); }
    }
  }

 private:
  [[nodiscard]] bool has_b() const { return program_.kernel->regions.size() > 2; }
  [[nodiscard]] bool single() const { return has_b() && e_.b.batch == 1 && e_.out.batch > 1; }

  void column(u32 limb, u32 offset) {
    const u32 n = p_.plan.n, length = std::min(n, p_.tile);
    const u32 shared = p_.name(6);
    if (single()) { processor_.load(shared, e_.b, limb, {0, p_.rows, offset, length}, true); }
    for (u32 b = 0; b < e_.out.batch; b += p_.rows, ++turn_) {
      const Tile tile{b, std::min(p_.rows, e_.out.batch - b), offset, length};
      const u32 set = turn_ % 2 * 3;
      const std::array<u32, 3> names = {p_.name(set), p_.name(set + 1), single() ? shared : p_.name(set + 2)};
      const auto load = [&](u32 operand, const View& view) { processor_.load(names[operand], view, limb, tile); };
      if (e_.routine == Routine::multiply_add) load(0, e_.out);
      load(1, e_.a);
      if (has_b() && !single()) load(2, e_.b);
      const rpu::Modulus& q = p_.fields[e_.out.limbs.first + limb].q;
      // The second factor of a product must be below the modulus (hw/rpu/doc/isa.md).
      const u128 scalar = e_.scalars.empty() ? 0 : e_.scalars[limb] % q.value();
      processor_.run_program(program_, std::span(names).first(program_.kernel->regions.size()), std::span(&q, 1),
                             std::span(&scalar, e_.scalars.empty() ? 0 : 1));
      processor_.store(names[0], e_.out, limb, tile);
    }
  }

  const RpuPlan& p_;
  const Elements& e_;
  Processor& processor_;
  Program& program_;
  u32 turn_ = 0;
};

}  // namespace

void combine(const RpuPlan& p, const Elements& e) { Elementwise(p, e).record(); }

}  // namespace ringfort::rpu_host
