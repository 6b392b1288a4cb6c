// SPDX-License-Identifier: Apache-2.0
// Execution of a launch: every DPU on the simulator, or one DPU of each shape there and the others on the native path,
// when their memory is next accessed.
#pragma once

#include "system.h"
#include "sim/words.h"

namespace ringfort::pim {

struct LaunchReport {
  u64 cycles = 0;          // cycles of the slowest DPU
  bool estimated = false;  // cycles are from the table of costs, without a compiler for DPUs
  u32 simulated = 0;
};

LaunchReport run_dpus(const Members& members);

// Runs the DPU's pending native launches. Must be called before any access to its MRAM.
void settle(dpu_t& dpu);

}  // namespace ringfort::pim
