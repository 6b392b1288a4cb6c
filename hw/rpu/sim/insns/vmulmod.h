// SPDX-License-Identifier: Apache-2.0
// vd[i] = (vs[i] * vt[i]) % q, for any operands
#pragma once

#include "sim/insns/lanes.h"

namespace ringfort::rpu::insns {

inline Trap vmulmod(State& state, const Instruction& in) noexcept {
  const Modulus q = state.m[in.rm];
  map_vectors(state, in, [&q](u128 a, u128 b) { return q.multiply(a, b); });
  return Trap::none;
}

}  // namespace ringfort::rpu::insns
