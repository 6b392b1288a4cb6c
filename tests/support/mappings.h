// SPDX-License-Identifier: Apache-2.0
// Kernel flags of the memory mapping that contains an address, from /proc/self/smaps.
#pragma once

#include <cstdint>
#include <string>

namespace ringfort::testing {

// Returns " rd wr mr mw me lo dd " with a blank around each flag: lo means locked, dd excluded from core dumps. Returns
// an empty string if there is no such mapping.
[[nodiscard]] std::string flags_of_mapping(const void* address);

}  // namespace ringfort::testing
