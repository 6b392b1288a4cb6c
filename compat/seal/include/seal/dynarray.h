// SPDX-License-Identifier: Apache-2.0
// An array that grows, in memory that a pool counts. Its bytes, when saved, are its length and its elements.
#pragma once

#include <algorithm>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "seal/memorymanager.h"
#include "seal/serialization.h"
#include "seal/util/common.h"
#include "seal/util/pointer.h"

namespace seal {
namespace detail {
// Writes or reads raw memory. The reader throws std::runtime_error if the stream ends.
void write_raw(std::ostream& stream, const void* data, std::size_t size);
void read_raw(std::istream& stream, void* data, std::size_t size);
}  // namespace detail

// Errors: std::invalid_argument (no pool, a capacity below the size), std::out_of_range (at).
template <typename T>
class DynArray {
 public:
  using type = T;

  DynArray(MemoryPoolHandle pool = MemoryManager::GetPool()) : pool_(std::move(pool)) {
    if (!pool_) throw std::invalid_argument("an array needs a memory pool");
  }
  explicit DynArray(std::size_t size, MemoryPoolHandle pool = MemoryManager::GetPool()) : DynArray(std::move(pool)) {
    resize(size);
  }
  explicit DynArray(std::size_t capacity, std::size_t size, MemoryPoolHandle pool = MemoryManager::GetPool())
      : DynArray(std::move(pool)) {
    if (capacity < size) throw std::invalid_argument("the capacity is smaller than the size");
    reserve(capacity);
    resize(size);
  }
  DynArray(const DynArray& copy) : DynArray(MemoryManager::GetPool()) { *this = copy; }
  DynArray(DynArray&& source) noexcept
      : pool_(source.pool_),
        data_(std::move(source.data_)),
        capacity_(std::exchange(source.capacity_, 0)),
        size_(std::exchange(source.size_, 0)) {}
  DynArray& operator=(const DynArray& assign) {
    if (this == &assign) return *this;
    resize(assign.size_, false);
    std::copy(assign.begin(), assign.end(), begin());
    return *this;
  }
  DynArray& operator=(DynArray&& assign) noexcept {
    data_ = std::move(assign.data_);
    pool_ = assign.pool_;
    capacity_ = std::exchange(assign.capacity_, 0);
    size_ = std::exchange(assign.size_, 0);
    return *this;
  }

  [[nodiscard]] T* begin() noexcept { return data_.get(); }
  [[nodiscard]] T* end() noexcept { return begin() + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data_.get(); }
  [[nodiscard]] const T* end() const noexcept { return begin() + size_; }
  [[nodiscard]] const T* cbegin() const noexcept { return begin(); }
  [[nodiscard]] const T* cend() const noexcept { return end(); }
  [[nodiscard]] const T& at(std::size_t index) const {
    if (index >= size_) throw std::out_of_range("the index is not below the size of the array");
    return data_[index];
  }
  [[nodiscard]] T& at(std::size_t index) {
    if (index >= size_) throw std::out_of_range("the index is not below the size of the array");
    return data_[index];
  }
  [[nodiscard]] const T& operator[](std::size_t index) const { return data_[index]; }
  [[nodiscard]] T& operator[](std::size_t index) { return data_[index]; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t max_size() const noexcept { return (std::numeric_limits<std::size_t>::max)(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] MemoryPoolHandle pool() const noexcept { return pool_; }

  void release() noexcept {
    data_.release();
    capacity_ = size_ = 0;
  }
  void clear() noexcept { size_ = 0; }
  // Sets the capacity, and drops elements beyond it.
  void reserve(std::size_t capacity) {
    util::Pointer<T> moved = util::allocate<T>(capacity, pool_);
    const std::size_t kept = (std::min)(capacity, size_);
    std::copy_n(begin(), kept, moved.get());
    data_ = std::move(moved);
    capacity_ = capacity;
    size_ = kept;
  }
  void shrink_to_fit() { reserve(size_); }
  void resize(std::size_t size, bool fill_zero = true) {
    if (size > capacity_) reserve(size);
    if (size > size_ && fill_zero) std::fill(begin() + size_, begin() + size, T(0));
    size_ = size;
  }

  [[nodiscard]] std::streamoff save_size(compr_mode_type compr_mode = Serialization::compr_mode_default) const {
    const std::size_t bytes = util::add_safe(sizeof(std::uint64_t), util::mul_safe(size_, sizeof(T)));
    return util::safe_cast<std::streamoff>(
        util::add_safe(sizeof(Serialization::SEALHeader), Serialization::ComprSizeEstimate(bytes, compr_mode)));
  }
  std::streamoff save(std::ostream& stream, compr_mode_type compr_mode = Serialization::compr_mode_default) const {
    return Serialization::Save([this](std::ostream& to) { save_members(to); }, save_size(compr_mode_type::none), stream,
                               compr_mode, false);
  }
  std::streamoff save(seal_byte* out, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const {
    return Serialization::Save([this](std::ostream& to) { save_members(to); }, save_size(compr_mode_type::none), out,
                               size, compr_mode, false);
  }
  // A bound of 0 is no bound. Otherwise an array with more elements is an error (std::logic_error).
  std::streamoff load(std::istream& stream, std::size_t in_size_bound = 0) {
    return Serialization::Load([&](std::istream& from, SEALVersion) { load_members(from, in_size_bound); }, stream,
                               false);
  }
  std::streamoff load(const seal_byte* in, std::size_t size, std::size_t in_size_bound = 0) {
    return Serialization::Load([&](std::istream& from, SEALVersion) { load_members(from, in_size_bound); }, in, size,
                               false);
  }

 private:
  void save_members(std::ostream& stream) const {
    const std::uint64_t count = size_;
    detail::write_raw(stream, &count, sizeof count);
    detail::write_raw(stream, begin(), size_ * sizeof(T));
  }
  void load_members(std::istream& stream, std::size_t in_size_bound) {
    static_assert(std::is_trivially_copyable_v<T>, "elements are saved as raw memory");
    constexpr std::size_t kChunk = 1 << 17;  // elements; memory grows with what was read, not with what is claimed
    std::uint64_t count = 0;
    detail::read_raw(stream, &count, sizeof count);
    if (in_size_bound != 0 && count > in_size_bound) throw std::logic_error("the saved array is longer than it may be");
    DynArray read(pool_);
    if (in_size_bound != 0) read.reserve(static_cast<std::size_t>(count));
    while (read.size_ < count) {
      const std::size_t more = (std::min)(kChunk, static_cast<std::size_t>(count - read.size_)), at = read.size_;
      if (at + more > read.capacity_) read.reserve(2 * at + more);
      read.resize(at + more, false);
      detail::read_raw(stream, read.begin() + at, more * sizeof(T));
    }
    if (count <= capacity_) {
      *this = read;  // keeps the capacity
      return;
    }
    read.shrink_to_fit();
    *this = std::move(read);
  }

  MemoryPoolHandle pool_;
  util::Pointer<T> data_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace seal
