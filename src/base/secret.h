// SPDX-License-Identifier: Apache-2.0
// Secret<T> is an array that is never copied or printed. If the system allows it, the array is excluded from core dumps
// and from swap. The destructor zeroes the array. wipe() zeroes memory in a way that the compiler must not remove.
//
// An array of at least 4096 bytes is in LockedBytes (base/locked.h). A smaller array is in libsodium's guarded heap
// (sodium_malloc), where it ends at a guard page. sodium_malloc does not report whether it locked the memory. Therefore
// the constructor locks the memory again, and records a failure of this lock.
#pragma once

#include <sodium.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/fault.h"
#include "base/locked.h"

namespace ringfort {

// Returns false if libsodium cannot be prepared. Its own function sodium_init() locks a mutex in every call. A child
// that was forked meanwhile by another thread would wait for this mutex for ever. Therefore this function calls it only
// once.
[[nodiscard]] bool sodium_is_ready() noexcept;

inline void wipe(void* data, std::size_t bytes) noexcept { sodium_memzero(data, bytes); }

template <class T>
class Secret {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Secret() = default;
  explicit Secret(std::size_t size) : size_(size) {  // throws std::bad_alloc
    if (size > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
    if (size * sizeof(T) >= kLeastPages) {
      pages_ = LockedBytes(size * sizeof(T));
      data_ = static_cast<T*>(pages_.data());
      return;
    }
    if (!sodium_is_ready() || fault::strikes(fault::Point::alloc)) throw std::bad_alloc();
    data_ = static_cast<T*>(sodium_allocarray(size == 0 ? 1 : size, sizeof(T)));
    if (data_ == nullptr) throw std::bad_alloc();
    lock_memory(data_, size * sizeof(T));  // sodium_malloc also locks the memory, but does not report a failure
    sodium_memzero(data_, size * sizeof(T));
  }
  Secret(Secret&& o) noexcept
      : pages_(std::move(o.pages_)),
        data_(std::exchange(o.data_, nullptr)),
        size_(std::exchange(o.size_, 0)) {}
  Secret& operator=(Secret&& o) noexcept {
    std::swap(pages_, o.pages_);
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    return *this;
  }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret() {
    if (data_ == nullptr || pages_.data() != nullptr) return;
    forget_memory(data_);
    sodium_free(data_);
  }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<T> span() noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }

 private:
  static constexpr std::size_t kLeastPages = 4096;  // bytes

  LockedBytes pages_;  // empty for a small array
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ringfort
