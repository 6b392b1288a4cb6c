// SPDX-License-Identifier: Apache-2.0
// Base conversion of what stands in the vector memory, all of it on the processor: v_i and the fractions of 2^56 limb
// by limb, their rounded sum k, then for a limb of the result -k Q + sum_i v_i (Q/q_i), a few terms at a time. Of one
// limb the centred representative is a word, kOffset + v - k q, which only has to be reduced.
#pragma once

#include "backend/rpu/plan.h"

namespace ringfort::rpu_host {

class Converter {
 public:
  // Source i has `words` words (multiples of a piece) at first + i words; behind the last one is room for the
  // fractions.
  Converter(const RpuPlan& p, Limbs from, Conversion kind, u32 first, u32 words) noexcept
      : p_(p),
        from_(from),
        kind_(kind),
        first_(first),
        words_(words) {}

  [[nodiscard]] static u32 places(u32 limbs) noexcept { return limbs + 1; }
  [[nodiscard]] u32 source(u32 i) const noexcept { return first_ + i * words_; }
  void scale(u32 i);                           // v_i in the place of source i, and its fraction; in ascending order
  void round();                                // after the last one
  void sum(u32 to, u32 limb, u64 factor = 1);  // the result in limb `limb` of the plan, times a residue of it

 private:
  [[nodiscard]] bool is_word() const noexcept { return from_.count == 1 && kind_ == Conversion::centred; }
  [[nodiscard]] bool exact() const noexcept { return kind_ != Conversion::approximate; }
  [[nodiscard]] u32 fractions() const noexcept { return source(from_.count); }
  void lift(u32 limb);
  void run_program(Program& program, std::span<const u32> places, std::span<const rpu::Modulus> moduli,
                   std::span<const u128> scalars);

  const RpuPlan& p_;
  Limbs from_;
  Conversion kind_;
  u32 first_, words_;
};

}  // namespace ringfort::rpu_host
