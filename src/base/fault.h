// SPDX-License-Identifier: Apache-2.0
// Fault points: where a call to the operating system or to a device can fail, a test can make the k-th such call fail.
//   if (fault::strikes(fault::Point::read)) return failure as if read() had failed;
// Chosen when a program is linked, so that the tests' library is the package's, byte for byte: fault.cpp never strikes,
// and tests/support/fault.cpp, which only tests link, takes its place. alloc covers AlignedBuffer and Secret;
// tests/support/allocation.cpp adds every plain operator new. verb: a device's verb has written its result, and yet
// says that the device is lost.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringfort::fault {

enum class Point : std::uint8_t { alloc, open, read, write, rename, fsync, rng, verb };

inline constexpr std::size_t kPoints = static_cast<std::size_t>(Point::verb) + 1;

// False in every program but tests. There it counts the call, and is true if it is the chosen one. Thread-safe.
[[nodiscard]] bool strikes(Point point) noexcept;

}  // namespace ringfort::fault
