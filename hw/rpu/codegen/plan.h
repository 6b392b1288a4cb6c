// SPDX-License-Identifier: Apache-2.0
// Input of the scheduler: the dataflow, and the constants and scalars that it reads in addition to its operands.
#pragma once

#include <vector>

#include "codegen/dataflow.h"

namespace ringfort::rpu {

// A plan: its data buffers begin at word 0 of the vector data memory, and the table follows them.
struct Plan {
  Dataflow flow;
  std::vector<u128> table;    // constants, from table_at on
  std::vector<u128> scalars;  // content of each scalar register
  u32 table_at = 0;
  u32 result_at = 0;
  u32 residents = 0;  // largest number of constants in registers at a time

  u32 scratch_words = 0;  // after the table

  [[nodiscard]] u32 words() const noexcept { return table_at + static_cast<u32>(table.size()) + scratch_words; }
};

}  // namespace ringfort::rpu
