// SPDX-License-Identifier: Apache-2.0
// Looks for a planted pattern in all readable and writable memory of this process (heap, stack, mappings), for tests
// that a secret's bytes are gone. The pattern is given byte-wise complemented, so that the search does not find itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ringfort::testing {

[[nodiscard]] std::size_t occurrences_in_memory(std::span<const std::uint8_t> complemented_pattern);
// In what a core dump of the process would hold.
[[nodiscard]] std::size_t occurrences_in_core_dumps(std::span<const std::uint8_t> complemented_pattern);

}  // namespace ringfort::testing
