// SPDX-License-Identifier: Apache-2.0
// A buddy allocator of WRAM. Tasklets take and free blocks. The size of a block in bytes is a power of two, and at
// least 16. The address of a block is a multiple of 8. If buddy_alloc() or buddy_realloc() fails, it returns NULL.
// buddy_alloc(), buddy_realloc() and buddy_free() set errno to EINVAL for an impossible size or pointer, and to ENOMEM
// if no block is left. hw/pim/README.md explains the terms.
#pragma once

#include <stddef.h>

// Allocates the allocator's memory by mem_alloc(). One tasklet calls this function. If a program calls mem_reset(), it
// must do so before this call.
void buddy_init(size_t size_of_heap);
// Frees all blocks.
void buddy_reset(void);

void* buddy_alloc(size_t size);
// Frees the block that contains the address in the pointer. The pointer is a multiple of 8, or NULL.
void buddy_free(void* pointer);
// Changes the size of a block. If the new size fits into the block, returns the same block. If the new size is smaller,
// the rest of the block becomes free. If the new size is 0, frees the block and returns the pointer. After a failure
// the block is unchanged.
void* buddy_realloc(void* ptr, size_t size);
