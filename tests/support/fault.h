// SPDX-License-Identifier: Apache-2.0
// Makes a chosen call at a fault point of the library (base/fault.h) fail or run a function.
#pragma once

#include "base/fault.h"

namespace ringfort::testing {

// Makes call number k at `point` fail, counted from now. If k is 1, the next call fails. If k is 0, no call fails.
// Resets the count of calls to 0.
void fail_at(fault::Point point, std::uint64_t k) noexcept;

// Makes the k-th call at `point` run the function `instead`, in the thread of the call. The call does not fail.
void run_at(fault::Point point, std::uint64_t k, void (*instead)()) noexcept;

// Returns the number of calls at `point` since the last fail_at or run_at.
[[nodiscard]] std::uint64_t calls_at(fault::Point point) noexcept;

}  // namespace ringfort::testing
