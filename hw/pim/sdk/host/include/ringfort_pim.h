// SPDX-License-Identifier: Apache-2.0
// Simulated time of a system of DPUs: what the profile says that transfers and launches take, and the cycles that the
// DPUs ran. Not a part of the vendor's interface. The host program's own time is not in it.
#pragma once

#include "dpu_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ringfort_pim_event_kind_t {
  RINGFORT_PIM_TO_DPU,
  RINGFORT_PIM_FROM_DPU,
  RINGFORT_PIM_BROADCAST,
  RINGFORT_PIM_LAUNCH,
  RINGFORT_PIM_LOAD
} ringfort_pim_event_kind_t;

struct ringfort_pim_event_t {
  ringfort_pim_event_kind_t kind;
  double start_ms, end_ms;
  uint64_t bytes;   // moved in all
  uint64_t cycles;  // of the slowest DPU
  uint32_t ranks, dpus;
  // DPUs of a launch that ran on the simulator; the others did natively, and take what one of their shape took
  uint32_t simulated;
  // of a launch: cycles from the table of costs, for the program was built without a compiler for DPUs
  bool estimated;
};

// What dpu_alloc's profile understands beyond the vendor's keys: timing=NAME, chip=v1A|v1B, dpusPerRank=1..64,
// events=on|off (off: none are kept, for systems that live long), and fidelity=full|shapes|once. "full" runs every DPU
// on the simulator; "shapes" one of each shape (kernel, sizes, widths of moduli) and one of a hundred others, four at
// most, which must agree with the native path in every byte; "once" does not run a shape again that an earlier launch
// has measured. The last two are for the kernels of hw/pim/kernels.

// Fills `length` bytes of every DPU's heap from `offset` on with words below bounds[i] (i: the DPU's number in the
// set), as if the host had pushed them: the same simulated time, but no memory of this process. ringfort_pim_word()
// tells each.
dpu_error_t ringfort_pim_generate(struct dpu_set_t dpu_set, uint32_t offset, size_t length, uint64_t seed,
                                  const uint32_t* bounds);
uint32_t ringfort_pim_word(uint64_t seed, uint32_t dpu_index, uint32_t word_index, uint32_t bound);

// Carries out what DPUs have still to do natively. It would happen when somebody reads their memory; it takes no
// simulated time.
dpu_error_t ringfort_pim_settle(struct dpu_set_t dpu_set);

// Takes back the buffers that DPUs of the set were prepared with and that no push has used. Cannot fail; takes no
// simulated time.
void ringfort_pim_forget_xfer(struct dpu_set_t dpu_set);

// The host's simulated clock since the allocation; asynchronous work may end later (dpu_sync waits for it).
dpu_error_t ringfort_pim_clock_ms(struct dpu_set_t dpu_set, double* ms);
// When the set's ranks have done all that was begun on them, by the same clock.
dpu_error_t ringfort_pim_free_ms(struct dpu_set_t dpu_set, double* ms);
dpu_error_t ringfort_pim_event_count(struct dpu_set_t dpu_set, size_t* count);
dpu_error_t ringfort_pim_event(struct dpu_set_t dpu_set, size_t index, struct ringfort_pim_event_t* event);

#ifdef __cplusplus
}
#endif
