// SPDX-License-Identifier: Apache-2.0
// A failed assertion stops the DPU with a fault. The text of the fault contains the tasklet and the source line.
// hw/pim/README.md explains the terms.
#pragma once

#include <dpu_isa.h>

#define static_assert _Static_assert

#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition)                 \
  do {                                    \
    if (!(condition)) rf_assert_failed(); \
  } while (0)
#endif

__rf_inline void rf_assert_failed(void) {
  register unsigned int a0 __asm__("a0") = kDpuFaultAssert;
  __asm__ volatile(".insn r %0, %1, %2, x0, %3, x0" ::"i"(kDpuSystem), "i"(kDpuHost), "i"(kDpuFault), "r"(a0));
}
