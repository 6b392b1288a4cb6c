// SPDX-License-Identifier: Apache-2.0
// Our own kernels, like those of the PrIM suite [GomezLuna22]. The constant KERNEL selects a kernel. KERNEL 1 is a
// histogram: it counts 12-bit words in 256 bins per tasklet, with one product per word. KERNEL 2 keeps the even words
// of a vector of 64-bit words. KERNEL 3 sums all words of a vector of 64-bit words, and then computes their prefix
// sums. Tasklets take blocks of 1024 bytes in turn. In KERNEL 2 and 3, a chain of handshakes passes the total of the
// earlier blocks to each tasklet. hw/pim/README.md explains the terms.
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>

enum { kBlock = 1024, kBins = 256, kDepth = 12, kWords = kBlock / 8 };

#define HEAP ((__mram_ptr uint8_t*)DPU_MRAM_HEAP_POINTER)

BARRIER_INIT(all, NR_TASKLETS)

__host uint32_t bytes;  // size of the input, a multiple of 1024 NR_TASKLETS
__host uint32_t bins = kBins;
__host uint32_t kept;  // number of words that KERNEL 2 kept
__attribute__((unused)) static __dma_aligned uint8_t blocks[NR_TASKLETS][kBlock + 8], results[NR_TASKLETS][kBlock];

#if KERNEL == 1
static uint32_t counts[NR_TASKLETS][kBins];
__host uint32_t histogram[kBins];

static void work(uint32_t at) {
  const uint32_t* words = (const uint32_t*)blocks[me()];
  uint32_t* mine = counts[me()];
  mram_read(HEAP + at, blocks[me()], kBlock);
#pragma clang loop unroll(disable)
  for (uint32_t i = 0; i < kBlock / 4; i++) mine[(words[i] * bins) >> kDepth]++;
}

static void finish(void) {
  barrier_wait(&all);
  for (uint32_t bin = me(); bin < kBins; bin += NR_TASKLETS) {
    uint32_t sum = 0;
    for (uint32_t t = 0; t < NR_TASKLETS; t++) sum += counts[t][bin];
    histogram[bin] = sum;
  }
}
#else
static uint64_t before[NR_TASKLETS + 1];
static uint64_t total;

// Receives the total of all earlier blocks, returns it, and passes the total plus `mine` to the next tasklet.
static uint64_t told(uint64_t mine) {
  if (me() != 0) handshake_wait_for((sysname_t)(me() - 1));
  const uint64_t sum = me() == 0 ? total : before[me()];
  before[me() + 1] = sum + mine;
  if (me() != NR_TASKLETS - 1) handshake_notify();
  return sum;
}

static void end_of_round(void) {
  barrier_wait(&all);
  if (me() == NR_TASKLETS - 1) total = before[NR_TASKLETS];
  barrier_wait(&all);
}

#if KERNEL == 2
static uint32_t choose(void) {
  const uint64_t* in = (const uint64_t*)blocks[me()];
  uint64_t* out = (uint64_t*)results[me()];
  uint32_t count = 0;
#pragma clang loop unroll(disable)
  for (uint32_t i = 0; i < kWords; i++) {
    if (in[i] % 2 == 0) out[count++] = in[i];
  }
  return count;
}

static void work(uint32_t at) {
  mram_read(HEAP + at, blocks[me()], kBlock);
  const uint32_t count = choose(), position = (uint32_t)told(count);
  if (count != 0) mram_write(results[me()], HEAP + bytes + position * 8, count * 8);
  end_of_round();
}

static void finish(void) { kept = (uint32_t)total; }
#else
__host uint64_t sum_of_all;
static uint64_t sums[NR_TASKLETS];

// With `volatile`, the compiler accesses the two halves of a word together, as the DPU does.
static uint64_t scan(volatile uint64_t* words) {
  uint64_t sum = 0;
#pragma clang loop unroll_count(8)
  for (uint32_t i = 0; i < kWords; i++) words[i] = sum += words[i];
  return sum;
}

static void raise(volatile uint64_t* words, uint64_t by) {
#pragma clang loop unroll_count(8)
  for (uint32_t i = 0; i < kWords; i++) words[i] += by;
}

static uint64_t sum(const volatile uint64_t* words) {
  uint64_t sum = 0;
#pragma clang loop unroll_count(8)
  for (uint32_t i = 0; i < kWords; i++) sum += words[i];
  return sum;
}

static void add_all(void) {
  for (uint32_t at = me() * kBlock; at < bytes; at += NR_TASKLETS * kBlock) {
    mram_read(HEAP + at, blocks[me()], kBlock);
    sums[me()] += sum((const uint64_t*)blocks[me()]);
  }
  barrier_wait(&all);
  if (me() != 0) return;
  for (uint32_t t = 0; t < NR_TASKLETS; t++) sum_of_all += sums[t];
}

static void work(uint32_t at) {
  uint64_t* words = (uint64_t*)blocks[me()];
  if (at == me() * kBlock) add_all();
  mram_read(HEAP + at, blocks[me()], kBlock);
  raise(words, told(scan(words)));
  mram_write(blocks[me()], HEAP + bytes + at, kBlock);
  end_of_round();
}

static void finish(void) {}
#endif
#endif

int main(void) {
  for (uint32_t at = me() * kBlock; at < bytes; at += NR_TASKLETS * kBlock) work(at);
  finish();
  return 0;
}
