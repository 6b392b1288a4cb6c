// SPDX-License-Identifier: Apache-2.0
// The WRAM heap: mem_alloc() returns pieces rounded up to 8 bytes, which cannot be freed; mem_reset() empties the heap.
// The heap keeps its state between launches. Therefore at the start of a launch one tasklet must reset it while the
// others wait at a barrier. If the heap has no space for an allocation, the program stops with a fault.
#pragma once

#include <buddy_alloc.h>
#include <fsb_allocator.h>
#include <stddef.h>

void* mem_alloc(size_t size);
void* mem_reset(void);
