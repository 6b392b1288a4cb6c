// SPDX-License-Identifier: Apache-2.0
// The functional simulator: executes a program exactly, one instruction at a time, without a model of time. The timing
// model consumes the simulator's events and never changes a value.
#pragma once

#include <functional>
#include <vector>

#include "sim/instruction.h"
#include "sim/state.h"

namespace ringfort::rpu {

// One committed instruction. `base` is the word address of element 0 of a vector load or store.
struct Event {
  u32 pc = 0;
  Instruction instruction;
  u64 base = 0;
};

struct Outcome {
  Trap trap = Trap::none;
  u32 pc = 0;  // the trapped instruction, or the last one
  u64 executed = 0;
  u64 lane_operations = 0;  // 512 for each compute instruction
};

// Called after each instruction.
using Observer = std::function<void(const Event&)>;

class Functional {
 public:
  // Decodes the image's instructions, marks those that are illegal on this machine, and loads the data.
  Functional(const Machine& machine, const Image& image);

  [[nodiscard]] State& state() noexcept { return state_; }
  [[nodiscard]] const State& state() const noexcept { return state_; }

  // Executes from the kernel's first instruction to its END.
  Outcome run(const Kernel& kernel, const Observer& observer = {});

  // Executes the instruction with index `pc`; a trap leaves the state unchanged.
  Trap execute(u32 pc, Event& event);

 private:
  std::vector<Decoded> code_;
  State state_;
};

}  // namespace ringfort::rpu
