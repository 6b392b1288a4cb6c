// SPDX-License-Identifier: Apache-2.0
// Simulated time of a system of DPUs: what the profile says that transfers and launches take, and the cycles that the DPUs
// ran. Not a part of the vendor's interface. The host program's own time is not in it.
#pragma once

#include "dpu_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ringfort_pim_event_kind_t {
  RINGFORT_PIM_TO_DPU,
  RINGFORT_PIM_FROM_DPU,
  RINGFORT_PIM_BROADCAST,
  RINGFORT_PIM_LAUNCH
} ringfort_pim_event_kind_t;

struct ringfort_pim_event_t {
  ringfort_pim_event_kind_t kind;
  double start_ms, end_ms;
  uint64_t bytes;   // moved in all
  uint64_t cycles;  // of the slowest DPU
  uint32_t ranks, dpus;
};

// The host's simulated clock since the allocation; asynchronous work may end later (dpu_sync waits for it).
dpu_error_t ringfort_pim_clock_ms(struct dpu_set_t dpu_set, double *ms);
dpu_error_t ringfort_pim_event_count(struct dpu_set_t dpu_set, size_t *count);
dpu_error_t ringfort_pim_event(struct dpu_set_t dpu_set, size_t index, struct ringfort_pim_event_t *event);

#ifdef __cplusplus
}
#endif
