// SPDX-License-Identifier: Apache-2.0
// What launches of the kernels cost, measured on the simulator by bench/pimcosts and shipped as
// data/kernel_cycles.json: with all 16 tasklets at work an issue slot of the DPU is the limit, with few the 11 cycles
// between instructions of one tasklet.
#pragma once

#include <string>
#include <vector>

namespace ringfort::pim {

// cycles = fixed + per_unit max(units, 11 longest)
struct Cost {
  std::string shape;
  double fixed, per_unit;
};

extern const std::vector<Cost> kCosts;

}  // namespace ringfort::pim
