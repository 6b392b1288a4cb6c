// SPDX-License-Identifier: Apache-2.0
// Loads the kernels of a variant, and makes the list of its launches (variant_launches.h).
#include "backend/device/variant_launches.h"

namespace ringfort::device {

Status VariantLaunches::load(Driver& driver) {
  if (log_n_ < variant_.schedule->least_log() || log_n_ > variant_.schedule->most_log()) return Status::unsupported;
  for (const bool forward : {true, false}) {
    for (const StageLaunch& each : launches_of(*variant_.schedule, log_n_, 1, word_bytes_, forward)) {
      if (each.grid.cluster_blocks > driver.facts().cluster_blocks) return Status::unsupported;
      const std::string name = each.kernel(*variant_.reduction, forward, word_bytes_);
      if (const Status status = driver.load(name, kernels_[name]); status != Status::ok) return status;
    }
  }
  return Status::ok;
}

std::vector<VariantLaunches::Ready> VariantLaunches::launches(u32 transforms, bool forward) const {
  std::vector<Ready> ready;
  for (StageLaunch& each : launches_of(*variant_.schedule, log_n_, transforms, word_bytes_, forward)) {
    const auto kernel = kernels_.find(each.kernel(*variant_.reduction, forward, word_bytes_));
    ready.push_back({std::move(each), kernel->second, kernel->first});
  }
  return ready;
}

}  // namespace ringfort::device
