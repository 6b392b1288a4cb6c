// SPDX-License-Identifier: Apache-2.0
#include "base/locked.h"

#include <sys/mman.h>

#include <atomic>
#include <new>

#include "base/fault.h"
#include "base/secret.h"
#include "ringfort/secret_memory.h"

namespace ringfort {

namespace {

std::atomic<bool> refused = false;               // of the process, as its limit is

}  // namespace

void lock_memory(const void* data, std::size_t bytes) noexcept {
  if (bytes != 0 && mlock(data, bytes) != 0) refused.store(true, std::memory_order_relaxed);
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
  munmap(data_, size_);                          // unlocks
}

}  // namespace ringfort
