// SPDX-License-Identifier: Apache-2.0
// Chooses the call that fails, or waits, at a fault point of the library (base/fault.h).
#pragma once

#include "base/fault.h"

namespace ringfort::testing {

// The k-th call at `point` from now on fails (1 = the next, 0 = none); counting starts again at 0.
void fail_at(fault::Point point, std::uint64_t k) noexcept;

// It calls `instead`, in its own thread, and does not fail.
void run_at(fault::Point point, std::uint64_t k, void (*instead)()) noexcept;

// Calls at `point` since the last fail_at or run_at.
[[nodiscard]] std::uint64_t calls_at(fault::Point point) noexcept;

}  // namespace ringfort::testing
