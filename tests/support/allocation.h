// SPDX-License-Identifier: Apache-2.0
// Lets tests make chosen allocations fail. A program that links this object has a fault point (fault::Point::alloc, see
// fault.h) in every operator new without alignment, in addition to those in AlignedBuffer and Secret. Allocations of
// the test itself count, too: set the fault right before the call under test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "support/fault.h"

namespace ringfort::testing {

// Links the replacement of operator new into the program; returns true if it is in effect.
[[nodiscard]] bool allocations_are_fault_points() noexcept;

// Observe allocations: largest_allocation returns the largest single request to operator new since the last
// watch_allocations().
void watch_allocations() noexcept;
[[nodiscard]] std::size_t largest_allocation() noexcept;

// Runs `call` with the k-th allocation failing, for k = 1, 2, ... until a run ends without the failure. Returns the
// number of runs with a failure. `call` returns normally or by an exception. If `call` catches a failure, it must
// allocate less afterwards. `most` limits the number of runs.
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
