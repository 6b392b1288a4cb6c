// SPDX-License-Identifier: Apache-2.0
// Counts occurrences of a planted pattern in all readable and writable memory of this process (heap, stack, mappings).
// Tests use it to show that a secret's bytes are gone. The pattern is given byte-wise complemented, so that the search
// does not find itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ringfort::testing {

[[nodiscard]] std::size_t occurrences_in_memory(std::span<const std::uint8_t> complemented_pattern);
// Counts only in memory that a core dump would contain.
[[nodiscard]] std::size_t occurrences_in_core_dumps(std::span<const std::uint8_t> complemented_pattern);

}  // namespace ringfort::testing
