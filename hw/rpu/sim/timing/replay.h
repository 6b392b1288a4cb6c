// SPDX-License-Identifier: Apache-2.0
// Executes a timed program in the order of time instead of program order. Sources are read in the cycle in which an
// instruction starts, destinations change in the cycle in which it finishes, and scalar operands are those at its
// dispatch. Equal final states show that in the timing model no instruction passes one that it depends on.
#pragma once

#include "sim/functional.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {

// Returns the final state. `before`: the state at the kernel's start; the records: of a run from there without a trap.
[[nodiscard]] State replay_in_time(const Machine& machine, const Image& image, const State& before,
                                   const std::vector<Record>& records);

// Compares registers and memories; ignores which registers have been written.
[[nodiscard]] bool same_values(const State& a, const State& b);

}  // namespace ringfort::rpu
