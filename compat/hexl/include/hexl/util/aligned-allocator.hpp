// SPDX-License-Identifier: Apache-2.0
// Vectors that begin at a multiple of `Alignment` bytes.
#pragma once

#include <stdint.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "hexl/number-theory/number-theory.hpp"
#include "hexl/util/allocator.hpp"
#include "hexl/util/defines.hpp"

namespace intel {
namespace hexl {

// The memory of the C library.
struct MallocStrategy : AllocatorBase {
  void* allocate(size_t bytes_count) final { return std::malloc(bytes_count); }
  void deallocate(void* p, size_t) final { std::free(p); }
};

using AllocatorStrategyPtr = std::shared_ptr<AllocatorBase>;
extern AllocatorStrategyPtr mallocStrategy;

// An allocator for containers. It takes memory of `strategy` or, if that is null, of the C library. Before the aligned
// memory, it stores the address that the strategy returned. allocate() throws std::bad_alloc if there is no memory.
template <typename T, uint64_t Alignment>
class AlignedAllocator {
  static_assert(Alignment >= alignof(void*) && (Alignment & (Alignment - 1)) == 0, "Alignment is a power of two");

 public:
  template <typename, uint64_t>
  friend class AlignedAllocator;

  using value_type = T;

  explicit AlignedAllocator(AllocatorStrategyPtr strategy = nullptr) noexcept : m_alloc_impl(std::move(strategy)) {}
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U, Alignment>& src) : m_alloc_impl(src.m_alloc_impl) {}

  template <typename U>
  struct rebind {
    using other = AlignedAllocator<U, Alignment>;
  };

  // Memory of one strategy must return to this strategy.
  bool operator==(const AlignedAllocator& other) const { return m_alloc_impl == other.m_alloc_impl; }
  bool operator!=(const AlignedAllocator& other) const { return !(*this == other); }

  T* allocate(size_t n) {
    if (n > (SIZE_MAX - kExtra) / sizeof(T)) throw std::bad_alloc();
    const size_t bytes = n * sizeof(T) + kExtra;
    void* const taken = m_alloc_impl ? m_alloc_impl->allocate(bytes) : std::malloc(bytes);
    if (taken == nullptr) throw std::bad_alloc();
    void* aligned = static_cast<char*>(taken) + sizeof(void*);
    size_t left = bytes - sizeof(void*);
    std::align(Alignment, n * sizeof(T), aligned, left);
    std::memcpy(static_cast<char*>(aligned) - sizeof(void*), &taken, sizeof(void*));
    return static_cast<T*>(aligned);
  }

  void deallocate(T* p, size_t n) {
    if (p == nullptr) return;
    void* taken = nullptr;
    std::memcpy(&taken, reinterpret_cast<char*>(p) - sizeof(void*), sizeof(void*));
    if (m_alloc_impl) m_alloc_impl->deallocate(taken, n * sizeof(T) + kExtra);
    else std::free(taken);
  }

 private:
  static constexpr size_t kExtra = Alignment + sizeof(void*);
  AllocatorStrategyPtr m_alloc_impl;
};

template <typename T>
using AlignedVector64 = std::vector<T, AlignedAllocator<T, 64>>;

}  // namespace hexl
}  // namespace intel
