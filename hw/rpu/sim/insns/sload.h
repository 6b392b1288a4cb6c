// SPDX-License-Identifier: Apache-2.0
// Loads a scalar register, in the notation of doc/isa.md: s[sd] = SDM[address].
#pragma once

#include "sim/insns/elements.h"

namespace ringfort::rpu::insns {

inline Trap sload(State& state, const Instruction& in) noexcept {
  if (in.address >= state.sdm.size()) return Trap::sdm_bounds;
  state.s[in.vt] = state.sdm[in.address];
  state.written.scalar |= u64{1} << in.vt;
  return Trap::none;
}

}  // namespace ringfort::rpu::insns
