// SPDX-License-Identifier: Apache-2.0
// An allocator of blocks that all have the same size. Tasklets take and free blocks. The memory of the allocator comes
// from mem_alloc(). hw/pim/README.md explains the terms.
#pragma once

typedef void** fsb_allocator_t;

fsb_allocator_t fsb_alloc(unsigned int block_size, unsigned int nb_of_blocks);
void* fsb_get(fsb_allocator_t allocator);  // returns NULL if no block is left
void fsb_free(fsb_allocator_t allocator, void* block);
