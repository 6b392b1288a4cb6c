// SPDX-License-Identifier: Apache-2.0
// An entry of the table of kernels that the driver `emu` runs.
#pragma once

#include "backend/device/grid.h"

namespace ringfort::emu {

class Launch;  // emu/launch.h: checks and counters of one launch

struct EmuKernel {
  const char* name;
  void (*run)(Launch& launch, const device::Grid& grid, const void* args);
};

}  // namespace ringfort::emu
