// SPDX-License-Identifier: Apache-2.0
// Turns a dataflow (dataflow.h) into instructions. A search of fixed effort tries several schedules and returns the
// best one.
//   none  : the operations in the order of the dataflow, with registers in turn. It checks only that each instruction
//           is legal
//   paper : one block after another; the best of `tries` schedules with a random jitter (scheduler.h)
//   best  : several blocks at a time, and a beam search. The program is divided into stretches of operations. For each
//           stretch, the search tries `tries` continuations with different habits (scheduler.h). It keeps the
//           continuations with the earliest possible end
// The effort is counted in steps and not in time, so that equal requests give equal schedules.
#pragma once

#include <optional>

#include "codegen/plan.h"
#include "sim/machine.h"

namespace ringfort::rpu {

enum class Optimizer : u8 { none, paper, best };

struct SearchRequest {
  Optimizer optimizer = Optimizer::paper;
  u64 seed = 0;
  u32 tries = 16;
};

struct Schedule {
  std::vector<Instruction> code;
  u64 cycles = 0;
};

// Returns none if the live values do not fit in the registers for their kind.
[[nodiscard]] std::optional<Schedule> schedule(const Plan& plan, const Machine& machine, const SearchRequest& request);

}  // namespace ringfort::rpu
