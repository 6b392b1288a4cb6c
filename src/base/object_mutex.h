// SPDX-License-Identifier: Apache-2.0
// A mutex of 4 bytes for one of many objects. fork() knows nothing of it. If another thread holds it during fork(), the
// child finds it locked by a thread that only the parent has. The child then takes it over, and a function of the
// caller repairs what the mutex guards. In contrast, fork() waits for every ForkMutex (fork_mutex.h), and keeps a list
// of them.
#pragma once

#include <atomic>
#include <cstdint>

namespace ringfort {

namespace detail {

// The number of forks between the first process of the program and this process. Only the forks of this library's copy
// in memory count.
inline std::atomic<std::uint32_t> fork_generation{0};

}  // namespace detail

[[nodiscard]] inline std::uint32_t fork_generation() noexcept {
  return detail::fork_generation.load(std::memory_order_relaxed);
}

class ObjectMutex {
 public:
  // Locks the mutex until the destructor. The thread must not fork meanwhile. If a thread of another process has left
  // the mutex locked, takes it over and calls recover(), which must not throw. That thread may have made only a part of
  // a change. If a store with release is in the memory of this process, so is all that the thread wrote before it.
  class [[nodiscard]] Lock {
   public:
    template <class Recover>
    Lock(ObjectMutex& mutex, Recover recover) noexcept : mutex_(mutex) {
      if (mutex_.lock()) recover();
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() { mutex_.unlock(); }

   private:
    ObjectMutex& mutex_;
  };

  // Tells whether a thread of another process left the mutex locked. Destructors ask this.
  [[nodiscard]] bool is_left() const noexcept {
    const std::uint32_t now = word_.load(std::memory_order_relaxed);
    return now != 0 && is_of_another_process(now);
  }

 private:
  // The word is 0 if the mutex is free. Otherwise it has the generation of the process, kLocked, and kAwaited if
  // another thread may wait. A process would need 2^30 forks in a row to find its own generation again.
  static constexpr std::uint32_t kLocked = 1, kAwaited = 2;
  static constexpr int kFlagBits = 2;

  [[nodiscard]] static std::uint32_t locked() noexcept { return fork_generation() << kFlagBits | kLocked; }
  [[nodiscard]] static bool is_of_another_process(std::uint32_t word) noexcept {
    return (word ^ locked()) >> kFlagBits != 0;
  }
  // Returns true if the mutex was taken over.
  bool lock() noexcept {
    std::uint32_t free = 0;
    const bool is_free =
        word_.compare_exchange_strong(free, locked(), std::memory_order_acquire, std::memory_order_relaxed);
    return !is_free && wait();
  }
  bool wait() noexcept;
  void unlock() noexcept {
    if ((word_.exchange(0, std::memory_order_release) & kAwaited) != 0) word_.notify_one();
  }

  std::atomic<std::uint32_t> word_{0};
};

}  // namespace ringfort
