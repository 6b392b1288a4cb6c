// SPDX-License-Identifier: Apache-2.0
// A mutex that only the thread that forks may hold during fork(). A call of fork() waits until every other thread has
// unlocked the mutex. Otherwise a child process could wait forever: the mutex would be locked by a thread that only the
// parent has.
#pragma once

#include <cstdint>
#include <mutex>

namespace ringfort {

class ForkMutex {
 public:
  // A thread that holds a mutex may lock only mutexes of later orders. It may make and destroy secrets (base/locked.h),
  // but not a ForkMutex.
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
