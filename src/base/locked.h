// SPDX-License-Identifier: Apache-2.0
// LockedBytes: whole pages for secrets, zeroed, between guard pages, excluded from core dumps (MADV_DONTDUMP) and
// locked against swapping (mlock). The destructor wipes the pages; at most 16 MiB of wiped pages stay mapped and locked
// for later objects. If the system refuses to lock (RLIMIT_MEMLOCK), the memory works anyway, and
// ringfort/secret_memory.h reports the failure. A forked process locks its copy, too. Arrays are Secret<T>
// (base/secret.h).
#pragma once

#include <cstddef>
#include <utility>

namespace ringfort {

// Locks existing memory, here and in forked processes, until forget_memory. Remembers a failure for the life of the
// process.
void lock_memory(const void* data, std::size_t bytes) noexcept;
// Ends the locking in future forked processes; call before the memory is freed. Ignores memory that was not locked.
void forget_memory(const void* data) noexcept;

[[nodiscard]] std::size_t page_bytes() noexcept;
// Rounds up to whole pages.
[[nodiscard]] std::size_t pages_of(std::size_t bytes) noexcept;
// Keeps whole pages of existing memory out of core dumps, or lets them in again before the memory is freed. Returns
// false if the system does not allow it.
bool exclude_from_dumps(void* pages, std::size_t bytes) noexcept;
bool include_in_dumps(void* pages, std::size_t bytes) noexcept;

// Unmaps the pages that no object uses. Returns their bytes.
std::size_t release_spare_pages();

class LockedBytes {
 public:
  LockedBytes() = default;
  explicit LockedBytes(std::size_t bytes);  // throws std::bad_alloc
  LockedBytes(LockedBytes&& o) noexcept : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)) {}
  LockedBytes& operator=(LockedBytes&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    return *this;
  }
  ~LockedBytes();
  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ringfort
