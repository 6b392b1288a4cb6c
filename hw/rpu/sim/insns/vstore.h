// SPDX-License-Identifier: Apache-2.0
// Stores a vector, in the notation of doc/isa.md: VDM[a[ra] + address + ea(i)] = vx[i].
#pragma once

#include "sim/insns/elements.h"

namespace ringfort::rpu::insns {

inline Trap vstore(State& state, const Instruction& in) noexcept {
  if (vector_end(state, in) > state.vdm.size()) return Trap::vdm_bounds;
  const u64 base = vector_base(state, in);
  for (u32 i = 0; i < kVectorLength; ++i)
    state.vdm[base + element_offset(in.mode(), in.value(), i)] = state.v[in.vd].element[i];
  return Trap::none;
}

}  // namespace ringfort::rpu::insns
