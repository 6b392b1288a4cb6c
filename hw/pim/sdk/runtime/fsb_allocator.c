// SPDX-License-Identifier: Apache-2.0
// The functions of fsb_allocator.h. The first word of a free block is the address of the next free block. The allocator
// is the head of this list.
#include <alloc.h>
#include <atomic_bit.h>
#include <stddef.h>
#include <stdint.h>

ATOMIC_BIT_INIT(fsb_allocator);

fsb_allocator_t fsb_alloc(unsigned int block_size, unsigned int nb_of_blocks) {
  const unsigned int size = block_size < 8 ? 8 : (block_size + 7u) & ~7u;
  fsb_allocator_t head = mem_alloc(8 + size * nb_of_blocks);
  uint8_t* block = (uint8_t*)head + 8;
  *head = NULL;
  for (unsigned int i = 0; i < nb_of_blocks; i++, block += size) fsb_free(head, block);
  return head;
}

void* fsb_get(fsb_allocator_t allocator) {
  ATOMIC_BIT_ACQUIRE(fsb_allocator);
  void** block = *allocator;
  if (block != NULL) *allocator = *block;
  ATOMIC_BIT_RELEASE(fsb_allocator);
  return block;
}

void fsb_free(fsb_allocator_t allocator, void* block) {
  ATOMIC_BIT_ACQUIRE(fsb_allocator);
  *(void**)block = *allocator;
  *allocator = block;
  ATOMIC_BIT_RELEASE(fsb_allocator);
}
