// SPDX-License-Identifier: Apache-2.0
// Functions of a tasklet: me(), halt(), check_stack(). The command line of the compiler defines NR_TASKLETS, as in the
// vendor's SDK. hw/pim/README.md explains the terms.
#pragma once

#include <attributes.h>
#include <dpu_isa.h>
#include <stdint.h>
#include <sysdef.h>

#ifndef NR_TASKLETS
#define NR_TASKLETS 1
#endif

__rf_inline sysname_t me(void) {
  sysname_t id;
  __asm__(".insn r %1, %2, %3, %0, x0, x0" : "=r"(id) : "i"(kDpuSystem), "i"(kDpuThread), "i"(kDpuMe));
  return id;
}

__attribute__((noreturn)) __rf_inline void halt(void) {
  __asm__ volatile(".insn r %0, %1, %2, x0, x0, x0" ::"i"(kDpuSystem), "i"(kDpuThread), "i"(kDpuHalt));
  __builtin_unreachable();
}

// Returns the number of free bytes of the calling tasklet's stack.
int check_stack(void);
