// SPDX-License-Identifier: Apache-2.0
// Subtracts a scalar from a vector modulo q, in the notation of doc/isa.md: vd[i] = (vs[i] - s[rt]) % q.
#pragma once

#include "sim/insns/elements.h"

namespace ringfort::rpu::insns {

inline Trap vssubmod(State& state, const Instruction& in) noexcept {
  const Modulus q = state.m[in.rm];
  if (!all_below(state.v[in.vs], q.value()) || state.s[in.vt] >= q.value()) return Trap::operand_range;
  map_scalar(state, in, [&q](u128 a, u128 b) { return q.subtract(a, b); });
  return Trap::none;
}

}  // namespace ringfort::rpu::insns
