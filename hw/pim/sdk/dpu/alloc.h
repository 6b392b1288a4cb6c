// SPDX-License-Identifier: Apache-2.0
// The WRAM heap of a DPU. mem_alloc() rounds up a size to a multiple of 8 bytes. Its memory cannot be freed piece by
// piece: mem_reset() empties the whole heap. The heap keeps its state between launches. Therefore, at the start of a
// launch, one tasklet must reset the heap while the other tasklets wait at a barrier. If the heap has no space for an
// allocation, the program stops with a fault. hw/pim/README.md explains the terms.
#pragma once

#include <buddy_alloc.h>
#include <fsb_allocator.h>
#include <stddef.h>

void* mem_alloc(size_t size);
void* mem_reset(void);
