// SPDX-License-Identifier: Apache-2.0
// Facts that follow from a dataflow and a machine and do not change while schedules are tried: the maker and the
// readers of each value, the cost of each operation, and the order of operations that touch the same words of memory.
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
  std::vector<std::size_t> maker;                 // by value
  std::vector<std::vector<std::size_t>> readers;  // by value
  std::vector<u32> occupancies;                   // by operation
  // By operation: followers[i] must come after i; needs[i] counts the operations that i must follow. An operation must
  // follow an earlier one if it reads its result, or if both access the same word of memory and at least one of them is
  // a store. (Loads and stores reach memory in the order of their dispatch.)
  std::vector<std::vector<std::size_t>> followers;
  std::vector<u32> needs;

 private:
  void order_memory();
  void follow(std::size_t before, std::size_t after);
};

}  // namespace ringfort::rpu
