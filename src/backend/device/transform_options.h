// SPDX-License-Identifier: Apache-2.0
// The options of a device that choose its transforms: `ntt` names a variant for all of them; `times` names a file of
// measured times, which choose for each plan.
#pragma once

#include <memory>

#include "backend/device/measured_times.h"
#include "backend/options/options.h"

namespace ringfort::device {

// The user's choice. If both members are empty, the device uses the library's own transforms.
struct TransformChoice {
  Variant variant;
  std::shared_ptr<const MeasuredTimes> times;
  [[nodiscard]] bool is_of_all() const noexcept { return variant.schedule != nullptr; }
};

// Return the option ntt=SCHEDULE or ntt=SCHEDULE/REDUCTION, and the option times=FILE. They set `out`, and exclude each
// other.
[[nodiscard]] Option ntt_option(TransformChoice& out);
[[nodiscard]] Option times_option(TransformChoice& out);

}  // namespace ringfort::device
