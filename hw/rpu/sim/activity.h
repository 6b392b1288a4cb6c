// SPDX-License-Identifier: Apache-2.0
// Counts of the events of a run, for the energy model (model/constants.json): instructions, multiplications and
// additions of the lanes, and words of 16 bytes that the register slices, the vector data memory and the two crossbars
// transfer. The counts depend on the instructions only, not on time. A load or store counts as 512 words in the memory
// and in the crossbar, even if several lanes receive the same word. A broadcast counts as one word in the memory.
// hw/rpu/README.md explains the terms of the machine.
#pragma once

#include "sim/instruction.h"

namespace ringfort::rpu {

struct Activity {
  u64 instructions = 0;
  u64 multiplications = 0;
  u64 additions = 0;  // number of additions and subtractions
  u64 register_words = 0;
  u64 memory_words = 0;
  u64 crossbar_words = 0;
  u64 shuffled_words = 0;

  void add(const Instruction& instruction) noexcept;

  // Returns the energy of the run from the fitted energies per event (model/constants.json), without off-chip memory
  // and without leakage, the energy that a circuit uses while it does nothing. model/energy.py divides this energy
  // among the components.
  [[nodiscard]] double microjoules() const noexcept;
};

}  // namespace ringfort::rpu
