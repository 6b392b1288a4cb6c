// SPDX-License-Identifier: Apache-2.0
// The flags that Linux states in /proc/self/smaps for the memory mapping that contains an address.
#pragma once

#include <cstdint>
#include <string>

namespace ringfort::testing {

// Returns flags such as " rd wr mr mw me lo dd ", with a blank around each flag. The flag lo means that the memory is
// locked. The flag dd means that core dumps exclude it. Returns an empty string if no mapping contains the address.
[[nodiscard]] std::string flags_of_mapping(const void* address);

}  // namespace ringfort::testing
