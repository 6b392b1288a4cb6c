// SPDX-License-Identifier: Apache-2.0
// Simulated time of a system of DPUs: transfer and launch times of the profile, and the cycles of the DPUs. The host
// program's own time is not included. Not a part of the vendor's interface.
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
  uint64_t bytes;   // moved in total
  uint64_t cycles;  // cycles of the slowest DPU
  uint32_t ranks, dpus;
  // Number of DPUs of a launch that ran on the simulator. The others ran natively, with the time of a simulated DPU of
  // the same shape.
  uint32_t simulated;
  // launch: cycles are from the table of costs, because the program was built without a compiler for DPUs
  bool estimated;
};

// Keys of dpu_alloc's profile beyond the vendor's:
//   timing=NAME, chip=v1A|v1B, dpusPerRank=1..64
//   events=on|off          off: records no events, for systems that run long
//   cycles=N               the limit of a launch, 10^10 by default
//   dma=hardware|checked   checked: a transfer that breaks a rule of the DMA engine is a fault; hardware: it moves what
//                          the hardware would move
//   fidelity=full|shapes|once
// fidelity: "full" runs every DPU on the simulator. "shapes" runs one DPU of each shape (kernel, sizes, widths of
// moduli) and about one of a hundred others, four at most; these must agree with the native path in every byte. "once"
// does not repeat a shape that an earlier launch measured. The last two need the kernels of hw/pim/kernels.

// Fills `length` bytes of every DPU's heap from `offset` on with words below bounds[i] (i: the DPU's number in the
// set). This takes the simulated time of a push, but no memory of this process. ringfort_pim_word() returns each word.
dpu_error_t ringfort_pim_generate(struct dpu_set_t dpu_set, uint32_t offset, size_t length, uint64_t seed,
                                  const uint32_t* bounds);
uint32_t ringfort_pim_word(uint64_t seed, uint32_t dpu_index, uint32_t word_index, uint32_t bound);

// Runs all pending native launches, which otherwise run at the next read of a DPU's memory. Takes no simulated time.
dpu_error_t ringfort_pim_settle(struct dpu_set_t dpu_set);

// Clears those prepared buffers of the set that no push has used. Cannot fail; takes no simulated time.
void ringfort_pim_forget_xfer(struct dpu_set_t dpu_set);

// Returns the host's simulated clock since the allocation. Asynchronous work may end later (dpu_sync waits for it).
dpu_error_t ringfort_pim_clock_ms(struct dpu_set_t dpu_set, double* ms);
// Returns the time, by the same clock, at which the set's ranks finish all their work.
dpu_error_t ringfort_pim_free_ms(struct dpu_set_t dpu_set, double* ms);
// Return the number of actions (events) that the system has recorded, and the event `index`, from 0 on in the order of
// their recording.
dpu_error_t ringfort_pim_event_count(struct dpu_set_t dpu_set, size_t* count);
dpu_error_t ringfort_pim_event(struct dpu_set_t dpu_set, size_t index, struct ringfort_pim_event_t* event);

#ifdef __cplusplus
}
#endif
