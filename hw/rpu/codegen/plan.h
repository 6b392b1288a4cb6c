// SPDX-License-Identifier: Apache-2.0
// What a generator hands to the scheduler: the dataflow and the words that it reads beside its input.
#pragma once

#include <vector>

#include "codegen/dataflow.h"

namespace ringfort::rpu {

// Data buffers stand in the vector data memory from word 0 on, the table behind them.
struct Plan {
  Dataflow flow;
  std::vector<u128> table;    // constants, from table_at on
  std::vector<u128> scalars;  // by scalar register
  u32 table_at = 0;
  u32 result_at = 0;
  u32 residents = 0;  // most constants that stay in registers at a time

  u32 scratch_words = 0;  // behind the table

  [[nodiscard]] u32 words() const noexcept { return table_at + static_cast<u32>(table.size()) + scratch_words; }
};

}  // namespace ringfort::rpu
