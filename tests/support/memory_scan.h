// SPDX-License-Identifier: Apache-2.0
// Counts the occurrences of a pattern in the readable and writable mappings of this process, such as heap and stack. It
// omits mappings above 256 MiB, such as the shadow memory of sanitizers. Tests plant a pattern, and use the count to
// show that the bytes of a secret are gone. Callers pass the complement of each byte of the pattern, because otherwise
// the search would also find the argument. A pattern has at least 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ringfort::testing {

[[nodiscard]] std::size_t occurrences_in_memory(std::span<const std::uint8_t> complemented_pattern);
// Returns the mappings that have the pattern and that a core dump would contain. Each line is a mapping with its flags,
// in the format of /proc/self/maps. A dump omits mappings with MADV_DONTDUMP (dd), and pages of memory-mapped I/O (io)
// [core(5)].
[[nodiscard]] std::string dumped_mappings_with(std::span<const std::uint8_t> complemented_pattern);

}  // namespace ringfort::testing
