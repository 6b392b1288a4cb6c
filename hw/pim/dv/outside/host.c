// SPDX-License-Identifier: Apache-2.0
// A host program in C that uses only functions of the vendor's SDK. A test compiles it like the program of a project
// outside this repository. With an argument, the program does not free its DPUs. hw/pim/README.md explains the terms.
#include <dpu.h>
#include <dpu_log.h>
#include <stdint.h>
#include <stdio.h>

#ifndef DPU_BINARY
#define DPU_BINARY "./program"
#endif
enum { kDpus = 70, kWords = 4096 };

static uint32_t data[kDpus][kWords];

int main(int count, char** values) {
  struct dpu_set_t set, dpu;
  uint32_t words = kWords, each, wrong = 0;
  (void)values;
  for (uint32_t d = 0; d < kDpus; d++) {
    for (uint32_t i = 0; i < kWords; i++) data[d][i] = d * 1000003u + i;
  }
  DPU_ASSERT(dpu_alloc(kDpus, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_broadcast_to(set, "words", 0, &words, sizeof words, DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, each) DPU_ASSERT(dpu_prepare_xfer(dpu, data[each]));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, sizeof data[0], DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, each) DPU_ASSERT(dpu_prepare_xfer(dpu, data[each]));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, sizeof data[0], DPU_XFER_DEFAULT));
  for (uint32_t d = 0; d < kDpus; d++) {
    for (uint32_t i = 0; i < kWords; i++) wrong += data[d][i] != d * 1000003u + i + 1;
  }
  if (count == 1) DPU_ASSERT(dpu_free(set));
  printf("%u words are wrong\n", (unsigned)wrong);
  return wrong != 0;
}
