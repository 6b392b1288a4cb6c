// SPDX-License-Identifier: Apache-2.0
// DPU programs in the style of public programs for the vendor's SDK. The constant KERNEL selects a program. KERNEL 1
// adds vectors. KERNEL 2 sums a vector with a tree of handshakes. KERNEL 3 computes prefix sums with a chain of
// handshakes. KERNEL 4 computes a histogram with one mutex per bin. KERNEL 5 computes one step of a breadth-first
// search with a pool of mutexes; its MRAM addresses are offsets. KERNEL 6 sums the words of a stream that seqread.h
// reads. KERNEL 7 multiplies a matrix of floats by a vector. hw/pim/README.md explains the terms.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>
#include <mutex.h>
#include <mutex_pool.h>
#include <perfcounter.h>
#include <seqread.h>
#include <stdint.h>
#include <stdio.h>

#define BLOCK 256

BARRIER_INIT(my_barrier, NR_TASKLETS);

__host struct {
  uint32_t size;  // number of bytes; for KERNEL 5 and 7, number of rows
  uint32_t width;
} arguments;
__host int64_t result;
__host uint64_t cycles;

// Returns the number of bytes of the block that begins at offset `at`. The last block may be short.
__attribute__((unused)) static uint32_t bytes_at(uint32_t at) {
  return at + BLOCK >= arguments.size ? arguments.size - at : BLOCK;
}

#if KERNEL == 1
static void kernel(unsigned int tasklet_id) {
  const uint32_t base = (uint32_t)DPU_MRAM_HEAP_POINTER;
  int32_t *a = mem_alloc(BLOCK), *b = mem_alloc(BLOCK);
  for (uint32_t at = tasklet_id * BLOCK; at < arguments.size; at += BLOCK * NR_TASKLETS) {
    const uint32_t bytes = bytes_at(at);
    mram_read((__mram_ptr void const*)(base + at), a, bytes);
    mram_read((__mram_ptr void const*)(base + arguments.size + at), b, bytes);
    for (unsigned int i = 0; i < bytes / sizeof(int32_t); i++) b[i] += a[i];
    mram_write(b, (__mram_ptr void*)(base + arguments.size + at), bytes);
  }
}
#elif KERNEL == 2 || KERNEL == 3
static int64_t message[NR_TASKLETS];

static int64_t sum_of(const int64_t* words, uint32_t bytes) {
  int64_t sum = 0;
  for (unsigned int i = 0; i < bytes / sizeof(int64_t); i++) sum += words[i];
  return sum;
}
#if KERNEL == 2
static void kernel(unsigned int tasklet_id) {
  const uint32_t base = (uint32_t)DPU_MRAM_HEAP_POINTER;
  int64_t* words = mem_alloc(BLOCK);
  message[tasklet_id] = 0;
  for (uint32_t at = tasklet_id * BLOCK; at < arguments.size; at += BLOCK * NR_TASKLETS) {
    mram_read((__mram_ptr void const*)(base + at), words, bytes_at(at));
    message[tasklet_id] += sum_of(words, bytes_at(at));
  }
  for (unsigned int offset = 1; offset < NR_TASKLETS; offset <<= 1) {
    if ((tasklet_id & (2 * offset - 1)) == 0) {
      if (tasklet_id + offset < NR_TASKLETS) {
        handshake_wait_for(tasklet_id + offset);
        message[tasklet_id] += message[tasklet_id + offset];
      }
    } else {
      handshake_notify();
      break;
    }
  }
  if (tasklet_id == 0) result = message[0];
}
#else
static int64_t carried;

static int64_t handshake_sync(int64_t mine, unsigned int tasklet_id) {
  int64_t before = carried;
  if (tasklet_id != 0) {
    handshake_wait_for(tasklet_id - 1);
    before = message[tasklet_id - 1];
  }
  message[tasklet_id] = before + mine;
  if (tasklet_id < NR_TASKLETS - 1) handshake_notify();
  return before;
}

// arguments.size is a multiple of NR_TASKLETS blocks.
static void kernel(unsigned int tasklet_id) {
  const uint32_t base = (uint32_t)DPU_MRAM_HEAP_POINTER;
  int64_t* words = mem_alloc(BLOCK);
  for (uint32_t at = tasklet_id * BLOCK; at < arguments.size; at += BLOCK * NR_TASKLETS) {
    mram_read((__mram_ptr void const*)(base + at), words, BLOCK);
    int64_t before = handshake_sync(sum_of(words, BLOCK), tasklet_id);
    for (unsigned int i = 0; i < BLOCK / sizeof(int64_t); i++) words[i] = before += words[i];
    mram_write(words, (__mram_ptr void*)(base + arguments.size + at), BLOCK);
    barrier_wait(&my_barrier);
    if (tasklet_id == NR_TASKLETS - 1) carried = message[tasklet_id];
    barrier_wait(&my_barrier);
  }
}
#endif
#elif KERNEL == 4
#define BINS 32
__host uint32_t histogram[BINS];
uint8_t __atomic_bit bin_locks[BINS];

static void kernel(unsigned int tasklet_id) {
  const uint32_t base = (uint32_t)DPU_MRAM_HEAP_POINTER;
  uint32_t* words = mem_alloc(BLOCK);
  for (uint32_t at = tasklet_id * BLOCK; at < arguments.size; at += BLOCK * NR_TASKLETS) {
    mram_read((__mram_ptr void const*)(base + at), words, bytes_at(at));
    for (unsigned int i = 0; i < bytes_at(at) / sizeof(uint32_t); i++) {
      const uint32_t bin = words[i] * BINS >> 12;
      mutex_lock(&bin_locks[bin]);
      histogram[bin]++;
      mutex_unlock(&bin_locks[bin]);
    }
  }
}
#elif KERNEL == 5
MUTEX_POOL_INIT(node_locks, 16);

// The host gives offsets from the start of MRAM. MRAM has rows of `width` neighbours, and then a bit set of visited
// nodes.
static void kernel(unsigned int tasklet_id) {
  uint32_t* row = mem_alloc(arguments.width * 4);
  uint64_t* cell = mem_alloc(8);
  const uint32_t rows = (uint32_t)DPU_MRAM_HEAP_POINTER & 0x3ffffff,
                 visited = rows + arguments.size * arguments.width * 4;
  for (uint32_t node = tasklet_id; node < arguments.size; node += NR_TASKLETS) {
    mram_read((__mram_ptr void const*)(rows + node * arguments.width * 4), row, arguments.width * 4);
    for (uint32_t i = 0; i < arguments.width; i++) {
      const uint32_t next = row[i];
      mutex_pool_lock(&node_locks, (uint16_t)(next / 64));
      // the hardware ignores the low bits of the address
      mram_read((__mram_ptr void const*)(visited + next / 8), cell, 8);
      *cell |= 1ull << next % 64;
      mram_write(cell, (__mram_ptr void*)(visited + next / 8), 8);
      mutex_pool_unlock(&node_locks, (uint16_t)(next / 64));
    }
  }
}
#elif KERNEL == 6
static int64_t sums[NR_TASKLETS];

static void kernel(unsigned int tasklet_id) {
  const uint32_t share = arguments.size / NR_TASKLETS;
  seqreader_t reader;
  int32_t* word =
      seqread_init(seqread_alloc(), (__mram_ptr uint8_t*)DPU_MRAM_HEAP_POINTER + tasklet_id * share, &reader);
  sums[tasklet_id] = 0;
  for (uint32_t i = 0; i < share / 4; i++) {
    sums[tasklet_id] += *word;
    word = seqread_get(word, sizeof *word, &reader);
  }
  barrier_wait(&my_barrier);
  if (tasklet_id != 0) return;
  result = 0;
  for (uint32_t t = 0; t < NR_TASKLETS; t++) result += sums[t];
}
#else
// MRAM has the rows of the matrix, then the vector, then the products. All are floats. `width` is even.
static void kernel(unsigned int tasklet_id) {
  const uint32_t row_bytes = arguments.width * sizeof(float), base = (uint32_t)DPU_MRAM_HEAP_POINTER;
  const uint32_t vector = base + arguments.size * row_bytes, products = vector + row_bytes;
  float *row = mem_alloc(row_bytes), *x = mem_alloc(row_bytes), *pair = mem_alloc(8);
  mram_read((__mram_ptr void const*)vector, x, row_bytes);
  for (uint32_t r = 2 * tasklet_id; r < arguments.size; r += 2 * NR_TASKLETS) {
    for (int half = 0; half < 2; half++) {
      mram_read((__mram_ptr void const*)(base + (r + half) * row_bytes), row, row_bytes);
      float sum = 0;
      double exact = 0;
      for (uint32_t i = 0; i < arguments.width; i++) sum += row[i] * x[i], exact += (double)row[i] * x[i];
      pair[half] = (float)exact == sum || exact - sum < 1e-3 ? sum : -1;
    }
    mram_write(pair, (__mram_ptr void*)(products + r * sizeof(float)), 8);
  }
}
#endif

int main(void) {
  const unsigned int tasklet_id = me();
  if (tasklet_id == 0) {
    mem_reset();
    perfcounter_config(COUNT_CYCLES, true);
  }
  barrier_wait(&my_barrier);
  kernel(tasklet_id);
  barrier_wait(&my_barrier);
  if (tasklet_id == 0) cycles = perfcounter_get();
  return 0;
}
