// SPDX-License-Identifier: Apache-2.0
// The input of the scheduler: a dataflow (dataflow.h), and the constants and scalars that it uses in addition to its
// operands.
#pragma once

#include <vector>

#include "codegen/dataflow.h"

namespace ringfort::rpu {

// The vector data memory has the data buffers of the plan from word 0 on, then the table, then scratch_words.
struct Plan {
  Dataflow flow;
  std::vector<u128> table;    // constants; the first one is at word table_at
  std::vector<u128> scalars;  // content of scalar register 0, 1, ...
  u32 table_at = 0;
  u32 result_at = 0;
  u32 residents = 0;  // largest number of constants that are in registers at a time

  u32 scratch_words = 0;  // number of words after the table for values that do not fit in registers

  [[nodiscard]] u32 words() const noexcept { return table_at + static_cast<u32>(table.size()) + scratch_words; }
};

}  // namespace ringfort::rpu
