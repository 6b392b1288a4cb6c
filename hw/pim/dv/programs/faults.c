// SPDX-License-Identifier: Apache-2.0
// A DPU program whose last tasklet breaks one rule of the machine in each launch. The host selects the rule. A comment
// marks the line that breaks the rule, so that the test finds this line. hw/pim/README.md explains the terms.
#include <alloc.h>
#include <assert.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>

BARRIER_INIT(too_many, NR_TASKLETS + 1)
MUTEX_INIT(lock);
__host uint32_t which;
__host uint32_t zero;
__host uint64_t wide;
static __dma_aligned uint8_t buffer[4096];

static uint32_t deep(uint32_t depth) {
  volatile uint32_t space[64];
  space[depth % 64] = depth;
  return depth == 0 ? 0 : deep(depth - 1) + space[depth % 64];  // line: stack_overflow
}

int main(void) {
  if (me() != NR_TASKLETS - 1) return 0;
  __mram_ptr uint8_t* mram = DPU_MRAM_HEAP_POINTER;
  if (which == 1) mram_read(mram, buffer, 2056);                          // line: dma_size
  if (which == 2) mram_write(buffer, mram + 8, 12 + zero);                // line: dma_size_variable
  if (which == 3) mram_read(mram + 4, buffer, 16);                        // line: dma_alignment
  if (which == 4) mram_read(mram, (void*)(uintptr_t)0xff80, 256);         // line: dma_range
  if (which == 5) buffer[0] = *(volatile uint8_t*)(uintptr_t)0x08000000;  // line: mram_dereference
  if (which == 6) *(volatile uint32_t*)(uintptr_t)(0x10000 + zero) = 1;   // line: wram_access
  if (which == 7) *(volatile uint32_t*)(uintptr_t)(0x42 + zero) = 1;      // line: unaligned
  if (which == 8) buffer[0] = (uint8_t)deep(1000);
  if (which == 9) ((uint8_t*)mem_alloc(65536))[0] = 1;
  if (which == 10) barrier_wait(&too_many);
  if (which == 11) assert(zero != 0);                                   // line: assertion
  if (which == 12) ((void (*)(void))(uintptr_t)(0x80100000 + zero))();  // line: iram_access
  if (which == 13) __asm__ volatile(".word 0xffffffff");                // line: instruction
  if (which == 14) mutex_lock((mutex_id_t)(uintptr_t)0xF0000040);       // line: atomic_bit
  if (which == 15) {
    mutex_lock(lock);
    mutex_lock(lock);  // line: self_deadlock
  }
  if (which == 16) which = 7 / zero;                 // line: division
  if (which == 17) which = (uint32_t)(wide % zero);  // line: division64
  if (which == 18) {
    for (;;) *(volatile uint32_t*)&which = 18;  // line: endless
  }
  const uint32_t last = 0xfffc + zero;  // the last word of WRAM; the second word of each pair is beyond the end
  if (which == 19) __asm__ volatile("lw t0, 0(%0)\n lw t1, 4(%0)" ::"r"(last) : "t0", "t1");  // line: load_pair
  if (which == 20) __asm__ volatile("sw x0, 0(%0)\n sw x0, 4(%0)" ::"r"(last) : "memory");    // line: store_pair
  return 0;
}
