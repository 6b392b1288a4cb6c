// SPDX-License-Identifier: Apache-2.0
// A DPU program that adds one to every word. A test compiles it like the program of a project outside this repository.
// hw/pim/README.md explains the terms.
#include <alloc.h>
#include <defs.h>
#include <mram.h>
#include <stdint.h>

#define BLOCK 512

__host uint32_t words;

int main(void) {
  const uint32_t base = (uint32_t)DPU_MRAM_HEAP_POINTER;
  static __dma_aligned uint32_t blocks[NR_TASKLETS][BLOCK / 4];
  uint32_t* block = blocks[me()];
  for (uint32_t at = me() * BLOCK; at < words * 4; at += NR_TASKLETS * BLOCK) {
    mram_read((__mram_ptr void const*)(base + at), block, BLOCK);
    for (uint32_t i = 0; i < BLOCK / 4; i++) block[i]++;
    mram_write(block, (__mram_ptr void*)(base + at), BLOCK);
  }
  return 0;
}
