// SPDX-License-Identifier: Apache-2.0
// The options of a device that choose its transforms. `ntt` names one variant for all plans. `times` names a file of
// measured times: each plan uses the variant that is fastest by these times.
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

// Return the option ntt=SCHEDULE or ntt=SCHEDULE/REDUCTION, and the option times=FILE, whose values go to `out`. A
// device accepts only one of the two options.
[[nodiscard]] Option ntt_option(TransformChoice& out);
[[nodiscard]] Option times_option(TransformChoice& out);

}  // namespace ringfort::device
