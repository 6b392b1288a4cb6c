// SPDX-License-Identifier: Apache-2.0
// Fault points are places where the operating system or a device can fail. A test can make the k-th call at a point
// fail.
//   if (fault::strikes(fault::Point::read)) return failure as if read() had failed;
// The linker chooses the definition of strikes(), so that tests use the same library as the package. In the package,
// the definition in fault.cpp returns false. Tests link tests/support/fault.cpp in its place. Point alloc is in
// AlignedBuffer, LockedBytes and Secret. tests/support/allocation.cpp adds this point to every plain operator new. At
// point verb, a verb of a device writes its result, and then reports that the device is lost.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringfort::fault {

enum class Point : std::uint8_t { alloc, open, read, write, rename, fsync, rng, verb };

inline constexpr std::size_t kPoints = static_cast<std::size_t>(Point::verb) + 1;

// Outside tests, strikes() always returns false. In tests, it counts its calls, and returns true for the chosen call.
// Several threads may call it.
[[nodiscard]] bool strikes(Point point) noexcept;

}  // namespace ringfort::fault
