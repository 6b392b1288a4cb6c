// SPDX-License-Identifier: Apache-2.0
// Costs of launches of the kernels, measured on the simulator by bench/pimcosts and shipped as data/kernel_cycles.json.
// If all 16 tasklets work, the DPU's issue slots limit the speed; with few tasklets, the 11 cycles between two
// instructions of a tasklet limit it.
#pragma once

#include <string>
#include <vector>

namespace ringfort::pim {

// cycles = fixed + per_unit max(units, 11 longest): `units` is the work of all tasklets, `longest` that of the busiest
// one.
struct Cost {
  std::string shape;
  double fixed, per_unit;
};

extern const std::vector<Cost> kCosts;

}  // namespace ringfort::pim
