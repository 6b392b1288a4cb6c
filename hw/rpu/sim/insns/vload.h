// SPDX-License-Identifier: Apache-2.0
// Loads a vector, in the notation of doc/isa.md: vd[i] = VDM[a[ra] + address + ea(i)].
#pragma once

#include "sim/insns/elements.h"

namespace ringfort::rpu::insns {

inline Trap vload(State& state, const Instruction& in) noexcept {
  if (vector_end(state, in) > state.vdm.size()) return Trap::vdm_bounds;
  const u64 base = vector_base(state, in);
  for (u32 i = 0; i < kVectorLength; ++i)
    state.v[in.vd].element[i] = state.vdm[base + element_offset(in.mode(), in.value(), i)];
  return Trap::none;
}

}  // namespace ringfort::rpu::insns
