// SPDX-License-Identifier: Apache-2.0
// Fault points are places where the operating system or a device could fail. A test can make the k-th call at a point
// fail.
//   if (fault::strikes(fault::Point::read)) return failure as if read() had failed;
// The linker makes the choice, so that tests use the same library as the package. In the package, fault.cpp never
// strikes; tests link tests/support/fault.cpp instead. Point alloc covers AlignedBuffer and Secret;
// tests/support/allocation.cpp adds every plain operator new. At point verb, a device's verb writes its result and
// then reports that the device is lost.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringfort::fault {

enum class Point : std::uint8_t { alloc, open, read, write, rename, fsync, rng, verb };

inline constexpr std::size_t kPoints = static_cast<std::size_t>(Point::verb) + 1;

// Always returns false outside tests. In tests it counts the call and returns true for the chosen call. Thread-safe.
[[nodiscard]] bool strikes(Point point) noexcept;

}  // namespace ringfort::fault
