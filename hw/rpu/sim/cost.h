// SPDX-License-Identifier: Apache-2.0
// What one instruction costs by itself on a machine: cycles for which it occupies its pipe, and latency from first read
// to first write. The rules are stated in asm/cost.py too; a test compares the two.
#pragma once

#include "sim/instruction.h"
#include "sim/machine.h"

namespace ringfort::rpu {

[[nodiscard]] u32 latency(const Machine& machine, Latency latency_class) noexcept;

// Bank of a word of the vector data memory.
[[nodiscard]] u32 bank_of(const Machine& machine, u64 address) noexcept;

// `base` is the word address of element 0 of a vector load or store, unused otherwise.
[[nodiscard]] u32 occupancy(const Machine& machine, const Instruction& instruction, u64 base) noexcept;

// True where a result would be written into a single-port register memory whose operand is still being read.
[[nodiscard]] bool overtakes_its_operand(const Machine& machine, const Instruction& instruction) noexcept;

}  // namespace ringfort::rpu
