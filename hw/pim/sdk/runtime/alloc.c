// SPDX-License-Identifier: Apache-2.0
// The functions of alloc.h: a bump allocator in WRAM. Its heap extends from the end of the stacks to the end of WRAM.
// hw/pim/README.md explains the terms.
#include <alloc.h>
#include <atomic_bit.h>
#include <stdint.h>

#include "runtime.h"

extern uint8_t __sys_heap_start[];
extern uint8_t __sys_wram_end[];

static uint32_t heap_next;  // 0 until the first use. The heap never starts at 0, because this variable is below it.
ATOMIC_BIT_INIT(heap);

void* mem_alloc(size_t size) {
  ATOMIC_BIT_ACQUIRE(heap);
  uint32_t start = heap_next != 0 ? heap_next : (uint32_t)__sys_heap_start;
  uint32_t free_bytes = (uint32_t)__sys_wram_end - start;
  if (size > free_bytes || ((size + 7u) & ~7u) > free_bytes) raise_fault(kDpuFaultHeap);
  heap_next = start + ((size + 7u) & ~7u);
  ATOMIC_BIT_RELEASE(heap);
  return (void*)start;
}

void* mem_reset(void) {
  ATOMIC_BIT_ACQUIRE(heap);
  heap_next = (uint32_t)__sys_heap_start;
  ATOMIC_BIT_RELEASE(heap);
  return (void*)__sys_heap_start;
}
