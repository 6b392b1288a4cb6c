// SPDX-License-Identifier: Apache-2.0
// Functions that the vendor's interface does not have. They read the simulated time of a system of DPUs, fill memory,
// run pending launches (which the host has not yet computed) and clear prepared buffers. The simulated time of a
// transfer comes from a timing profile (data/profiles). The simulated time of a launch comes from the same profile and
// from the cycles of the DPUs. Simulated time does not include the time in which the host program computes.
// hw/pim/README.md explains the terms.
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
  uint64_t bytes;   // total number of bytes moved
  uint64_t cycles;  // cycles of the slowest DPU
  uint32_t ranks, dpus;
  // Number of DPUs of a launch that ran on the simulator. The host computed the results of the other DPUs with native
  // code; each of these takes the time of a simulated DPU with the same work (see fidelity). There is one exception: if
  // all DPUs are simulated and one reaches the cycle limit, the DPUs after it in the set do not run at all.
  uint32_t simulated;
  // true for a launch whose cycles are from the table of costs, because the program was built without a compiler for
  // DPUs
  bool estimated;
};

// Keys of dpu_alloc's profile that the vendor's SDK does not have:
//   timing=NAME, chip=v1A|v1B, dpusPerRank=1..64
//   events=on|off          off: the system records no events, which saves memory in long runs
//   cycles=N               the most cycles of a launch, 10^10 by default
//   dma=hardware|checked   for a transfer that breaks a rule of the DMA engine. hardware: the simulator moves the bytes
//                          that the hardware would move. checked: the transfer is a fault. hardware is the default.
//   fidelity=full|shapes|once
//
// fidelity=full runs every DPU on the simulator. A build without a compiler for DPUs ignores fidelity, and runs all
// DPUs natively. The shape of a DPU's work consists of the kernel, the sizes and the widths of moduli. In each launch,
// fidelity=shapes simulates one DPU of each shape. It also simulates about one in a hundred of the other DPUs, at most
// four. The bytes that a simulated DPU computes must be equal to those of the native path. fidelity=once does the same,
// but does not simulate a shape again that an earlier launch simulated. If a DPU has a program that is not in
// hw/pim/kernels, every DPU of the launch runs on the simulator.

// Fills `length` bytes of every DPU's heap, from `offset` on, with pseudorandom words of a seed. The words of DPU
// number i of the set are below bounds[i]. The call takes the simulated time of a push with its preparation. Reads
// compute the words again. Therefore the call takes memory of this process only for the two ends of the range, which
// may share a page with other data. ringfort_pim_word() returns a single word.
dpu_error_t ringfort_pim_generate(struct dpu_set_t dpu_set, uint32_t offset, size_t length, uint64_t seed,
                                  const uint32_t* bounds);
uint32_t ringfort_pim_word(uint64_t seed, uint32_t dpu_index, uint32_t word_index, uint32_t bound);

// Runs all pending native launches. Without this call, a pending launch of a DPU runs at the next access to the DPU's
// MRAM. Takes no simulated time.
dpu_error_t ringfort_pim_settle(struct dpu_set_t dpu_set);

// Clears the prepared buffers of the set that no push has used. Cannot fail, and takes no simulated time.
void ringfort_pim_forget_xfer(struct dpu_set_t dpu_set);

// Returns the host's simulated time since the allocation. Asynchronous work may end later than this time; dpu_sync
// waits for this work.
dpu_error_t ringfort_pim_clock_ms(struct dpu_set_t dpu_set, double* ms);
// Returns the simulated time at which the ranks of the set finish all their work.
dpu_error_t ringfort_pim_free_ms(struct dpu_set_t dpu_set, double* ms);
// Unless events=off, the system records an event for each action. These functions return the number of recorded events,
// and the event with number `index`. Events are numbered from 0, in the order of their recording.
dpu_error_t ringfort_pim_event_count(struct dpu_set_t dpu_set, size_t* count);
dpu_error_t ringfort_pim_event(struct dpu_set_t dpu_set, size_t index, struct ringfort_pim_event_t* event);

#ifdef __cplusplus
}
#endif
