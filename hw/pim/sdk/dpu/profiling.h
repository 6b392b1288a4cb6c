// SPDX-License-Identifier: Apache-2.0
// Counts the cycles that each tasklet spends in sections of a program. If the performance counter is configured for
// instructions, counts the instructions of all tasklets in this time instead. PROFILING_INIT defines a variable for a
// section. With -DDPU_PROFILING, the count between profiling_start() and profiling_stop() is added to the member
// `count` of this variable. The host reads the variable by its name. Without -DDPU_PROFILING, the two functions do
// nothing. Between the two calls, the program must not reset the performance counter. hw/pim/README.md explains the
// terms.
#pragma once

#include <assert.h>
#include <attributes.h>
#include <defs.h>
#include <perfcounter.h>
#include <stdint.h>

typedef struct {
  uint32_t start[NR_TASKLETS];  // PROFILING_RESET_VALUE while the tasklet is outside the section
  uint32_t count[NR_TASKLETS];
} dpu_profiling_t;

#define PROFILING_RESET_VALUE (UINT32_MAX)
#define PROFILING_INIT(name)                                                     \
  __attribute__((section(".data.dpu_profiling"), used)) dpu_profiling_t name = { \
      .start = {[0 ...(NR_TASKLETS - 1)] = PROFILING_RESET_VALUE}}

#ifdef DPU_PROFILING
// If a tasklet starts a section that it has not stopped, the program stops with a fault.
__rf_inline void profiling_start(dpu_profiling_t* context) {
  if (context->start[me()] != PROFILING_RESET_VALUE) rf_assert_failed();
  context->start[me()] = (uint32_t)perfcounter_get();
}
__rf_inline void profiling_stop(dpu_profiling_t* context) {
  context->count[me()] += (uint32_t)perfcounter_get() - context->start[me()];
  context->start[me()] = PROFILING_RESET_VALUE;
}
#else
#define profiling_start(context) ((void)(context))
#define profiling_stop(context) ((void)(context))
#endif
