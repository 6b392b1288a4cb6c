// SPDX-License-Identifier: Apache-2.0
// From dataflows to instructions: the best schedule that a counted search finds.
//   none  : the order of the dataflow, registers in turn; no knowledge of the machine but what is legal
//   paper : one block after the other, the best of `tries` jitters
//   best  : several blocks at a time, and a beam search: the program is cut into stretches, `tries` continuations with
//   habits
//           of their own are tried for each, and those go on that leave the earliest end possible
// Equal requests give equal schedules: effort is counted, not timed.
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

// None if the values that live at a time do not fit the registers of their kind.
[[nodiscard]] std::optional<Schedule> schedule(const Plan& plan, const Machine& machine, const SearchRequest& request);

}  // namespace ringfort::rpu
