// SPDX-License-Identifier: Apache-2.0
// Kernels on 64-bit words in plain C, like those of the PrIM suite [GomezLuna22], without hints for the model. The
// constant KERNEL selects a kernel. KERNEL 1 sums all words. KERNEL 2 computes prefix sums, then adds `offset` to every
// word (scan-scan-add). KERNEL 3 first sums all words, then computes prefix sums (reduce-scan-scan). KERNEL 4 keeps the
// first word of each block, and the words that differ from the previous word. KERNEL 5 does the same without a barrier
// in each round: the handshakes of its tasklets form a ring. Tasklets take blocks of 1024 bytes in turn.
// hw/pim/README.md explains the terms.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>

#define BLOCK 1024
#define WORDS (BLOCK / 8)

BARRIER_INIT(all, NR_TASKLETS);

__host uint32_t bytes;  // size of the input, a multiple of 1024 NR_TASKLETS
__host int64_t offset;
__host uint32_t kept;
#if KERNEL >= 4
typedef uint32_t Sum;
#else
typedef int64_t Sum;
#endif
static Sum message[NR_TASKLETS + 1], total;

static void read_block(uint32_t at, int64_t* block) {
  mram_read((__mram_ptr void const*)((uint32_t)DPU_MRAM_HEAP_POINTER + at), block, BLOCK);
}
__attribute__((unused)) static void write_block(const int64_t* block, uint32_t at, uint32_t count) {
  mram_write(block, (__mram_ptr void*)((uint32_t)DPU_MRAM_HEAP_POINTER + bytes + at), count * 8);
}

__attribute__((noinline, unused)) static int64_t reduction(const int64_t* in) {
  int64_t sum = 0;
  for (unsigned int j = 0; j < WORDS; j++) sum += in[j];
  return sum;
}

__attribute__((noinline, unused)) static int64_t scan(int64_t* out, const int64_t* in) {
  out[0] = in[0];
#pragma unroll
  for (unsigned int j = 1; j < WORDS; j++) out[j] = out[j - 1] + in[j];
  return out[WORDS - 1];
}

__attribute__((noinline, unused)) static void add(int64_t* words, int64_t value) {
#pragma unroll
  for (unsigned int j = 0; j < WORDS; j++) words[j] += value;
}

__attribute__((noinline, unused)) static uint32_t unique(int64_t* out, const int64_t* in) {
  uint32_t position = 0;
  out[position++] = in[0];
#pragma unroll
  for (unsigned int j = 1; j < WORDS; j++) {
    if (in[j] != in[j - 1]) out[position++] = in[j];
  }
  return position;
}

// Receives the total of all earlier blocks, returns it, and passes the total plus `mine` to the next tasklet.
__attribute__((unused)) static Sum handshake_sync(Sum mine, unsigned int tasklet) {
  Sum before = total;
  if (tasklet != 0) {
    handshake_wait_for(tasklet - 1);
    before = message[tasklet];
  }
  message[tasklet + 1] = before + mine;
  if (tasklet < NR_TASKLETS - 1) handshake_notify();
  return before;
}

// Does the same without a barrier. In each round, each tasklet waits for the previous tasklet. In the first round,
// tasklet 0 does not wait.
__attribute__((unused)) static Sum ring_sync(Sum mine, unsigned int tasklet, uint32_t at) {
  if (at != 0) handshake_wait_for(tasklet != 0 ? tasklet - 1 : NR_TASKLETS - 1);
  const Sum before = total;
  total = before + mine;
  if (at + BLOCK < bytes) handshake_notify();
  return before;
}

__attribute__((unused)) static void end_of_round(unsigned int tasklet) {
  barrier_wait(&all);
  if (tasklet == NR_TASKLETS - 1) total = message[NR_TASKLETS];
}

int main(void) {
  const unsigned int tasklet = me();
  if (tasklet == 0) mem_reset(), total = 0;
  barrier_wait(&all);
  int64_t* in = mem_alloc(BLOCK);
  __attribute__((unused)) int64_t* out = mem_alloc(BLOCK);
#if KERNEL == 1 || KERNEL == 3
  int64_t sum = 0;
  for (uint32_t at = tasklet * BLOCK; at < bytes; at += BLOCK * NR_TASKLETS) {
    read_block(at, in);
    sum += reduction(in);
  }
  message[tasklet] = sum;
  barrier_wait(&all);
  if (tasklet == 0) {
    offset = 0;
    for (unsigned int t = 0; t < NR_TASKLETS; t++) offset += message[t];
  }
  barrier_wait(&all);
#endif
#if KERNEL == 2 || KERNEL == 3
  for (uint32_t at = tasklet * BLOCK; at < bytes; at += BLOCK * NR_TASKLETS) {
    read_block(at, in);
    const int64_t before = handshake_sync(scan(out, in), tasklet);
    end_of_round(tasklet);
    add(out, before);
    write_block(out, at, WORDS);
  }
#endif
#if KERNEL == 2
  barrier_wait(&all);
  for (uint32_t at = tasklet * BLOCK; at < bytes; at += BLOCK * NR_TASKLETS) {
    read_block(at + bytes, out);
    add(out, offset);
    write_block(out, at, WORDS);
  }
#endif
#if KERNEL == 4
  for (uint32_t at = tasklet * BLOCK; at < bytes; at += BLOCK * NR_TASKLETS) {
    read_block(at, in);
    const uint32_t count = unique(out, in);
    const uint32_t before = handshake_sync(count, tasklet);
    end_of_round(tasklet);
    write_block(out, before * 8, count);
  }
  barrier_wait(&all);
  if (tasklet == 0) kept = total;
#endif
#if KERNEL == 5
  for (uint32_t at = tasklet * BLOCK; at < bytes; at += BLOCK * NR_TASKLETS) {
    read_block(at, in);
    const uint32_t count = unique(out, in);
    write_block(out, ring_sync(count, tasklet, at) * 8, count);
  }
  barrier_wait(&all);
  if (tasklet == 0) kept = total;
#endif
  return 0;
}
