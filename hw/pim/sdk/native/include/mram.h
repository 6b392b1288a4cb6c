// SPDX-License-Identifier: Apache-2.0
// The part of the vendor's mram.h that kernels may use. Kernels that are compiled for the host include this file
// (defs.h).
#pragma once

#include "defs.h"

__mram_ptr void* ringfort_native_heap(void);
#define DPU_MRAM_HEAP_POINTER (ringfort_native_heap())

void mram_read(const __mram_ptr void* from, void* to, unsigned int nb_of_bytes);
void mram_write(const void* from, __mram_ptr void* to, unsigned int nb_of_bytes);
