// SPDX-License-Identifier: Apache-2.0
// Counts occurrences of a planted pattern in all readable and writable memory of this process (heap, stack, mappings).
// Tests use it to show that a secret's bytes are gone. The pattern is given byte-wise complemented, so that the search
// does not find itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ringfort::testing {

[[nodiscard]] std::size_t occurrences_in_memory(std::span<const std::uint8_t> complemented_pattern);
// Returns the mappings that have the pattern and that a core dump would contain, one in a line, as in /proc/self/maps
// and with their flags. A dump leaves out mappings with MADV_DONTDUMP (dd) and pages of memory-mapped I/O (io)
// [core(5)].
[[nodiscard]] std::string dumped_mappings_with(std::span<const std::uint8_t> complemented_pattern);

}  // namespace ringfort::testing
