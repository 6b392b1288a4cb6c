// SPDX-License-Identifier: Apache-2.0
// The buddy allocator of buddy_alloc.h. A block of order k has 2^k units of 16 bytes. Each unit has a state byte. If a
// block begins at the unit, the byte is kFree or kTaken, plus the order of the block. For the further units of a block,
// the byte is kInside. Free blocks of one order form a list, whose links are in the blocks. A block of order k and its
// buddy are the halves of a block of order k + 1. The numbers of their first units differ in bit k. hw/pim/README.md
// explains the terms.
#include <alloc.h>
#include <atomic_bit.h>
#include <buddy_alloc.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { kUnit = 16, kOrders = 13, kInside = 0, kFree = 0x40, kTaken = 0x80 };

typedef struct Block {
  struct Block *next, *previous;
} Block;

ATOMIC_BIT_INIT(buddy);
static Block* lists[kOrders];  // for each order, the list of free blocks of kUnit << order bytes
static uint8_t *heap, *states;
static uint32_t units;

static void add_block(uint32_t unit, uint32_t order) {
  Block* block = (Block*)(void*)(heap + unit * kUnit);
  block->previous = NULL;
  block->next = lists[order];
  if (block->next != NULL) block->next->previous = block;
  lists[order] = block;
  states[unit] = (uint8_t)(kFree | order);
}

static void remove_block(uint32_t unit, uint32_t order) {
  const Block* block = (const Block*)(const void*)(heap + unit * kUnit);
  if (block->next != NULL) block->next->previous = block->previous;
  if (block->previous != NULL) block->previous->next = block->next;
  else lists[order] = block->next;
  states[unit] = kInside;
}

static void cut(uint32_t unit, uint32_t order, uint32_t wanted) {
  while (order > wanted) {
    order--;
    add_block(unit + (1u << order), order);
  }
  states[unit] = (uint8_t)(kTaken | wanted);
}

static void join(uint32_t unit, uint32_t order) {
  states[unit] = kInside;
  for (; order + 1 < kOrders; order++) {
    const uint32_t buddy = unit ^ (1u << order);
    if (buddy >= units || states[buddy] != (kFree | order)) break;
    remove_block(buddy, order);
    unit &= buddy;
  }
  add_block(unit, order);
}

static uint32_t order_of(size_t size) {
  uint32_t order = 0;
  while (((size_t)kUnit << order) < size) order++;
  return order;
}

static void* take(size_t size) {
  if (size == 0 || size > units * kUnit) {
    errno = EINVAL;
    return NULL;
  }
  const uint32_t wanted = order_of(size);
  uint32_t order = wanted;
  while (order < kOrders && lists[order] == NULL) order++;
  if (order >= kOrders) {
    errno = ENOMEM;
    return NULL;
  }
  const uint32_t unit = (uint32_t)((uint8_t*)lists[order] - heap) / kUnit;
  remove_block(unit, order);
  cut(unit, order, wanted);
  return heap + unit * kUnit;
}

// Finds the taken block that contains the address in the pointer.
static bool find_block(const void* pointer, uint32_t* unit, uint32_t* order) {
  const uint32_t offset = (uint32_t)((const uint8_t*)pointer - heap);
  if (offset % 8 == 0 && offset < units * kUnit) {
    for (*order = 0; *order < kOrders; ++*order) {
      *unit = offset / kUnit >> *order << *order;
      if (states[*unit] == (kTaken | *order)) return true;
    }
  }
  errno = EINVAL;
  return false;
}

static void reset(void) {
  memset(states, kInside, units);
  memset(lists, 0, sizeof lists);
  for (uint32_t unit = 0; unit < units;) {
    uint32_t order = 0;
    while (order + 1 < kOrders && unit % (2u << order) == 0 && unit + (2u << order) <= units) order++;
    add_block(unit, order);
    unit += 1u << order;
  }
}

void buddy_init(size_t size_of_heap) {
  ATOMIC_BIT_ACQUIRE(buddy);
  units = size_of_heap / kUnit;
  heap = mem_alloc(units * kUnit);
  states = mem_alloc(units);
  reset();
  ATOMIC_BIT_RELEASE(buddy);
}

void buddy_reset(void) {
  ATOMIC_BIT_ACQUIRE(buddy);
  reset();
  ATOMIC_BIT_RELEASE(buddy);
}

void* buddy_alloc(size_t size) {
  ATOMIC_BIT_ACQUIRE(buddy);
  void* block = take(size);
  ATOMIC_BIT_RELEASE(buddy);
  return block;
}

void buddy_free(void* pointer) {
  if (pointer == NULL) return;
  uint32_t unit, order;
  ATOMIC_BIT_ACQUIRE(buddy);
  if (find_block(pointer, &unit, &order)) join(unit, order);
  ATOMIC_BIT_RELEASE(buddy);
}

// The copy needs no lock, because no other tasklet may use the block during the call.
static void* move(void* ptr, size_t used, size_t size) {
  void* larger = buddy_alloc(size);
  if (larger == NULL) return NULL;
  memcpy(larger, ptr, used);
  buddy_free(ptr);
  return larger;
}

void* buddy_realloc(void* ptr, size_t size) {
  if (ptr == NULL) return buddy_alloc(size);
  if (size == 0) {
    buddy_free(ptr);
    return ptr;
  }
  uint32_t unit, order;
  ATOMIC_BIT_ACQUIRE(buddy);
  const bool found = find_block(ptr, &unit, &order), fits = found && size <= (size_t)kUnit << order;
  if (fits) cut(unit, order, order_of(size));
  ATOMIC_BIT_RELEASE(buddy);
  if (!found) return NULL;
  void* block = heap + unit * kUnit;
  return fits ? block : move(block, (size_t)kUnit << order, size);
}
