// SPDX-License-Identifier: Apache-2.0
// From a dataflow to instructions. In every slot of the front end, while the timing model runs along: for the pipe that
// runs dry first, the first operation in rank order that can start without waiting for anything. Rank: depth first from
// the stores of its block, plus a random jitter by seed; a later block begins `skew` of a block's length behind.
//   none  : the order of the dataflow, registers in turn; no knowledge of the machine but what is legal
//   paper : one block after the other
//   best  : several blocks at a time, loads held back while registers are few
// Passes never overlap, because one reads what the other writes.
#pragma once

#include <optional>

#include "codegen/dataflow.h"
#include "sim/machine.h"

namespace ringfort::rpu {

enum class Optimizer : u8 { none, paper, best };

struct ScheduleOptions {
  Optimizer optimizer = Optimizer::paper;
  u64 seed = 0;            // of the jitter
  double jitter = 0;       // in ranks
  u32 open_blocks = 1;     // that are worked on at a time
  double skew = 1;         // of a block's length, between one block and the next
  u32 reserve = 0;         // data registers that loads leave free, except the first operation in rank order
  u32 horizon = 1U << 20;  // a pipe whose next start is further away gets nothing yet
};

// Word addresses in the scalar data memory that the program's prologue loads from.
inline constexpr u32 kModulusWord = 0;  // q and its constant, into m0
inline constexpr u32 kZeroWord = 2;     // the base address 0, into a0

struct Schedule {
  std::vector<Instruction> code;
  u64 cycles = 0;
};

// None if the values that these options let live at a time do not fit the registers of their kind.
[[nodiscard]] std::optional<Schedule> schedule(const Dataflow& flow, const Machine& machine,
                                               const ScheduleOptions& options);

}  // namespace ringfort::rpu
