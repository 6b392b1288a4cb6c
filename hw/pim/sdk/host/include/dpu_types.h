// SPDX-License-Identifier: Apache-2.0
// Types of the functions of dpu.h. Sets of DPUs are small values. Ranks, DPUs and programs are handles.
// hw/pim/README.md explains the terms.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dpu_error.h"

struct dpu_t;
struct dpu_rank_t;
struct dpu_program_t;

typedef enum dpu_set_kind_t { DPU_SET_RANKS, DPU_SET_DPU } dpu_set_kind_t;

struct dpu_set_t {
  dpu_set_kind_t kind;
  struct {
    uint32_t nr_ranks;
    struct dpu_rank_t** ranks;
  } list;
  struct dpu_t* dpu;
};

struct dpu_symbol_t {
  uint32_t address;
  uint32_t size;
};

struct dpu_incbin_t {
  uint8_t* buffer;
  size_t size;
  const char* path;
};

typedef enum dpu_launch_policy_t { DPU_ASYNCHRONOUS, DPU_SYNCHRONOUS } dpu_launch_policy_t;
typedef enum dpu_xfer_t { DPU_XFER_TO_DPU, DPU_XFER_FROM_DPU } dpu_xfer_t;

typedef enum dpu_xfer_flags_t {
  DPU_XFER_DEFAULT = 0,  // clears the prepared buffers after the transfer
  DPU_XFER_NO_RESET = 1,
  DPU_XFER_ASYNC = 2,
  DPU_XFER_PARALLEL = 4  // WRAM only
} dpu_xfer_flags_t;

typedef enum dpu_sg_xfer_flags_t {
  DPU_SG_XFER_DEFAULT = 0,
  DPU_SG_XFER_ASYNC = 1,
  DPU_SG_XFER_DISABLE_LENGTH_CHECK = 2
} dpu_sg_xfer_flags_t;

typedef enum dpu_callback_flags_t {
  DPU_CALLBACK_DEFAULT = 0,
  DPU_CALLBACK_ASYNC = 1,
  DPU_CALLBACK_NONBLOCKING = 2,
  DPU_CALLBACK_SINGLE_CALL = 4  // one call for the set instead of one call per rank
} dpu_callback_flags_t;

struct sg_block_info {
  uint8_t* addr;
  uint32_t length;
};

// Writes block `block_index` of DPU `dpu_index` to `out`. Returns false after the last block.
typedef bool (*get_block_func_t)(struct sg_block_info* out, uint32_t dpu_index, uint32_t block_index, void* args);

typedef struct get_block_t {
  get_block_func_t f;
  void* args;
  size_t args_size;
} get_block_t;
