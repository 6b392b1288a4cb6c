// SPDX-License-Identifier: Apache-2.0
// Interleaves the lower halves, in the notation of doc/isa.md: vd[i] = (vs if i % 2 == 0 else vt)[i // 2].
#pragma once

#include "sim/insns/elements.h"

namespace ringfort::rpu::insns {

inline Trap unpklo(State& state, const Instruction& in) noexcept {
  shuffle(state, in, [](u32 i, const auto& s, const auto& t) { return (i % 2 == 0 ? s : t)[i / 2]; });
  return Trap::none;
}

}  // namespace ringfort::rpu::insns
