// SPDX-License-Identifier: Apache-2.0
// Loads an address register, in the notation of doc/isa.md: a[ad] = SDM[address] % 2**21.
#pragma once

#include "sim/insns/elements.h"

namespace ringfort::rpu::insns {

inline Trap aload(State& state, const Instruction& in) noexcept {
  if (in.address >= state.sdm.size()) return Trap::sdm_bounds;
  state.a[in.vt] = static_cast<u32>(state.sdm[in.address] % kMaximumVdmWords);
  state.written.address |= u64{1} << in.vt;
  return Trap::none;
}

}  // namespace ringfort::rpu::insns
