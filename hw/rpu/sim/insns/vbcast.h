// SPDX-License-Identifier: Apache-2.0
// Loads one word into every element, in the notation of doc/isa.md: vd[i] = VDM[a[ra] + address].
#pragma once

#include "sim/insns/elements.h"

namespace ringfort::rpu::insns {

inline Trap vbcast(State& state, const Instruction& in) noexcept {
  if (vector_end(state, in) > state.vdm.size()) return Trap::vdm_bounds;
  state.v[in.vd].element.fill(state.vdm[vector_base(state, in)]);
  return Trap::none;
}

}  // namespace ringfort::rpu::insns
