// SPDX-License-Identifier: Apache-2.0
// Resident memory of this process, as Linux tells it (/proc/self): now, and at most since the mark. Elsewhere: nothing. What the
// allocator keeps of freed memory is given back before either.
#pragma once

#include <cstdint>
#include <optional>

namespace ringfort::bench {

[[nodiscard]] std::optional<std::int64_t> resident_bytes();
// From now on peak_resident_bytes counts. False where the system does not offer that.
[[nodiscard]] bool mark_peak();
[[nodiscard]] std::optional<std::int64_t> peak_resident_bytes();

}  // namespace ringfort::bench
