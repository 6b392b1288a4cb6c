// SPDX-License-Identifier: Apache-2.0
// Vector clocks over the streams of a driver. The calls on a stream are numbered from 1. The clock of a call (order.h)
// or of an event has one number for each stream: how many calls on that stream must end before this call or event.
#pragma once

#include <algorithm>
#include <array>

#include "backend/device/driver.h"

namespace ringfort::device {

using Clock = std::array<u64, kStreams>;

inline void join(Clock& into, const Clock& other) noexcept {
  for (u32 s = 0; s < kStreams; ++s) into[s] = std::max(into[s], other[s]);
}

// Tells whether `y` counts every call that `x` counts.
[[nodiscard]] inline bool precedes(const Clock& x, const Clock& y) noexcept {
  for (u32 s = 0; s < kStreams; ++s) {
    if (x[s] > y[s]) return false;
  }
  return true;
}

}  // namespace ringfort::device
