// SPDX-License-Identifier: Apache-2.0
// Cycles in sections of a program, for each tasklet. With -DDPU_PROFILING, the time between profiling_start() and
// profiling_stop() is added to the `count` of the section's variable (PROFILING_INIT), which the host reads by name;
// otherwise the calls are empty. Between the two calls the program must not reset the performance counter.
#pragma once

#include <assert.h>
#include <attributes.h>
#include <defs.h>
#include <perfcounter.h>
#include <stdint.h>

typedef struct {
  uint32_t start[NR_TASKLETS];  // PROFILING_RESET_VALUE outside a section
  uint32_t count[NR_TASKLETS];
} dpu_profiling_t;

#define PROFILING_RESET_VALUE (UINT32_MAX)
#define PROFILING_INIT(name)                                                     \
  __attribute__((section(".data.dpu_profiling"), used)) dpu_profiling_t name = { \
      .start = {[0 ...(NR_TASKLETS - 1)] = PROFILING_RESET_VALUE}}

#ifdef DPU_PROFILING
// A second start of a section that has not ended is a fault.
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
