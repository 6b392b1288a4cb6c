// SPDX-License-Identifier: Apache-2.0
// The options of a device that choose its transforms. The option `ntt` names one variant (variants.h) for all plans.
// The option `times` names a file of measured times. With it, each plan uses the variant that these times show to be
// fastest.
#pragma once

#include <memory>

#include "backend/device/measured_times.h"
#include "backend/options/options.h"

namespace ringfort::device {

// The choice of the user. If both members are empty, the device uses the library's own transforms.
struct TransformChoice {
  Variant variant;
  std::shared_ptr<const MeasuredTimes> times;
  [[nodiscard]] bool is_of_all() const noexcept { return variant.schedule != nullptr; }
};

// These functions return the option ntt=SCHEDULE or ntt=SCHEDULE/REDUCTION, and the option times=FILE. The values of
// the options go to `out`. A device accepts only one of the two options.
[[nodiscard]] Option ntt_option(TransformChoice& out);
[[nodiscard]] Option times_option(TransformChoice& out);

}  // namespace ringfort::device
