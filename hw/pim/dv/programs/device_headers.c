// SPDX-License-Identifier: Apache-2.0
// A DPU program that uses seqread.h, mram_unaligned.h, mutex_pool.h, vmutex.h and the two performance counters. The
// host checks the results. hw/pim/README.md explains the terms.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mram_unaligned.h>
#include <mutex_pool.h>
#include <perfcounter.h>
#include <string.h>
#include <vmutex.h>

#define SEQREAD_CACHE_SIZE 32
#include <seqread.h>

enum { kBytes = 700, kRecord = 13, kTurns = 20, kCells = 64 };

BARRIER_INIT(all, NR_TASKLETS)
MUTEX_POOL_INIT(pool, 4)
VMUTEX_INIT(cells, kCells, 2)

// both: use the two counters at the same time; skew: misalignment of the source of a write
__host uint32_t both, skew;
__host uint32_t first, step;  // start and step of the sequential read
__host uint32_t mixed, told;  // mixed: a hash of the bytes of the stream; told: the final address, minus the heap's
__host uint32_t counts[kCells], pooled[8];
__host uint64_t cycles, instructions;
__mram_noinit uint8_t records[NR_TASKLETS * kRecord + 8];
__mram_noinit int total;
__mram_noinit uint8_t flags[NR_TASKLETS + 8];

static void read_in_order(void) {
  __mram_ptr uint8_t* heap = DPU_MRAM_HEAP_POINTER;
  seqreader_t reader;
  uint8_t* byte = seqread_init(seqread_alloc(), heap + first, &reader);
  mixed = 0;
  for (uint32_t i = 0; i < kBytes; i++) {
    mixed = mixed * 31 + *byte;
    byte = seqread_get(byte, step, &reader);
  }
  told = (uint32_t)((uintptr_t)seqread_tell(byte, &reader) - (uintptr_t)heap);
  byte = seqread_seek(heap + first, &reader);
  mixed = mixed * 31 + *byte;
}

static void write_record(void) {
  __dma_aligned uint8_t buffer[kRecord + 24];
  __mram_ptr uint8_t* to = records + me() * kRecord;
  uint8_t* from = buffer + ((uintptr_t)to + skew) % 8;
  for (uint32_t i = 0; i < kRecord; i++) from[i] = (uint8_t)(me() * 16 + i);
  mram_write_unaligned(from, to, kRecord);
  uint8_t* back = mram_read_unaligned(to, buffer, kRecord);
  for (uint32_t i = 0; i < kRecord; i++) {
    if (back[i] != me() * 16 + i) mram_write_byte_atomic(flags + me(), 0xff);
  }
}

static void add_id(int* value, void* unused) {
  (void)unused;
  *value += me() + 1;
}

static void count(volatile uint32_t* cell) {
  uint32_t seen = *cell;
  *cell = seen + 1;
}

static void count_under_locks(void) {
  for (uint16_t turn = 0; turn < kTurns; turn++) {
    mram_update_int_atomic(&total, add_id, 0);
    for (uint16_t cell = turn % 2; cell < kCells; cell += 8) {
      vmutex_lock(&cells, cell);
      count(counts + cell);
      vmutex_unlock(&cells, cell);
    }
    mutex_pool_lock(&pool, turn % 8);
    count(pooled + turn % 8);
    mutex_pool_unlock(&pool, turn % 8);
  }
}

int main(void) {
  if (me() == 0) {
    mem_reset();
    mram_write_int_atomic(&total, 1000);
    if (both) perfcounter_config(COUNT_ENABLE_BOTH, true);
    read_in_order();
  }
  mram_write_byte_atomic(flags + me(), me());
  barrier_wait(&all);
  write_record();
  count_under_locks();
  barrier_wait(&all);
  if (me() != 0 || !both) return 0;
  perfcounter_pair_t now = perfcounter_get_both(true);
  cycles = now.cycles;
  instructions = now.instr;
  if (perfcounter_get_both(false).cycles >= now.cycles) cycles = 0;
  return 0;
}
