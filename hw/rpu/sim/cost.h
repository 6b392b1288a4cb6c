// SPDX-License-Identifier: Apache-2.0
// Cost of one instruction on a machine: the number of cycles for which it occupies its pipe, and its latency from the
// first read to the first write. asm/cost.py computes the same costs, and a test compares the two. hw/rpu/README.md
// explains the terms of the machine.
#pragma once

#include "sim/instruction.h"
#include "sim/machine.h"

namespace ringfort::rpu {

[[nodiscard]] u32 latency(const Machine& machine, Latency latency_class) noexcept;

// Returns the bank of a word of the vector data memory.
[[nodiscard]] u32 bank_of(const Machine& machine, u64 address) noexcept;

// Returns the number of cycles for which the instruction occupies its pipe. `base` is the word address of element 0 of
// a vector load or store; other instructions do not use it.
[[nodiscard]] u32 occupancy(const Machine& machine, const Instruction& instruction, u64 base) noexcept;

// Tells whether a result would be written into a single-port register memory from which an operand is still being read.
[[nodiscard]] bool overtakes_its_operand(const Machine& machine, const Instruction& instruction) noexcept;

}  // namespace ringfort::rpu
