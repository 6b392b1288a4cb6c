// SPDX-License-Identifier: Apache-2.0
// A mutex that only the forking thread may hold during fork(): fork() waits until every other thread unlocks it.
// Otherwise a child could wait forever for a thread that only the parent has.
#pragma once

#include <cstdint>
#include <mutex>

namespace ringfort {

class ForkMutex {
 public:
  // A thread that holds a mutex may lock only mutexes of later orders, and must not make or destroy a ForkMutex
  // meanwhile.
  enum class Order : std::uint8_t { outer, device, inner, innermost };
  explicit ForkMutex(Order order);  // throws std::bad_alloc
  ForkMutex(const ForkMutex&) = delete;
  ForkMutex& operator=(const ForkMutex&) = delete;
  ~ForkMutex();
  void lock() { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  Order order_;
};

}  // namespace ringfort
