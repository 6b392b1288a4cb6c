// SPDX-License-Identifier: Apache-2.0
// The WRAM heap: mem_alloc() hands out 8-byte rounded pieces and never takes one back; mem_reset() empties it. The heap
// keeps its state between launches: one tasklet resets it, a barrier keeps the others behind. No heap left is a fault.
#pragma once

#include <stddef.h>

void* mem_alloc(size_t size);
void* mem_reset(void);
