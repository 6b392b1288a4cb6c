// SPDX-License-Identifier: Apache-2.0
// A host program in C11 that calls the functions of dpu.h. The build compiles it with -Werror, and host_test.cpp runs
// it.
#include "host_in_c.h"

#include <dpu.h>
#include <string.h>

enum { kWords = 64, kMostDpus = 128 };

static uint32_t in[kMostDpus][kWords], out[kMostDpus][kWords];

static int launch_all(struct dpu_set_t set, uint32_t dpus) {
  struct dpu_set_t dpu, rank;
  uint32_t each, ranks = 0, factor = 7;
  DPU_FOREACH(set, dpu, each) {
    for (uint32_t i = 0; i < kWords; i++) in[each][i] = each * 1000 + i;
    DPU_CHECK(dpu_prepare_xfer(dpu, in[each]), return 1);
  }
  DPU_CHECK(dpu_push_xfer(set, DPU_XFER_TO_DPU, "input", 0, sizeof(in[0]), DPU_XFER_DEFAULT), return 2);
  DPU_CHECK(dpu_broadcast_to(set, "factor", 0, &factor, sizeof(factor), DPU_XFER_DEFAULT), return 3);
  DPU_CHECK(dpu_launch(set, DPU_SYNCHRONOUS), return 4);
  DPU_RANK_FOREACH(set, rank) {
    ranks++;
    DPU_FOREACH(rank, dpu) { (void)dpu; }
  }
  DPU_FOREACH(set, dpu, each) DPU_CHECK(dpu_prepare_xfer(dpu, out[each]), return 5);
  DPU_CHECK(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "output", 0, sizeof(out[0]), DPU_XFER_DEFAULT), return 6);
  for (uint32_t d = 0; d < dpus; d++) {
    for (uint32_t i = 0; i < kWords; i++) {
      if (out[d][i] != in[d][i] * factor) return 7;
    }
  }
  return ranks == 2 ? 0 : 8;
}

int host_in_c(const char* program) {
  struct dpu_set_t set;
  uint32_t dpus;
  DPU_CHECK(dpu_alloc(100, "backend=simulator", &set), return 20);
  DPU_CHECK(dpu_load(set, program, NULL), return 21);
  DPU_CHECK(dpu_get_nr_dpus(set, &dpus), return 22);
  int result = dpus == 100 ? launch_all(set, dpus) : 23;
  DPU_CHECK(dpu_free(set), return 24);
  return result;
}
