// SPDX-License-Identifier: Apache-2.0
// Costs of launches of the kernels. The program bench/pimcosts measured them on the simulator and wrote them to
// data/kernel_cycles.json. If all 16 tasklets work, the number of issue slots determines the cycles of a launch. If
// only a few tasklets work, the 11 cycles between two instructions of a tasklet determine them. hw/pim/README.md
// explains the terms.
#pragma once

#include <string>
#include <vector>

namespace ringfort::pim {

// cycles = fixed + per_unit max(units, 11 longest). `units` is the work of all tasklets. `longest` is the work of the
// tasklet that has the most work (Work in native.h).
struct Cost {
  std::string shape;
  double fixed, per_unit;
};

extern const std::vector<Cost> kCosts;

}  // namespace ringfort::pim
