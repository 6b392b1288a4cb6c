// SPDX-License-Identifier: Apache-2.0
// An array that a pool counts. Pools of MemoryPoolHandle::New(true) clear its memory when the array ends.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "seal/util/common.h"
#include "seal/util/mempool.h"

namespace seal {
namespace util {

template <typename T>
class Pointer {
 public:
  Pointer() = default;
  Pointer(std::size_t count, MemoryPool& pool) : data_(new T[count]{}), bytes_(count * sizeof(T)), pool_(&pool) {
    pool_->add_bytes(bytes_);
  }
  Pointer(Pointer&& source) noexcept { swap(source); }
  Pointer& operator=(Pointer&& source) noexcept {
    Pointer taken(std::move(source));
    swap(taken);
    return *this;
  }
  ~Pointer() { release(); }

  void release() noexcept {
    if (!data_) return;
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (pool_->clears()) seal_memzero(data_.get(), bytes_);
    }
    pool_->remove_bytes(bytes_);
    data_.reset();
    bytes_ = 0;
  }
  [[nodiscard]] T* get() const noexcept { return data_.get(); }
  [[nodiscard]] T& operator[](std::size_t index) const { return data_[index]; }
  [[nodiscard]] T& operator*() const { return *data_; }
  [[nodiscard]] T* operator->() const noexcept { return data_.get(); }
  [[nodiscard]] bool is_set() const noexcept { return data_ != nullptr; }
  explicit operator bool() const noexcept { return is_set(); }

 private:
  void swap(Pointer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(pool_, other.pool_);
  }
  std::unique_ptr<T[]> data_;
  std::size_t bytes_ = 0;
  MemoryPool* pool_ = nullptr;
};

template <typename T>
[[nodiscard]] Pointer<T> allocate(std::size_t count, MemoryPool& pool) {
  return count == 0 ? Pointer<T>() : Pointer<T>(count, pool);
}

}  // namespace util
}  // namespace seal
