// SPDX-License-Identifier: Apache-2.0
// A buddy allocator: blocks of WRAM that tasklets take and give back. The size of a block in bytes is a power of two,
// at least 16; its address is a multiple of 8. After a failure, functions return NULL and set errno: EINVAL for an
// impossible size or pointer, ENOMEM if no block is left.
#pragma once

#include <stddef.h>

// Takes the heap from mem_alloc(). One tasklet calls it, after mem_reset() if there is one.
void buddy_init(size_t size_of_heap);
// Frees all blocks.
void buddy_reset(void);

void* buddy_alloc(size_t size);
// Frees the block into which the pointer points. The pointer is a multiple of 8, or NULL.
void buddy_free(void* pointer);
// Changes the size of a block. Returns the same block if the new size fits; a smaller size frees the rest of the block.
// Size 0 frees the block and returns the pointer. After a failure the block is unchanged.
void* buddy_realloc(void* ptr, size_t size);
