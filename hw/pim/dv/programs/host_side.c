// SPDX-License-Identifier: Apache-2.0
// A DPU program for tests of the functions of dpu.h. It computes output = input * factor, counts launches, prints a
// line, and faults on request. hw/pim/README.md explains the terms.
#include <assert.h>
#include <defs.h>
#include <mram.h>
#include <stdio.h>

enum { kWords = 64 };

__host uint32_t factor = 3;
__host uint32_t launches;
__host uint32_t broken;
__mram_noinit uint32_t input[kWords];
__mram_noinit uint32_t output[kWords];
__mram_keep uint32_t kept[2];  // the program does not use it
__mram_noinit_keep uint32_t spare[2];

int main(void) {
  static __dma_aligned uint32_t words[kWords];
  if (me() != 0) return 0;
  assert(broken == 0);  // line: broken
  mram_read(input, words, sizeof(words));
  for (uint32_t i = 0; i < kWords; i++) words[i] *= factor;
  mram_write(words, output, sizeof(words));
  printf("launch %u\n", ++launches);
  return 0;
}
