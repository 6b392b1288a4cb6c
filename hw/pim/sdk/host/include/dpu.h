// SPDX-License-Identifier: Apache-2.0
// The functions by which a host program controls DPUs, with the vendor's names and rules. Here the DPUs and the time
// are simulated; the functions of ringfort_pim.h read the simulated clock. Only one host thread at a time may call
// these functions. Sizes and offsets are multiples of 4 in WRAM, and multiples of 8 in MRAM. hw/pim/README.md explains
// the terms.
#pragma once

#include <limits.h>

#include "dpu_error.h"
#include "dpu_log.h"
#include "dpu_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DPU_ALLOCATE_ALL UINT_MAX
#define DPU_MRAM_HEAP_POINTER_NAME "__sys_used_mram_end"

// Allocates DPUs. `profile` is NULL or "key=value,...". The vendor's keys are backend=simulator, sgXferEnable,
// sgXferMaxBlocksPerDpu, nrThreadsPerRank, nrThreadPerPool and nrJobsPerRank. This simulator has more keys, which
// ringfort_pim.h lists. Three of them are timing (a profile of data/profiles), chip (v1A or v1B) and dpusPerRank (1 to
// 64, for systems with disabled DPUs).
dpu_error_t dpu_alloc(uint32_t nr_dpus, const char* profile, struct dpu_set_t* dpu_set);
dpu_error_t dpu_alloc_ranks(uint32_t nr_ranks, const char* profile, struct dpu_set_t* dpu_set);
dpu_error_t dpu_free(struct dpu_set_t dpu_set);
dpu_error_t dpu_get_nr_ranks(struct dpu_set_t dpu_set, uint32_t* nr_ranks);
dpu_error_t dpu_get_nr_dpus(struct dpu_set_t dpu_set, uint32_t* nr_dpus);

dpu_error_t dpu_load(struct dpu_set_t dpu_set, const char* binary_path, struct dpu_program_t** program);
dpu_error_t dpu_load_from_memory(struct dpu_set_t dpu_set, uint8_t* buffer, size_t size,
                                 struct dpu_program_t** program);
dpu_error_t dpu_load_from_incbin(struct dpu_set_t dpu_set, struct dpu_incbin_t* incbin, struct dpu_program_t** program);
dpu_error_t dpu_get_symbol(struct dpu_program_t* program, const char* symbol_name, struct dpu_symbol_t* symbol);

// Runs the loaded program on every DPU of the set. Variables of a program keep their values between launches. If a DPU
// faults, a synchronous launch returns DPU_ERR_DPU_FAULT. After an asynchronous launch, dpu_sync returns this error.
// dpu_error_to_string then also names the source line of the DPU program that faulted, if it is known.
dpu_error_t dpu_launch(struct dpu_set_t dpu_set, dpu_launch_policy_t policy);
dpu_error_t dpu_status(struct dpu_set_t dpu_set, bool* done, bool* fault);
dpu_error_t dpu_sync(struct dpu_set_t dpu_set);

// dpu_copy_to copies a buffer to every DPU of the set. dpu_copy_from copies from a single DPU. While an asynchronous
// launch runs, these copies to or from MRAM fail with DPU_ERR_MRAM_BUSY.
dpu_error_t dpu_copy_to(struct dpu_set_t dpu_set, const char* symbol_name, uint32_t symbol_offset, const void* src,
                        size_t length);
dpu_error_t dpu_copy_from(struct dpu_set_t dpu_set, const char* symbol_name, uint32_t symbol_offset, void* dst,
                          size_t length);
dpu_error_t dpu_copy_to_symbol(struct dpu_set_t dpu_set, struct dpu_symbol_t symbol, uint32_t symbol_offset,
                               const void* src, size_t length);
dpu_error_t dpu_copy_from_symbol(struct dpu_set_t dpu_set, struct dpu_symbol_t symbol, uint32_t symbol_offset,
                                 void* dst, size_t length);

// dpu_prepare_xfer assigns a buffer to each DPU of a set. dpu_push_xfer then moves all buffers at once. It skips DPUs
// without a buffer.
dpu_error_t dpu_prepare_xfer(struct dpu_set_t dpu_set, void* buffer);
dpu_error_t dpu_push_xfer(struct dpu_set_t dpu_set, dpu_xfer_t xfer, const char* symbol_name, uint32_t symbol_offset,
                          size_t length, dpu_xfer_flags_t flags);
dpu_error_t dpu_push_xfer_symbol(struct dpu_set_t dpu_set, dpu_xfer_t xfer, struct dpu_symbol_t symbol,
                                 uint32_t symbol_offset, size_t length, dpu_xfer_flags_t flags);
dpu_error_t dpu_broadcast_to(struct dpu_set_t dpu_set, const char* symbol_name, uint32_t symbol_offset, const void* src,
                             size_t length, dpu_xfer_flags_t flags);
dpu_error_t dpu_broadcast_to_symbol(struct dpu_set_t dpu_set, struct dpu_symbol_t symbol, uint32_t symbol_offset,
                                    const void* src, size_t length, dpu_xfer_flags_t flags);
dpu_error_t dpu_push_sg_xfer(struct dpu_set_t dpu_set, dpu_xfer_t xfer, const char* symbol_name, uint32_t symbol_offset,
                             size_t length, get_block_t* get_block, dpu_sg_xfer_flags_t flags);

dpu_error_t dpu_callback(struct dpu_set_t dpu_set,
                         dpu_error_t (*callback)(struct dpu_set_t dpu_set, uint32_t rank_id, void* arg), void* args,
                         dpu_callback_flags_t flags);

// Loops. DPU_FOREACH(set, dpu) and DPU_FOREACH(set, dpu, index) iterate over the enabled DPUs of a set.
// DPU_RANK_FOREACH iterates over the ranks of a set.
struct dpu_set_iterator_t {
  struct dpu_set_t set, next;
  uint32_t rank, dpu, count;
  bool has_next;
};
struct dpu_set_iterator_t dpu_set_dpu_iterator_from(struct dpu_set_t* set);
struct dpu_set_iterator_t dpu_set_rank_iterator_from(struct dpu_set_t* set);
void dpu_set_dpu_iterator_next(struct dpu_set_iterator_t* iterator);
void dpu_set_rank_iterator_next(struct dpu_set_iterator_t* iterator);

#define DPU_LOOP_2_(kind, set, one)                                                  \
  for (struct dpu_set_iterator_t dpu_loop_ = dpu_set_##kind##_iterator_from(&(set)); \
       dpu_loop_.has_next && ((one) = dpu_loop_.next, true); dpu_set_##kind##_iterator_next(&dpu_loop_))
#define DPU_LOOP_3_(kind, set, one, index)                                              \
  for (struct dpu_set_iterator_t dpu_loop_ = dpu_set_##kind##_iterator_from(&(set));    \
       dpu_loop_.has_next && ((one) = dpu_loop_.next, (index) = dpu_loop_.count, true); \
       dpu_set_##kind##_iterator_next(&dpu_loop_))
#define DPU_LOOP_CHOICE_(a, b, c, choice, ...) choice
#define DPU_FOREACH(...) DPU_LOOP_CHOICE_(__VA_ARGS__, DPU_LOOP_3_, DPU_LOOP_2_, 0)(dpu, __VA_ARGS__)
#define DPU_RANK_FOREACH(...) DPU_LOOP_CHOICE_(__VA_ARGS__, DPU_LOOP_3_, DPU_LOOP_2_, 0)(rank, __VA_ARGS__)

// Includes a DPU program in the executable of the host program, for dpu_load_from_incbin(set, &name, NULL). The
// assembler computes the size of the program from two labels, because the size of a file is not a constant in C.
#define DPU_INCBIN(name, file)                                                                          \
  __asm__(".pushsection .data\n.balign 8\n.globl " #name "\n" #name                                     \
          ": .quad 1f\n.quad 2f - 1f\n.quad 3f\n1: .incbin \"" file "\"\n2: .byte 0\n3: .asciz \"" file \
          "\"\n.popsection\n");                                                                         \
  extern struct dpu_incbin_t name;

#ifdef __cplusplus
}
#endif
