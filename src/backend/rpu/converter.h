// SPDX-License-Identifier: Apache-2.0
// Base conversion on the ring processor, of words in the vector memory (its on-chip memory). BaseConvert in
// backend/verbs.h has the formulas and their names. For each source limb, the class computes v_i and its fraction
// v_i / q_i in units of 2^-56. k is the rounded sum of the fractions. A limb of the result is sum_i v_i (Q/q_i) - k Q;
// a few terms are computed at a time. For a single source, the centred representative v - k q plus kOffset fits into a
// word of 128 bits. Then it only has to be reduced modulo each target prime.
#pragma once

#include "backend/rpu/plan.h"

namespace ringfort::rpu_host {

class Converter {
 public:
  // Source i has `words` words. It begins at `first` + i * `words`. `words` is a multiple of a tile. Space for the
  // fractions follows the last source.
  Converter(const RpuPlan& p, Limbs from, Conversion kind, u32 first, u32 words) noexcept
      : p_(p),
        from_(from),
        kind_(kind),
        first_(first),
        words_(words) {}

  [[nodiscard]] static u32 operands(u32 limbs) noexcept { return limbs + 1; }
  [[nodiscard]] u32 source(u32 i) const noexcept { return first_ + i * words_; }
  void scale(u32 i);                           // replaces source i by v_i, adds its fraction; call it in order of i
  void round();                                // computes k; call it after the last scale()
  void sum(u32 to, u32 limb, u64 factor = 1);  // writes limb `limb` of the result, times `factor`, to `to`

 private:
  // Tells whether there is a single source, with a centred representative.
  [[nodiscard]] bool is_word() const noexcept { return from_.count == 1 && kind_ == Conversion::centred; }
  // Tells whether the conversion needs k.
  [[nodiscard]] bool exact() const noexcept { return kind_ != Conversion::approximate; }
  [[nodiscard]] u32 fractions() const noexcept { return source(from_.count); }
  void lift(u32 limb);
  void run_program(Program& program, std::span<const u32> names, std::span<const rpu::Modulus> moduli,
                   std::span<const u128> scalars);

  const RpuPlan& p_;
  Limbs from_;
  Conversion kind_;
  u32 first_, words_;
};

}  // namespace ringfort::rpu_host
