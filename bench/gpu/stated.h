// SPDX-License-Identifier: Apache-2.0
// The work of whole operations on an emulated device. A profile records this work. From the work, the model (model.h)
// computes times on known chips.
#pragma once

#include "bench/gpu/model.h"
#include "bench/gpu/report.h"
#include "ringfort/device.h"

namespace ringfort::bench::gpu {

// Returns the work of operations on residues of 64 bits.
[[nodiscard]] inline Stated stated_work(const Profile& profile) {
  Stated work{.launches = static_cast<double>(profile.launches().size()), .products = 0, .bytes = 0, .is_short = false};
  for (const LaunchRecord& launch : profile.launches()) work.bytes += static_cast<double>(launch.bytes);
  for (const VerbRecord& verb : profile.records()) work.products += static_cast<double>(verb.multiplications);
  return work;
}

inline void report_models(Report& report, const std::string& name, const Stated& work, const Report::Params& params) {
  for (const Chip& chip : kChips)
    report.count(name + "/model/" + chip.name, "us, model", modelled_us(chip, work), params);
}

}  // namespace ringfort::bench::gpu
