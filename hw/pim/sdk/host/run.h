// SPDX-License-Identifier: Apache-2.0
// Executes a launch: every DPU on the simulator, or one DPU of each shape (Work in native.h) on the simulator, and the
// others on the native path when their memory is next accessed.
#pragma once

#include "system.h"
#include "sim/words.h"

namespace ringfort::pim {

struct LaunchReport {
  u64 cycles = 0;          // cycles of the slowest DPU
  bool estimated = false;  // the cycles are from the table of costs, because there is no compiler for DPUs
  u32 simulated = 0;
};

LaunchReport run_dpus(const Members& members);

// Runs the DPU's pending native launches. Must be called before any access to its MRAM.
void settle(dpu_t& dpu);

}  // namespace ringfort::pim
