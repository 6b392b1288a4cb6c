// SPDX-License-Identifier: Apache-2.0
// The performance counter of a DPU. All tasklets share it. It counts cycles or instructions since its last reset. Chip
// v1B can also count both at the same time. On another chip, a request for both is a fault. hw/pim/README.md explains
// the terms.
#pragma once

#include <dpu_isa.h>
#include <stdbool.h>
#include <stdint.h>

typedef uint64_t perfcounter_t;

typedef enum perfcounter_config_t {
  COUNT_SAME = 0,
  COUNT_CYCLES = 1,
  COUNT_INSTRUCTIONS = 2,
  COUNT_NOTHING = 3,
  COUNT_DISABLE_BOTH = 4,
  COUNT_ENABLE_BOTH = 5
} perfcounter_config_t;

typedef struct perfcounter_pair_t {
  perfcounter_t cycles, instr;
} perfcounter_pair_t;

__rf_inline perfcounter_t perfcounter_get(void) {
  uint32_t low, high;
  __asm__ volatile(".insn r %2, %3, %4, %0, x0, x0\n\t.insn r %2, %3, %5, %1, x0, x0"
                   : "=r"(low), "=r"(high)
                   : "i"(kDpuSystem), "i"(kDpuCounter), "i"(kDpuCounterLow), "i"(kDpuCounterHigh));
  return ((uint64_t)high << 32) | low;
}

__rf_inline perfcounter_t perfcounter_config(perfcounter_config_t config, bool reset_value) {
  perfcounter_t before = perfcounter_get();
  __asm__ volatile(".insn r %0, %1, %2, x0, %3, %4" ::"i"(kDpuSystem), "i"(kDpuCounter), "i"(kDpuCounterConfigure),
                   "r"(config), "r"(reset_value));
  return before;
}

__rf_inline perfcounter_pair_t perfcounter_get_both(bool should_reset) {
  uint32_t low[2], high[2];
  __asm__ volatile(
      ".insn r %4, %5, %6, %0, x0, x0\n\t.insn r %4, %5, %8, %1, x0, x0\n\t"
      ".insn r %4, %5, %7, %2, x0, x0\n\t.insn r %4, %5, %8, %3, x0, x0"
      : "=&r"(low[0]), "=&r"(high[0]), "=&r"(low[1]), "=&r"(high[1])
      : "i"(kDpuSystem), "i"(kDpuCounter), "i"(kDpuCounterCycles), "i"(kDpuCounterInstructions), "i"(kDpuCounterHigh));
  if (should_reset) perfcounter_config(COUNT_ENABLE_BOTH, true);
  perfcounter_pair_t both = {((uint64_t)high[0] << 32) | low[0], ((uint64_t)high[1] << 32) | low[1]};
  return both;
}
