// SPDX-License-Identifier: Apache-2.0
// Executes a launch. A build without a compiler for DPUs runs all kernels natively. In other builds, with
// Fidelity::full, every DPU runs on the simulator. With Fidelity::shapes or Fidelity::once, DPUs with equal Work
// (native.h) have the same shape, and one DPU of each shape runs on the simulator. Almost all other DPUs run on the
// native path, that is, with kernels compiled for the host. A native launch is pending until the MRAM of its DPU is
// accessed. hw/pim/README.md explains the terms.
#pragma once

#include "system.h"
#include "sim/words.h"

namespace ringfort::pim {

struct LaunchReport {
  u64 cycles = 0;          // cycles of the slowest DPU
  bool estimated = false;  // the cycles are from the table of costs, because the build had no compiler for DPUs
  u32 simulated = 0;       // number of DPUs that ran on the simulator
};

LaunchReport run_dpus(const Members& members);

// Runs the DPU's pending native launches. Must be called before any access to the DPU's MRAM.
void settle(dpu_t& dpu);

}  // namespace ringfort::pim
