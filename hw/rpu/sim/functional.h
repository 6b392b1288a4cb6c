// SPDX-License-Identifier: Apache-2.0
// The functional simulator. It executes a program exactly, one instruction after another, without a model of time.
// After each instruction, it reports an Event. The timing model reads these events and cannot change a value.
// hw/rpu/README.md explains the terms of the machine.
#pragma once

#include <functional>
#include <vector>

#include "sim/instruction.h"
#include "sim/state.h"

namespace ringfort::rpu {

// One executed instruction. `base` is the word address of element 0 of a vector load or store.
struct Event {
  u32 pc = 0;
  Instruction instruction;
  u64 base = 0;
};

struct Outcome {
  Trap trap = Trap::none;
  u32 pc = 0;  // index of the trapped instruction, or of the last one
  u64 executed = 0;
  u64 lane_operations = 0;  // number of operations on elements; each compute instruction has 512
};

// A function that is called after each instruction.
using Observer = std::function<void(const Event&)>;

class Functional {
 public:
  // Decodes the instructions of the image and loads its data. Marks the instructions that are illegal on this machine.
  Functional(const Machine& machine, const Image& image);

  [[nodiscard]] State& state() noexcept { return state_; }
  [[nodiscard]] const State& state() const noexcept { return state_; }

  // Executes instructions from the first one of the kernel to the one with the END bit.
  Outcome run(const Kernel& kernel, const Observer& observer = {});

  // Executes the instruction with index `pc`. A trap leaves the state unchanged.
  Trap execute(u32 pc, Event& event);

 private:
  std::vector<Decoded> code_;
  State state_;
};

}  // namespace ringfort::rpu
