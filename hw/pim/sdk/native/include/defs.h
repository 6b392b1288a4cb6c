// SPDX-License-Identifier: Apache-2.0
// The headers of this folder declare exactly those names of the vendor's SDK that kernels may use. Kernels for the host
// are compiled with this folder alone. Therefore a kernel that compiles for the host uses no other names. native.cpp
// defines the functions.
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
