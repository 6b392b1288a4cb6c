// SPDX-License-Identifier: Apache-2.0
// Result codes of backends.
#pragma once

#include <cstdint>

namespace ringfort {

enum class [[nodiscard]] Status : std::uint8_t { ok, unsupported, out_of_memory, device_lost, timed_out, internal };

}  // namespace ringfort
