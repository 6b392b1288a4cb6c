// SPDX-License-Identifier: Apache-2.0
// Turns dataflows into instructions: the best schedule that a search of fixed effort finds.
//   none  : the order of the dataflow, with registers in turn; knows only which instructions are legal
//   paper : one block after the other; the best of `tries` schedules with random ranks (jitter, scheduler.h)
//   best  : several blocks at a time, and a beam search: the program is cut into stretches. For each stretch, `tries`
//           continuations with different habits (scheduler.h) are tried, and the continuations with the earliest
//           possible end are kept
// Equal requests give equal schedules, because the effort is counted in steps and not in time.
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

// Returns none if the live values do not fit the registers of their kind.
[[nodiscard]] std::optional<Schedule> schedule(const Plan& plan, const Machine& machine, const SearchRequest& request);

}  // namespace ringfort::rpu
