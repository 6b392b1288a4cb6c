// SPDX-License-Identifier: Apache-2.0
// Locks all ForkMutexes of the process before a fork, in their order, and unlocks them after the fork (fork_mutex.h).
#include "base/fork_mutex.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <new>
#include <vector>

#include "base/locked.h"

namespace ringfort {

namespace {

// All ForkMutexes of the process. This object is never destroyed, because a ForkMutex may outlive static objects.
class ForkMutexes {
 public:
  static ForkMutexes& instance() {
    static ForkMutexes& only = *new ForkMutexes;
    return only;
  }
  void add(ForkMutex* mutex, ForkMutex::Order order) {
    const std::lock_guard lock(mutex_);
    of(order).push_back(mutex);
  }
  void remove(const ForkMutex* mutex, ForkMutex::Order order) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = std::find(of(order).begin(), of(order).end(), mutex);
    *found = of(order).back();
    of(order).pop_back();
  }

 private:
  ForkMutexes() {
    register_forks_of_secret_memory();  // then fork() locks its mutexes after those of this class
    if (pthread_atfork([] { instance().lock_all(); }, [] { instance().unlock_all(); },
                       [] { instance().unlock_all(); }) != 0)
      throw std::bad_alloc();
  }
  std::vector<ForkMutex*>& of(ForkMutex::Order order) noexcept { return all_[static_cast<std::size_t>(order)]; }
  void lock_all() {
    mutex_.lock();
    for (const auto& of_order : all_)
      for (ForkMutex* const mutex : of_order) mutex->lock();
  }
  void unlock_all() noexcept {
    for (const auto& of_order : all_)
      for (ForkMutex* const mutex : of_order) mutex->unlock();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::array<std::vector<ForkMutex*>, 4> all_;
};

// Registers the functions of all forks when the program is loaded. A thread that registered them at the first use would
// wait for a fork of another thread, and the first use would never end in the child. Before glibc 2.36, a thread that
// did so while it held a ForkMutex would wait for ever.
[[maybe_unused]] const bool mutexes_registered = [] {
  try {
    ForkMutexes::instance();
  } catch (const std::bad_alloc&) { return false; }  // the first use tries again
  return true;
}();

}  // namespace

ForkMutex::ForkMutex(Order order) : order_(order) { ForkMutexes::instance().add(this, order); }

ForkMutex::~ForkMutex() { ForkMutexes::instance().remove(this, order_); }

}  // namespace ringfort
