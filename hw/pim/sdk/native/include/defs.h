// SPDX-License-Identifier: Apache-2.0
// Declarations of exactly the vendor's names that kernels may use. A kernel that compiles against this folder alone
// uses no others. Kernels compile for the host against it; native.cpp defines the functions.
#pragma once

#include <stdint.h>

#ifndef NR_TASKLETS
#define NR_TASKLETS 16
#endif
#define __mram_ptr
#define __host
#define __dma_aligned __attribute__((aligned(8)))

typedef uint8_t sysname_t;
sysname_t me(void);
