// SPDX-License-Identifier: Apache-2.0
// Declares exactly those names of the vendor's that kernels may use. A kernel that compiles with only this folder uses
// no other names. Kernels for the host are compiled with this folder; native.cpp defines the functions.
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
