// SPDX-License-Identifier: Apache-2.0
// Internal functions of the run-time library: a tasklet falls asleep, wakes another tasklet, or raises a fault.
// hw/pim/README.md explains the terms.
#pragma once

#include <dpu_isa.h>
#include <stdint.h>

static inline void tasklet_stop(void) {
  __asm__ volatile(".insn r %0, %1, %2, x0, x0, x0" ::"i"(kDpuSystem), "i"(kDpuThread), "i"(kDpuStop) : "memory");
}

static inline void tasklet_resume(uint32_t id) {
  __asm__ volatile(".insn r %0, %1, %2, x0, %3, x0" ::"i"(kDpuSystem), "i"(kDpuThread), "i"(kDpuResume), "r"(id)
                   : "memory");
}

static inline void raise_fault(uint32_t reason) {
  register uint32_t a0 __asm__("a0") = reason;
  __asm__ volatile(".insn r %0, %1, %2, x0, %3, x0" ::"i"(kDpuSystem), "i"(kDpuHost), "i"(kDpuFault), "r"(a0));
}
