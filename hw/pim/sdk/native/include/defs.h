// SPDX-License-Identifier: Apache-2.0
// The vendor's names that kernels may use, declared and no more: kernels that compile against this folder alone keep to
// them, and compile for the host, where native.cpp defines the functions.
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
