// SPDX-License-Identifier: Apache-2.0
#include "support/allocation.h"

#include <atomic>
#include <cstdlib>

namespace {

std::atomic<std::size_t> largest{0};

void* allocate(std::size_t bytes) noexcept {
  std::size_t known = largest.load();
  while (bytes > known && !largest.compare_exchange_weak(known, bytes)) {}
  if (ringfort::fault::strikes(ringfort::fault::Point::alloc)) return nullptr;
  return std::malloc(bytes == 0 ? 1 : bytes);
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
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

bool ringfort::testing::allocations_are_fault_points() noexcept { return true; }
void ringfort::testing::watch_allocations() noexcept { largest = 0; }
std::size_t ringfort::testing::largest_allocation() noexcept { return largest.load(); }
