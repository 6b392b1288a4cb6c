// SPDX-License-Identifier: Apache-2.0
// A memory pool of SEAL's interface. It only counts: memory comes from the C++ allocator, and goes back there.
#pragma once

#include <atomic>
#include <cstddef>

#include "seal/util/defines.h"

namespace seal {
namespace util {

class MemoryPool {
 public:
  explicit MemoryPool(bool clear_on_destruction = false) noexcept : clears_(clear_on_destruction) {}
  virtual ~MemoryPool() = default;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  [[nodiscard]] std::size_t pool_count() const noexcept { return most_.load() != 0 ? 1 : 0; }
  // Returns the largest number of bytes that were in use at once.
  [[nodiscard]] std::size_t alloc_byte_count() const noexcept { return most_.load(); }
  [[nodiscard]] bool clears() const noexcept { return clears_; }

  void add_bytes(std::size_t bytes) noexcept {
    const std::size_t now = used_.fetch_add(bytes) + bytes;
    for (std::size_t most = most_.load(); most < now && !most_.compare_exchange_weak(most, now);) {}
  }
  void remove_bytes(std::size_t bytes) noexcept { used_.fetch_sub(bytes); }

 private:
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> most_{0};
  bool clears_;
};

using MemoryPoolMT = MemoryPool;
using MemoryPoolST = MemoryPool;

}  // namespace util
}  // namespace seal
