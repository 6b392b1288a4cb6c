// SPDX-License-Identifier: Apache-2.0
// Computes the Cooley-Tukey butterfly modulo q, in the notation of doc/isa.md. vt1 need not be below q.
//   p = (vt[i] * vt1[i]) % q; vd[i] = (vs[i] + p) % q; vd1[i] = (vs[i] - p) % q
#pragma once

#include "sim/insns/elements.h"

namespace ringfort::rpu::insns {

inline Trap bfly(State& state, const Instruction& in) noexcept {
  const Modulus q = state.m[in.rm];
  if (!all_below(state.v[in.vs], q.value()) || !all_below(state.v[in.vt], q.value())) return Trap::operand_range;
  const Vector& s = state.v[in.vs];
  const Vector& t = state.v[in.vt];
  const Vector& t1 = state.v[in.vt1];
  Vector& d = state.v[in.vd];
  Vector& d1 = state.v[in.vd1];
  for (u32 i = 0; i < kVectorLength; ++i) {
    const u128 addend = s.element[i], product = q.multiply(t.element[i], t1.element[i]);
    d.element[i] = q.add(addend, product);
    d1.element[i] = q.subtract(addend, product);
  }
  return Trap::none;
}

}  // namespace ringfort::rpu::insns
