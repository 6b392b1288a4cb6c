// SPDX-License-Identifier: Apache-2.0
// The host's steady clock, in microseconds.
#pragma once

#include <chrono>

namespace ringfort {

[[nodiscard]] inline double steady_us() noexcept {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace ringfort
