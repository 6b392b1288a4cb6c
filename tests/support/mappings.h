// SPDX-License-Identifier: Apache-2.0
// What the system says of the memory that something lies in: /proc/self/smaps.
#pragma once

#include <cstdint>
#include <string>

namespace ringfort::testing {

// " rd wr mr mw me lo dd " with a blank around each: lo is locked, dd is left out of core dumps. Empty: no such
// mapping.
[[nodiscard]] std::string flags_of_mapping(const void* address);

}  // namespace ringfort::testing
