// SPDX-License-Identifier: Apache-2.0
// Gathers the odd elements, in the notation of doc/isa.md: vd[i] = (vs if i < 256 else vt)[2 * (i % 256) + 1].
#pragma once

#include "sim/insns/elements.h"

namespace ringfort::rpu::insns {

inline Trap pkhi(State& state, const Instruction& in) noexcept {
  shuffle(state, in, [](u32 i, const auto& s, const auto& t) { return (i < 256 ? s : t)[2 * (i % 256) + 1]; });
  return Trap::none;
}

}  // namespace ringfort::rpu::insns
