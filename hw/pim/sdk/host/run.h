// SPDX-License-Identifier: Apache-2.0
// How a launch is carried out: every DPU on the simulator, or one of each shape there and the others on the native
// path, later, when somebody looks at their memory.
#pragma once

#include "system.h"
#include "sim/words.h"

namespace ringfort::pim {

struct LaunchReport {
  u64 cycles = 0;          // of the slowest DPU
  bool estimated = false;  // from the table of costs: no compiler, no simulation
  u32 simulated = 0;
};

LaunchReport run_dpus(const Members& members);

// Carries out what the DPU still has to do natively. Before its MRAM is touched.
void settle(dpu_t& dpu);

}  // namespace ringfort::pim
