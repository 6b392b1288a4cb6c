// SPDX-License-Identifier: Apache-2.0
// The degrees of small rings that tests use on the default device.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/devices.h"

namespace ringfort::testing {

// Returns n, or the least degree that the default device (RINGFORT_DEVICE) accepts, if this degree is larger than n.
// Only the device pim refuses small rings.
inline std::uint32_t small_degree(std::uint32_t n) {
  constexpr std::uint32_t kLeastOfPim = 64;
  return environment_device().starts_with("pim") ? std::max(n, kLeastOfPim) : n;
}

}  // namespace ringfort::testing
