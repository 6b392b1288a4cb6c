// SPDX-License-Identifier: Apache-2.0
// Linking this makes every plain operator new of the program a fault point (fault::Point::alloc), beside the library's
// own in AlignedBuffer and Secret. Allocations of the test itself count too, so arm around one call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "support/fault.h"

namespace ringfort::testing {

// Makes the replaced operator new part of the program, and says whether it is.
[[nodiscard]] bool allocations_are_fault_points() noexcept;

// The largest single request of operator new since the last watch_allocations().
void watch_allocations() noexcept;
[[nodiscard]] std::size_t largest_allocation() noexcept;

// Runs `call` with the k-th allocation failing, for k = 1, 2, ... until it finishes without meeting the failure;
// returns the number of runs that met it. `call` returns normally or by an exception, and must not swallow its own
// first failure without allocating less; `most` ends a run that never gets through.
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
