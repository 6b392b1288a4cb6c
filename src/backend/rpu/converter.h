// SPDX-License-Identifier: Apache-2.0
// Base conversion of words in the vector memory, entirely on the processor: v_i and its fraction of 2^56 for each
// source, the rounded sum k of the fractions, then -k Q + sum_i v_i (Q/q_i) for a limb of the result, a few terms at a
// time. The centred representative of a single source fits a word, kOffset + v - k q, which only needs a reduction.
#pragma once

#include "backend/rpu/plan.h"

namespace ringfort::rpu_host {

class Converter {
 public:
  // Source i has `words` words (multiples of a tile) at first + i words. Space for the fractions follows the last
  // source.
  Converter(const RpuPlan& p, Limbs from, Conversion kind, u32 first, u32 words) noexcept
      : p_(p),
        from_(from),
        kind_(kind),
        first_(first),
        words_(words) {}

  [[nodiscard]] static u32 places(u32 limbs) noexcept { return limbs + 1; }
  [[nodiscard]] u32 source(u32 i) const noexcept { return first_ + i * words_; }
  void scale(u32 i);                           // replaces source i by v_i, adds its fraction; in ascending order
  void round();                                // computes k; after the last scale()
  void sum(u32 to, u32 limb, u64 factor = 1);  // writes the result in limb `limb` of the plan, times a residue

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
