// SPDX-License-Identifier: Apache-2.0
// From a dataflow to instructions: order and registers, decided together while the timing model runs along.
//   paper : in every slot of the front end, for the pipe that runs dry first, the first operation in rank order whose
//           operands are finished and whose register memories are free at its exact start; its results go where their
//           write windows are free. Rank: depth first from the stores of the block, plus a random jitter by seed.
//   none  : the order of the dataflow, registers in turn; no knowledge of the machine but what is legal.
// Blocks follow each other without overlap. Results avoid the memories of the values that will be read together with
// them; constants have memories of their own.
#pragma once

#include "codegen/dataflow.h"
#include "sim/machine.h"

namespace ringfort::rpu {

enum class Optimizer : u8 { none, paper };

struct ScheduleOptions {
  Optimizer optimizer = Optimizer::paper;
  u64 seed = 0;       // 0: no jitter
  double jitter = 0;  // in ranks
};

// Word addresses in the scalar data memory that the program's prologue loads from.
inline constexpr u32 kModulusWord = 0;  // q and its constant, into m0
inline constexpr u32 kZeroWord = 2;     // the base address 0, into a0

struct Schedule {
  std::vector<Instruction> code;
  u64 cycles = 0;
};

// Refuses a dataflow whose live values do not fit the registers of their kind.
[[nodiscard]] Schedule schedule(const Dataflow& flow, const Machine& machine, const ScheduleOptions& options);

}  // namespace ringfort::rpu
