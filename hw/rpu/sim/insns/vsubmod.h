// SPDX-License-Identifier: Apache-2.0
// Subtracts two vectors modulo q, in the notation of doc/isa.md: vd[i] = (vs[i] - vt[i]) % q.
#pragma once

#include "sim/insns/elements.h"

namespace ringfort::rpu::insns {

inline Trap vsubmod(State& state, const Instruction& in) noexcept {
  const Modulus q = state.m[in.rm];
  if (!all_below(state.v[in.vs], q.value()) || !all_below(state.v[in.vt], q.value())) return Trap::operand_range;
  map_vectors(state, in, [&q](u128 a, u128 b) { return q.subtract(a, b); });
  return Trap::none;
}

}  // namespace ringfort::rpu::insns
