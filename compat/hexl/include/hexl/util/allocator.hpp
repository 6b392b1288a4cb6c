// SPDX-License-Identifier: Apache-2.0
// The interface of a program's own memory.
#pragma once

#include <cstddef>

#include "hexl/util/defines.hpp"

namespace intel {
namespace hexl {

// Memory of an NTT object: its tables and scratch memory. Several threads may call the functions.
struct AllocatorBase {
  virtual ~AllocatorBase() noexcept {}
  virtual void* allocate(size_t bytes_count) = 0;  // returns null if there is no memory
  virtual void deallocate(void* p, size_t n) = 0;  // n is the bytes_count of the allocation
};

// Base of classes that implement allocate_impl and deallocate_impl.
template <class AllocatorImpl>
struct AllocatorInterface : public AllocatorBase {
  void* allocate(size_t bytes_count) override { return static_cast<AllocatorImpl*>(this)->allocate_impl(bytes_count); }
  void deallocate(void* p, size_t n) override { static_cast<AllocatorImpl*>(this)->deallocate_impl(p, n); }

 private:
  // A class without functions of its own has no memory.
  void* allocate_impl(size_t) { return nullptr; }
  void deallocate_impl(void*, size_t) {}
};

}  // namespace hexl
}  // namespace intel
