// SPDX-License-Identifier: Apache-2.0
// A mutex that no other thread holds during fork(): fork() waits for its owner. Otherwise a child could wait for ever
// for a thread that it does not have.
#pragma once

#include <cstdint>
#include <mutex>

namespace ringfort {

class ForkMutex {
 public:
  // A thread that holds an outer mutex may lock an inner one. No thread holds two of one order, and none makes or
  // destroys a ForkMutex while it holds another.
  enum class Order : std::uint8_t { outer, inner };
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
