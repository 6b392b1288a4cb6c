// SPDX-License-Identifier: Apache-2.0
// Waits for a mutex, or takes it over, and counts forks (object_mutex.h).
#include "base/object_mutex.h"

#include <pthread.h>

namespace ringfort {

namespace {

// Registered when the program is loaded, for the reasons in fork_mutex.cpp.
[[maybe_unused]] const int forks_counted =
    pthread_atfork(nullptr, nullptr, [] { detail::fork_generation.fetch_add(1, std::memory_order_relaxed); });

}  // namespace

// A thread that has waited locks the mutex as awaited, because it does not know whether other threads wait.
bool ObjectMutex::wait() noexcept {
  const std::uint32_t mine = locked() | kAwaited;
  std::uint32_t now = word_.load(std::memory_order_relaxed);
  for (;;) {
    const bool is_left = now != 0 && is_of_another_process(now);
    if (now == 0 || is_left) {
      if (word_.compare_exchange_weak(now, mine, std::memory_order_acquire, std::memory_order_relaxed)) return is_left;
      continue;
    }
    if (now != mine && !word_.compare_exchange_weak(now, mine, std::memory_order_relaxed)) continue;
    word_.wait(mine, std::memory_order_relaxed);
    now = word_.load(std::memory_order_relaxed);
  }
}

}  // namespace ringfort
