// SPDX-License-Identifier: Apache-2.0
// Lets tests make chosen allocations fail. If a program links this object, every operator new without alignment has a
// fault point (fault::Point::alloc, see fault.h). AlignedBuffer and Secret have this fault point in every program.
// Allocations of the test itself count too. Therefore set the fault right before the call under test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "support/fault.h"

namespace ringfort::testing {

// Links the replacement of operator new into the program. Returns true if the replacement is in effect.
[[nodiscard]] bool allocations_are_fault_points() noexcept;

// largest_allocation() returns the largest single request to operator new since the last call of watch_allocations().
void watch_allocations() noexcept;
[[nodiscard]] std::size_t largest_allocation() noexcept;

// Runs call(k) for k = 1, 2, ... and lets the k-th allocation fail in run k. Ends after the first run without a
// failure. Returns the number of runs with a failure. `call` may return normally or throw. If `call` catches a failure,
// it must allocate less afterwards. `most` limits the number of runs.
template <class Call>
std::uint64_t fail_every_allocation(Call call, std::uint64_t most = 100000) {
  for (std::uint64_t k = 1; k <= most; ++k) {
    fail_at(fault::Point::alloc, k);
    call(k);
    const std::uint64_t calls = calls_at(fault::Point::alloc);
    fail_at(fault::Point::alloc, 0);
    if (calls < k) return k - 1;
  }
  return most;
}

}  // namespace ringfort::testing
