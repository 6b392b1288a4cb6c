// SPDX-License-Identifier: Apache-2.0
#include "base/locked.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/secret.h"
#include "ringfort/secret_memory.h"

namespace ringfort {

namespace {

std::atomic<bool> refused = false;  // of the process, like its limit

void lock(const void* data, std::size_t bytes) noexcept {
  if (mlock(data, bytes) != 0) refused.store(true, std::memory_order_relaxed);
}

// Memory that a forked process must lock again: it inherits the pages without the locks. Never destroyed, because
// secrets may outlive statics.
class Register {
 public:
  static Register& instance() {
    static Register& only = *new Register;
    return only;
  }
  void add(const void* data, std::size_t bytes) {
    const std::lock_guard guard(mutex_);
    held_.emplace_back(data, bytes);
  }
  void remove(const void* data) noexcept {
    const std::lock_guard guard(mutex_);
    const auto found = std::find_if(held_.rbegin(), held_.rend(), [&](const auto& one) { return one.first == data; });
    if (found == held_.rend()) return;
    *found = held_.back();
    held_.pop_back();
  }

 private:
  Register() {
    if (pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                       [] { instance().lock_again(); }) != 0)
      throw std::bad_alloc();
  }
  void lock_again() noexcept {
    for (const auto& [data, bytes] : held_) lock(data, bytes);
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::vector<std::pair<const void*, std::size_t>> held_;
};

}  // namespace

void lock_memory(const void* data, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  lock(data, bytes);
  try {
    Register::instance().add(data, bytes);
  } catch (const std::bad_alloc&) {  // a forked process would not lock it
    refused.store(true, std::memory_order_relaxed);
  }
}

void forget_memory(const void* data) noexcept {
  try {
    Register::instance().remove(data);
  } catch (const std::bad_alloc&) {  // the register does not exist, so nothing was recorded
  }
}

bool secret_memory_is_locked() noexcept { return !refused.load(std::memory_order_relaxed); }

LockedBytes::LockedBytes(std::size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  if (fault::strikes(fault::Point::alloc)) throw std::bad_alloc();
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  data_ = pages;
#if defined(MADV_DONTDUMP)
  madvise(data_, size_, MADV_DONTDUMP);
#endif
  lock_memory(data_, size_);
}

LockedBytes::~LockedBytes() {
  if (data_ == nullptr) return;
  wipe(data_, size_);
  forget_memory(data_);
  munmap(data_, size_);  // unlocks
}

}  // namespace ringfort
