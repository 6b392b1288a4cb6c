// SPDX-License-Identifier: Apache-2.0
// AlignedBuffer<T>: a move-only, 64-byte aligned, zero-initialised array of trivial words. From 2 MiB on it asks for huge
// pages: ciphertexts are streamed through once, and a page walk for every 4 KiB shows.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/fault.h"

namespace ringfort {

template <class T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::size_t kAlignment = 64;
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size) : size_(size) {         // throws std::bad_alloc
    if (size == 0) return;
    if (size > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    if (fault::strikes(fault::Point::alloc)) throw std::bad_alloc();
    data_ = static_cast<T*>(::operator new(size * sizeof(T), alignment()));
    if (is_large()) madvise(data_, size * sizeof(T), MADV_HUGEPAGE);   // advice: nothing depends on the answer
    std::memset(static_cast<void*>(data_), 0, size * sizeof(T));
  }
  AlignedBuffer(AlignedBuffer&& o) noexcept : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    return *this;
  }
  ~AlignedBuffer() {
    if (data_ != nullptr) ::operator delete(data_, alignment());
  }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  [[nodiscard]] std::span<T> span() noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  [[nodiscard]] bool is_large() const noexcept { return size_ * sizeof(T) >= kHugePage; }
  [[nodiscard]] std::align_val_t alignment() const noexcept { return std::align_val_t(is_large() ? kHugePage : kAlignment); }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ringfort
