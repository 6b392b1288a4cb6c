// SPDX-License-Identifier: Apache-2.0
// LockedBytes: whole pages for secrets, zeroed, kept out of core dumps (MADV_DONTDUMP) and out of swap (mlock), wiped
// and given back to the system at their end. A system may refuse to lock (RLIMIT_MEMLOCK): the memory works all the
// same, and ringfort/secret_memory.h says that it happened. A forked process locks its copy, too. Secret<T> is for the
// small ones: it has guard pages, this has none.
#pragma once

#include <cstddef>
#include <utility>

namespace ringfort {

// Locks what may be locked already, here and in processes that are forked until it is forgotten; remembers a refusal
// for the life of the process.
void lock_memory(const void* data, std::size_t bytes) noexcept;
// Before the memory is given back. What was not locked is none of them.
void forget_memory(const void* data) noexcept;

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
