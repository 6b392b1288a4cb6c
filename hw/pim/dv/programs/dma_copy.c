// SPDX-License-Identifier: Apache-2.0
// A DPU program that copies MRAM to MRAM, in blocks that tasklets take in turn. The measurements in
// data/dma_hardware.json were made with such a loop. The block size is a compile-time constant, as in those
// measurements. hw/pim/README.md explains the terms.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

BARRIER_INIT(all, NR_TASKLETS)
__host uint32_t bytes, block, active;

__attribute__((always_inline)) static inline void copy(const uint32_t size) {
  uint8_t* buffer = mem_alloc(size);
  __mram_ptr uint8_t* from = DPU_MRAM_HEAP_POINTER;
  __mram_ptr uint8_t* to = from + bytes;
  const uint32_t step = active * size;
  for (uint32_t at = me() * size; at < bytes; at += step) {
    mram_read(from + at, buffer, size);
    mram_write(buffer, to + at, size);
  }
}

int main(void) {
  if (me() == 0) mem_reset();
  barrier_wait(&all);
  if (me() >= active) return 0;
  switch (block) {
    case 8: copy(8); break;
    case 16: copy(16); break;
    case 32: copy(32); break;
    case 64: copy(64); break;
    case 128: copy(128); break;
    case 256: copy(256); break;
    case 512: copy(512); break;
    case 1024: copy(1024); break;
    default: copy(2048);
  }
  return 0;
}
