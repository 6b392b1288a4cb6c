// SPDX-License-Identifier: Apache-2.0
// Executes a program in the order of the simulated times instead of program order. An instruction reads its sources
// when it starts and writes its destinations when it finishes; its scalar operands are captured at dispatch. If the
// final state equals the state after an execution in program order, the run very likely violated no dependence.
#pragma once

#include "sim/functional.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {

// Returns the final state. `before` is the state at the start of the kernel; `records` come from a run that started
// there and did not trap.
[[nodiscard]] State replay_in_time(const Machine& machine, const Image& image, const State& before,
                                   const std::vector<Record>& records);

// Compares registers and memories; ignores which registers have been written.
[[nodiscard]] bool same_values(const State& a, const State& b);

}  // namespace ringfort::rpu
