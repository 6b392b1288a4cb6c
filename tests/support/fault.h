// SPDX-License-Identifier: Apache-2.0
// Makes a chosen call at a fault point of the library (base/fault.h) fail or run a function.
#pragma once

#include "base/fault.h"

namespace ringfort::testing {

// Makes one call at `point` fail: the k-th, counted from now (1 = the next, 0 = none). Resets the count to 0.
void fail_at(fault::Point point, std::uint64_t k) noexcept;

// Makes the k-th call run `instead`, in the thread of the call, and not fail.
void run_at(fault::Point point, std::uint64_t k, void (*instead)()) noexcept;

// Returns the number of calls at `point` since the last fail_at or run_at.
[[nodiscard]] std::uint64_t calls_at(fault::Point point) noexcept;

}  // namespace ringfort::testing
