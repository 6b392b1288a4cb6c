// SPDX-License-Identifier: Apache-2.0
// Executes a program in the order of the simulated times instead of program order. An instruction reads its sources
// when it starts, changes its destinations when it finishes, and has the scalar operands of its dispatch. If the final
// state equals that of program order, then no instruction of this run ran before one that it depends on.
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
