// SPDX-License-Identifier: Apache-2.0
// Executes a launch, in one of two ways. Either every DPU runs on the simulator, or one DPU of each shape (Work in
// native.h) does, and all other DPUs run on the native path (kernels compiled for the host) when their memory is next
// accessed.
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
