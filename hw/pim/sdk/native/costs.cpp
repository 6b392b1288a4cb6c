// SPDX-License-Identifier: Apache-2.0
// Finds the cost of a launch in the table of costs. The build generates the rows of the table from
// data/kernel_cycles.json. hw/pim/README.md explains the terms.
#include "costs.h"

#include <algorithm>

#include "native.h"
#include "sim/chip.h"

namespace ringfort::pim {

std::optional<double> cycles_from_table(const Work& work) {
  const auto row =
      std::find_if(kCosts.begin(), kCosts.end(), [&](const Cost& cost) { return cost.shape == work.shape; });
  if (row == kCosts.end()) return std::nullopt;
  return row->fixed + row->per_unit * std::max(work.units, Timing{}.issue_interval * work.longest);
}

}  // namespace ringfort::pim
