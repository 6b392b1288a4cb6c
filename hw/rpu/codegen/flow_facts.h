// SPDX-License-Identifier: Apache-2.0
// Facts about a dataflow on a machine. The scheduler computes them once, because they do not depend on the schedule.
// They are the maker and the readers of each value, the cost of each operation, and the order of operations that access
// the same words of memory.
#pragma once

#include "codegen/dataflow.h"
#include "sim/cost.h"

namespace ringfort::rpu {

[[nodiscard]] inline Pipe pipe_of(const Operation& operation) noexcept {
  return kInstructions[static_cast<std::size_t>(operation.op)].pipe;
}

// Returns the instruction without its vector registers.
[[nodiscard]] Instruction instruction_of(const Operation& operation) noexcept;

struct FlowFacts {
  FlowFacts(const Dataflow& flow, const Machine& machine);

  const Dataflow& flow;
  std::vector<std::size_t> maker;                 // for each value: the operation that computes it
  std::vector<std::vector<std::size_t>> readers;  // for each value: the operations that read it
  std::vector<u32> occupancies;                   // for each operation: cycles for which it occupies its pipe
  // For each operation i: followers[i] has the operations that must come after i, and needs[i] is the number of
  // operations that must come before i. An operation must come after an earlier one if it reads a result of the earlier
  // one. It must also come after an earlier one if both access the same word of memory and at least one of them is a
  // store. (Loads and stores reach the memory in the order of their dispatch.)
  std::vector<std::vector<std::size_t>> followers;
  std::vector<u32> needs;

 private:
  void order_memory();
  void follow(std::size_t before, std::size_t after);
};

}  // namespace ringfort::rpu
