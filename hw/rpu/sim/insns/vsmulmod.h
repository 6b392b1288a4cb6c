// SPDX-License-Identifier: Apache-2.0
// Multiplies a vector by a scalar modulo q, in the notation of doc/isa.md: vd[i] = (vs[i] * s[rt]) % q, for any vs and
// for s[rt] below q.
#pragma once

#include "sim/insns/elements.h"

namespace ringfort::rpu::insns {

inline Trap vsmulmod(State& state, const Instruction& in) noexcept {
  const Modulus q = state.m[in.rm];
  if (state.s[in.vt] >= q.value()) return Trap::operand_range;
  map_scalar(state, in, [&q](u128 a, u128 b) { return q.multiply(a, b); });
  return Trap::none;
}

}  // namespace ringfort::rpu::insns
