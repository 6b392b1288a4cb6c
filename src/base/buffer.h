// SPDX-License-Identifier: Apache-2.0
// AlignedBuffer<T> is a move-only array of trivial words, aligned to 64 bytes. Its words are zero, unless it is made
// with Fill::none. The library reads and writes long arrays from end to end. With pages of 4 KiB, the translation of
// their addresses costs measurable time. Therefore an array of 2 MiB or more requests huge pages. The memory comes from
// malloc, and this class aligns the array in it. Functions such as aligned_alloc leave holes in the heap, which glibc
// before 2.38 does not reuse. These holes would double the size of the heap.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/fault.h"

namespace ringfort {

enum class Fill : std::uint8_t { zero, none };

template <class T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::size_t kAlignment = 64;
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size, Fill fill = Fill::zero) : size_(size) {  // throws std::bad_alloc
    if (size == 0) return;
    if (size > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    if (fault::strikes(fault::Point::alloc)) throw std::bad_alloc();
    const std::size_t bytes = size * sizeof(T);
    allocation_ = fill == Fill::zero ? std::calloc(1, bytes + kAlignment) : std::malloc(bytes + kAlignment);
    if (allocation_ == nullptr) throw std::bad_alloc();
    data_ = reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(allocation_) / kAlignment + 1) * kAlignment);
    if (bytes >= kHugePage) advise(bytes);
  }
  AlignedBuffer(AlignedBuffer&& o) noexcept
      : allocation_(std::exchange(o.allocation_, nullptr)),
        data_(std::exchange(o.data_, nullptr)),
        size_(std::exchange(o.size_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& o) noexcept {
    std::swap(allocation_, o.allocation_);
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    return *this;
  }
  ~AlignedBuffer() { std::free(allocation_); }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  [[nodiscard]] std::span<T> span() noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }

 private:
  static constexpr std::size_t kPage = 4096, kHugePage = std::size_t{2} << 20;
  // Requests huge pages for the whole pages of the array. Correctness does not depend on the result.
  void advise(std::size_t bytes) noexcept {
    const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(data_) / kPage + 1) * kPage;
    madvise(reinterpret_cast<void*>(first), bytes - kPage, MADV_HUGEPAGE);
  }

  void* allocation_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ringfort
