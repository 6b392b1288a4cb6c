// SPDX-License-Identifier: Apache-2.0
// LockedBytes is memory for secrets. It consists of whole pages between guard pages, and is zeroed. It is excluded from
// core dumps (MADV_DONTDUMP) and locked against swapping (mlock). A forked process locks its copy, too. The destructor
// wipes the pages. At most 16 MiB of wiped pages remain mapped and locked for later objects.
//
// If the system refuses to lock the memory (RLIMIT_MEMLOCK), the memory can still be used, and ringfort/secret_memory.h
// reports the failure. Arrays of secrets are Secret<T> (base/secret.h).
#pragma once

#include <cstddef>
#include <utility>

namespace ringfort {

// Locks existing memory in this process. A process that is forked before forget_memory() locks its copy, too. If the
// lock fails, the function records this for the life of the process.
void lock_memory(const void* data, std::size_t bytes) noexcept;
// After this call, forked processes do not lock the memory. Call the function before the memory is freed. It ignores
// memory that was not locked.
void forget_memory(const void* data) noexcept;

[[nodiscard]] std::size_t page_bytes() noexcept;
// Returns `bytes`, rounded up to whole pages.
[[nodiscard]] std::size_t pages_of(std::size_t bytes) noexcept;
// exclude_from_dumps() excludes whole pages of existing memory from core dumps. include_in_dumps() ends the exclusion;
// call it before the memory is freed. Both functions return false if the system refuses.
bool exclude_from_dumps(void* pages, std::size_t bytes) noexcept;
bool include_in_dumps(void* pages, std::size_t bytes) noexcept;

// Unmaps the pages that no object uses. Returns the number of their bytes.
std::size_t release_spare_pages();

// Registers the functions that fork() calls to lock the mutexes of this file. fork() calls the functions that were
// registered last first. Therefore call this before you register a function that locks a mutex under which threads make
// or destroy secrets. Throws std::bad_alloc.
void register_forks_of_secret_memory();

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
