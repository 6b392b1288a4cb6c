// SPDX-License-Identifier: Apache-2.0
// Executes a program in the order of the simulated times instead of program order. An instruction takes its scalar
// operands when it is dispatched, reads its sources when it starts, and writes its destinations when it finishes. If
// the final state equals the state after an execution in program order, the simulated run very likely violated no
// dependence. hw/rpu/README.md explains the terms.
#pragma once

#include "sim/functional.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {

// Returns the final state. `before` is the state at the start of a run of the kernel without traps, and `records` are
// the records of this run.
[[nodiscard]] State replay_in_time(const Machine& machine, const Image& image, const State& before,
                                   const std::vector<Record>& records);

// Compares the values of registers and memories. Ignores which registers have been written.
[[nodiscard]] bool same_values(const State& a, const State& b);

}  // namespace ringfort::rpu
