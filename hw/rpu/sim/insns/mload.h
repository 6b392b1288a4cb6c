// SPDX-License-Identifier: Apache-2.0
// Loads a modulus and its reduction constant, in the notation of doc/isa.md: m[md] = SDM[address]. The next word must
// be the constant.
#pragma once

#include "sim/insns/elements.h"

namespace ringfort::rpu::insns {

inline Trap mload(State& state, const Instruction& in) noexcept {
  if (u64{in.address} + 1 >= state.sdm.size()) return Trap::sdm_bounds;
  if (state.sdm[in.address] < 2) return Trap::modulus_constant;
  const Modulus modulus(state.sdm[in.address]);
  if (modulus.reduction_constant() != state.sdm[in.address + 1]) return Trap::modulus_constant;
  state.m[in.vt] = modulus;
  state.written.modulus |= u64{1} << in.vt;
  return Trap::none;
}

}  // namespace ringfort::rpu::insns
