// SPDX-License-Identifier: Apache-2.0
// What follows from a dataflow and a machine and never changes while schedules are tried: who makes and reads each
// value, what each operation costs, and which operations it must follow because they touch the same words of memory.
#pragma once

#include "codegen/dataflow.h"
#include "sim/cost.h"

namespace ringfort::rpu {

[[nodiscard]] inline Pipe pipe_of(const Operation& operation) noexcept {
  return kInstructions[static_cast<std::size_t>(operation.op)].pipe;
}

// An instruction without its vector registers.
[[nodiscard]] Instruction instruction_of(const Operation& operation) noexcept;

struct FlowFacts {
  FlowFacts(const Dataflow& flow, const Machine& machine);

  const Dataflow& flow;
  std::vector<std::size_t> maker;                 // by value
  std::vector<std::vector<std::size_t>> readers;  // by value
  std::vector<u32> occupancies;                   // by operation
  // By operation: those that must follow it, and how many it must follow itself: because they read what it makes, or
  // because one of the two stores and they share a word (loads and stores reach memory in the order of their dispatch).
  std::vector<std::vector<std::size_t>> followers;
  std::vector<u32> needs;

 private:
  void order_memory();
  void follow(std::size_t before, std::size_t after);
};

}  // namespace ringfort::rpu
