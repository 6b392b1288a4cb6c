// SPDX-License-Identifier: Apache-2.0
// Streaming kernels like those of the PrIM suite [GomezLuna22]. The constant KERNEL selects a kernel. KERNEL 1 adds two
// vectors of words. KERNEL 2 sums a vector of 64-bit words. KERNEL 3 copies 64-bit words within WRAM. Tasklets take
// blocks of 1024 bytes in turn. hw/pim/README.md explains the terms.
#include <barrier.h>
#include <defs.h>
#include <mram.h>

enum { kBlock = 1024 };

#define HEAP ((__mram_ptr uint8_t*)DPU_MRAM_HEAP_POINTER)

__host uint32_t bytes;  // bytes per vector
__host uint64_t sums[NR_TASKLETS];
__attribute__((unused)) static __dma_aligned uint8_t first[NR_TASKLETS][kBlock], second[NR_TASKLETS][kBlock];

#if KERNEL == 1
static void work(void) {
  uint32_t *a = (uint32_t*)first[me()], *b = (uint32_t*)second[me()];
#pragma clang loop unroll(disable)
  for (uint32_t i = 0; i < kBlock / 4; i++) b[i] += a[i];
}
#elif KERNEL == 2
static void work(void) {
  const uint64_t* a = (const uint64_t*)first[me()];
  uint64_t sum = 0;
#pragma clang loop unroll(disable)
  for (uint32_t i = 0; i < kBlock / 8; i++) sum += a[i];
  sums[me()] += sum;
}
#else
static void work(void) {
  const uint64_t* a = (const uint64_t*)first[me()];
  uint64_t* b = (uint64_t*)second[me()];
#pragma clang loop unroll_count(32)
  for (uint32_t i = 0; i < kBlock / 8; i++) ((volatile uint64_t*)b)[i] = ((const volatile uint64_t*)a)[i];
}
#endif

int main(void) {
  for (uint32_t at = me() * kBlock; at < bytes; at += NR_TASKLETS * kBlock) {
#if KERNEL != 3
    mram_read(HEAP + at, first[me()], kBlock);
#endif
#if KERNEL == 1
    mram_read(HEAP + bytes + at, second[me()], kBlock);
#endif
    work();
#if KERNEL == 1
    mram_write(second[me()], HEAP + bytes + at, kBlock);
#endif
  }
  return 0;
}
