// SPDX-License-Identifier: Apache-2.0
#include "support/allocation.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<std::size_t> largest{0}, found{0}, watched_size{0};
std::atomic<const char*> watched{nullptr};

void* allocate(std::size_t bytes) noexcept {
  std::size_t known = largest.load();
  while (bytes > known && !largest.compare_exchange_weak(known, bytes)) {}
  if (ringfort::fault::strikes(ringfort::fault::Point::alloc)) return nullptr;
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  // Zeroes what an earlier block left here, so that it is not counted again.
  if (memory != nullptr && watched_size != 0) std::memset(memory, 0, bytes);
  return memory;
}

void release(void* memory) noexcept {
  const std::size_t size = watched_size;
  if (memory != nullptr && size != 0) {
    const char* const begin = static_cast<const char*>(memory);
    const char* const end = begin + malloc_usable_size(memory);
    if (std::search(begin, end, watched.load(), watched.load() + size) != end) ++found;
  }
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) {
  void* memory = allocate(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new[](std::size_t bytes) {
  void* memory = allocate(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }

bool ringfort::testing::allocations_are_fault_points() noexcept { return true; }
void ringfort::testing::watch_allocations() noexcept { largest = 0; }
std::size_t ringfort::testing::largest_allocation() noexcept { return largest.load(); }
void ringfort::testing::watch_frees(std::span<const char> bytes) noexcept {
  watched = bytes.data();
  watched_size = bytes.size();
  found = 0;
}
std::size_t ringfort::testing::frees_with_bytes() noexcept { return found; }
