// SPDX-License-Identifier: Apache-2.0
// What a run did, in the units that the energy model prices (model/constants.json): lanes that multiplied or added,
// words of 16 bytes that the register slices, the vector data memory and the two crossbars carried. Counted from
// instructions alone: a word of the memory that several lanes receive counts once for each, but a broadcast reads one
// word.
#pragma once

#include "sim/instruction.h"

namespace ringfort::rpu {

struct Activity {
  u64 instructions = 0;
  u64 multiplications = 0;
  u64 additions = 0;  // and subtractions
  u64 register_words = 0;
  u64 memory_words = 0;
  u64 crossbar_words = 0;
  u64 shuffled_words = 0;

  void add(const Instruction& instruction) noexcept;

  // At the fitted prices; without off-chip memory and leakage. model/energy.py tells it by component.
  [[nodiscard]] double microjoules() const noexcept;
};

}  // namespace ringfort::rpu
