// SPDX-License-Identifier: Apache-2.0
// Maps, locks and wipes pages for secrets, and keeps spare pages (locked.h).
#include "base/locked.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

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

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t pages_of(std::size_t bytes) noexcept { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }

bool exclude_from_dumps([[maybe_unused]] void* pages, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_DONTDUMP)
  return madvise(pages, bytes, MADV_DONTDUMP) == 0;
#else
  return false;
#endif
}

bool include_in_dumps([[maybe_unused]] void* pages, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_DODUMP)
  return madvise(pages, bytes, MADV_DODUMP) == 0;
#else
  return false;
#endif
}

namespace {

std::atomic<bool> refused = false;  // true after mlock failed once; RLIMIT_MEMLOCK limits the whole process

void say_refused() noexcept { refused.store(true, std::memory_order_relaxed); }

// The memory that a forked process must lock again. A forked process inherits the pages without the locks. This object
// is never destroyed, because secrets may outlive static objects.
class Register {
 public:
  static Register& instance() {
    static Register& only = *new Register;
    return only;
  }
  void add(const void* data, std::size_t bytes) {
    const std::lock_guard guard(mutex_);
    locked_.emplace_back(data, bytes);
  }
  void remove(const void* data) noexcept {
    const std::lock_guard guard(mutex_);
    const auto found =
        std::find_if(locked_.rbegin(), locked_.rend(), [&](const auto& one) { return one.first == data; });
    if (found == locked_.rend()) return;
    *found = locked_.back();
    locked_.pop_back();
  }

 private:
  Register() {
    if (pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                       [] { instance().lock_again(); }) != 0)
      throw std::bad_alloc();
  }
  void lock_again() noexcept {
    for (const auto& [data, bytes] : locked_)
      if (mlock(data, bytes) != 0) say_refused();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::vector<std::pair<const void*, std::size_t>> locked_;
};

// Maps `bytes` between two guard pages. The guard pages allow no access, so that an overrun stops there. Returns
// nullptr on failure.
void* map_pages(std::size_t bytes) noexcept {
  const std::size_t guard = page_bytes();
  if (bytes > SIZE_MAX - 3 * guard) return nullptr;
  void* const mapped = mmap(nullptr, bytes + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  void* const data = static_cast<char*>(mapped) + guard;
  if (mprotect(data, bytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapped, bytes + 2 * guard);
    return nullptr;
  }
  (void)exclude_from_dumps(data, bytes);
  return data;
}

void unmap_pages(void* data, std::size_t bytes) noexcept {
  forget_memory(data);
  munmap(static_cast<char*>(data) - page_bytes(), bytes + 2 * page_bytes());  // also unlocks the pages
}

// The pages of destroyed objects, for the next object of the same size. These pages are wiped and still locked.
// Mapping, locking and unmapping pages often takes longer than the work with them. The oldest pages are released first.
// This SparePages object is never destroyed, because secrets may outlive static objects.
class SparePages {
 public:
  static SparePages& instance() {
    static SparePages& only = *new SparePages;
    return only;
  }
  // Returns pages of this size, or nullptr if there are none.
  void* take(std::size_t bytes) noexcept {
    const std::lock_guard guard(mutex_);
    const auto found =
        std::find_if(spare_.rbegin(), spare_.rend(), [&](const auto& one) { return one.second == bytes; });
    if (found == spare_.rend()) return nullptr;
    void* const data = found->first;
    spare_.erase(std::next(found).base());
    total_ -= bytes;
    return data;
  }
  void keep(void* data, std::size_t bytes) noexcept {
    if (bytes > kMostBytes) return unmap_pages(data, bytes);
    const std::lock_guard guard(mutex_);
    release_locked(kMostBytes - bytes, kMostSpares - 1);
    spare_.emplace_back(data, bytes);  // the capacity is reserved
    total_ += bytes;
  }
  // Unmaps the oldest pages until `bytes` bytes remain. Returns the number of unmapped bytes.
  std::size_t release(std::size_t bytes) noexcept {
    const std::lock_guard guard(mutex_);
    return release_locked(bytes, kMostSpares);
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20, kMostSpares = 64;

  SparePages() {
    Register::instance();  // created first; then fork() locks the two mutexes in the order of keep()
    spare_.reserve(kMostSpares);
    if (pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                       [] { instance().mutex_.unlock(); }) != 0)
      throw std::bad_alloc();
  }
  std::size_t release_locked(std::size_t bytes, std::size_t count) noexcept {
    const std::size_t before = total_;
    auto keep = spare_.begin();
    for (; keep != spare_.end() && (total_ > bytes || static_cast<std::size_t>(spare_.end() - keep) > count); ++keep) {
      unmap_pages(keep->first, keep->second);
      total_ -= keep->second;
    }
    spare_.erase(spare_.begin(), keep);
    return before - total_;
  }

  std::mutex mutex_;
  std::vector<std::pair<void*, std::size_t>> spare_;
  std::size_t total_ = 0;
};

}  // namespace

void lock_memory(const void* data, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  try {
    if (mlock(data, bytes) != 0 && (release_spare_pages() == 0 || mlock(data, bytes) != 0)) say_refused();
    Register::instance().add(data, bytes);
  } catch (const std::bad_alloc&) {  // a forked process would not lock the memory
    say_refused();
  }
}

void forget_memory(const void* data) noexcept {
  try {
    Register::instance().remove(data);
  } catch (const std::bad_alloc&) {  // there is no Register, and therefore nothing to remove
  }
}

bool secret_memory_is_locked() noexcept { return !refused.load(std::memory_order_relaxed); }

LockedBytes::LockedBytes(std::size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  if (fault::strikes(fault::Point::alloc)) throw std::bad_alloc();
  data_ = SparePages::instance().take(pages_of(bytes));
  if (data_ != nullptr) return;
  data_ = map_pages(pages_of(bytes));
  if (data_ == nullptr) throw std::bad_alloc();
  lock_memory(data_, pages_of(bytes));
}

LockedBytes::~LockedBytes() {
  if (data_ == nullptr) return;
  wipe(data_, pages_of(size_));
  SparePages::instance().keep(data_, pages_of(size_));
}

std::size_t release_spare_pages() { return SparePages::instance().release(0); }

void register_forks_of_secret_memory() { SparePages::instance(); }

}  // namespace ringfort
