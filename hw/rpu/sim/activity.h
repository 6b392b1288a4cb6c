// SPDX-License-Identifier: Apache-2.0
// Counts of a run in the units of the energy model (model/constants.json): multiplications and additions of lanes, and
// words of 16 bytes that the register slices, the vector data memory and the two crossbars carry. The counts follow
// from the instructions alone. A load or store counts 512 words in the memory and in the crossbar, also if several
// lanes receive the same word. Only a broadcast counts a single word in the memory.
#pragma once

#include "sim/instruction.h"

namespace ringfort::rpu {

struct Activity {
  u64 instructions = 0;
  u64 multiplications = 0;
  u64 additions = 0;  // includes subtractions
  u64 register_words = 0;
  u64 memory_words = 0;
  u64 crossbar_words = 0;
  u64 shuffled_words = 0;

  void add(const Instruction& instruction) noexcept;

  // Returns the energy at the fitted prices, without off-chip memory and leakage. model/energy.py splits it by
  // component.
  [[nodiscard]] double microjoules() const noexcept;
};

}  // namespace ringfort::rpu
