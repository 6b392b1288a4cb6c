// SPDX-License-Identifier: Apache-2.0
// Fault points: where a call to the operating system or to a device can fail, a test can make the k-th such call fail.
// Compiled in only with RINGFORT_FAULTS=1 (a test build); otherwise strikes() is the constant false and nothing remains.
//   if (fault::strikes(fault::Point::read)) return failure as if read() had failed;
// alloc covers AlignedBuffer and Secret; tests/support/allocation.cpp adds every plain operator new.
// verb: a device's verb has written its result, and yet says that the device is lost.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringfort::fault {

enum class Point : std::uint8_t { alloc, open, read, write, rename, fsync, rng, verb };

inline constexpr std::size_t kPoints = static_cast<std::size_t>(Point::verb) + 1;

#if RINGFORT_FAULTS
// Counts the call; true if it is the chosen one. Thread-safe.
[[nodiscard]] bool strikes(Point point) noexcept;
#else
[[nodiscard]] constexpr bool strikes(Point) noexcept { return false; }
#endif

}  // namespace ringfort::fault

#if RINGFORT_FAULTS
namespace ringfort::testing {

// The k-th call at `point` from now on fails (1 = the next, 0 = none); counting starts again at 0.
void fail_at(fault::Point point, std::uint64_t k) noexcept;

// Calls at `point` since the last fail_at.
[[nodiscard]] std::uint64_t calls_at(fault::Point point) noexcept;

}  // namespace ringfort::testing
#endif
