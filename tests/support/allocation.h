// SPDX-License-Identifier: Apache-2.0
// Lets tests make chosen allocations fail. A fault point is a place in the code where a test can make the k-th call
// fail (fault.h). If a program links this object, every operator new without alignment has the fault point
// fault::Point::alloc. AlignedBuffer and Secret, the library's own memory, have this fault point in every program.
// Allocations of the test itself count too. Therefore set the fault right before the call under test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "support/fault.h"

namespace ringfort::testing {

// Links the replacement of operator new into the program. Returns true if the replacement is in effect.
[[nodiscard]] bool allocations_are_fault_points() noexcept;

// largest_allocation() returns the largest single request to operator new since the last call of watch_allocations().
void watch_allocations() noexcept;
[[nodiscard]] std::size_t largest_allocation() noexcept;

// frees_with_bytes() returns how many blocks operator delete has freed, since the last call of watch_frees, while they
// contained `bytes`. An empty span ends the watch.
void watch_frees(std::span<const char> bytes) noexcept;
[[nodiscard]] std::size_t frees_with_bytes() noexcept;

// The outcome of several runs. In each run, one allocation failed.
struct FailedRuns {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> unreported;  // the numbers of the runs whose call did not report a failure

  // Tells whether at least three of four runs reported their failure. The library's memory cache does not report every
  // failure: it releases memory and tries again. If it cannot allocate an entry of its list for a freed buffer, it
  // releases the buffer.
  [[nodiscard]] bool are_mostly_reported() const { return 4 * unreported.size() <= count; }
};

// Runs call(k) for k = 1, 2, ... and lets the k-th allocation fail in run k. Ends after the first run without a
// failure. `call` returns whether all of its work succeeded. It must not throw. If it catches a failure and goes on, it
// must allocate less than without the failure. `most` limits the number of runs.
template <class Call>
FailedRuns fail_every_allocation(Call call, std::uint64_t most = 100000) {
  FailedRuns runs;
  for (std::uint64_t k = 1; k <= most; ++k) {
    fail_at(fault::Point::alloc, k);
    const bool succeeded = call(k);
    const std::uint64_t calls = calls_at(fault::Point::alloc);
    fail_at(fault::Point::alloc, 0);
    if (calls < k) break;
    ++runs.count;
    if (succeeded) runs.unreported.push_back(k);
  }
  return runs;
}

}  // namespace ringfort::testing
