// SPDX-License-Identifier: Apache-2.0
// Schoolbook convolution, 64 results at a time: they gather a[I] b[K - I] over all blocks I of a, from a window of two
// blocks of b, negated where the index wraps. For q = 2^16 + 1 the words have 16 bits but for the residue 2^16 itself; blocks
// that hold it go the way of other primes.
#include "convolve.h"

#include <defs.h>
#include <mram.h>

#include "modular.h"

enum { kBlock = kConvolveBlock, kShortPrime = 65537 };

__host struct ConvolveArguments arguments;

// A block of a, two of b, and the results.
struct Work {
  uint32_t a[kBlock], window[2 * kBlock], out[kBlock];
};
static __dma_aligned struct Work works[NR_TASKLETS];

// Block `index` of b, for an index from -n/64 on; 1 where it holds 2^16.
static uint32_t read_window(uint32_t *to, int32_t index) {
  const uint32_t q = arguments.q, wraps = index < 0;
  const uint32_t first = (uint32_t)index * kBlock + (wraps ? arguments.words : 0);
  mram_read((__mram_ptr void *)(uintptr_t)((uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + arguments.b + first * 4), to, kBlock * 4);
  uint32_t all = 0;
  for (uint32_t i = 0; i < kBlock; i++) {
    if (wraps && to[i] != 0) to[i] = q - to[i];
    all |= to[i];
  }
  return all >> 16;
}

static uint32_t read_a(uint32_t *to, uint32_t index) {
  mram_read((__mram_ptr void *)(uintptr_t)((uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + arguments.a + index * kBlock * 4), to, kBlock * 4);
  uint32_t all = 0;
  for (uint32_t i = 0; i < kBlock; i++) all |= to[i];
  return all >> 16;
}

// A sum of products of 16-bit words modulo 2^16 + 1: 2^16 is -1 there. Digits at even places count plus, the others minus.
static uint32_t reduce_short(uint64_t sum) {
  const uint32_t low = (uint32_t)sum, high = (uint32_t)(sum >> 32);
  const uint32_t plus = (low & 0xffff) + (high & 0xffff), minus = (low >> 16) + (high >> 16);
  const uint32_t difference = plus + 2 * kShortPrime - minus;
  return reduce_once(reduce_once(reduce_once(difference, 2 * kShortPrime), kShortPrime), kShortPrime);
}

__attribute__((always_inline)) static inline uint64_t four_products(uint64_t sum, const uint32_t *a, const uint32_t *b) {
  sum += product_16(a[0], b[0]);
  sum += product_16(a[1], b[-1]);
  sum += product_16(a[2], b[-2]);
  return sum + product_16(a[3], b[-3]);
}

__attribute__((noinline)) static void gather_short(struct Work *work) {
  for (uint32_t k = 0; k < kBlock; k++) {
    uint64_t sum = 0;
    const uint32_t *b = work->window + kBlock + k;
    for (const uint32_t *a = work->a, *end = a + kBlock; a < end; a += 8, b -= 8) sum = four_products(four_products(sum, a, b), a + 4, b - 4);
    work->out[k] = add_mod(work->out[k], reduce_short(sum), kShortPrime);
  }
}

__attribute__((noinline)) static void gather(struct Work *work) {
  const uint32_t q = arguments.q;
  for (uint32_t k = 0; k < kBlock; k++) {
    uint32_t sum = work->out[k];
    const uint32_t *b = work->window + kBlock + k;
    for (const uint32_t *a = work->a, *end = a + kBlock; a < end; a++, b--) sum = add_mod(sum, montgomery_30(*a, *b, q), q);
    work->out[k] = sum;
  }
}

static void convolve_block(struct Work *work, uint32_t block) {
  const uint32_t blocks = arguments.words / kBlock;
  for (uint32_t k = 0; k < kBlock; k++) work->out[k] = 0;
  for (uint32_t i = 0; i < blocks; i++) {
    const int32_t shift = (int32_t)(block - i);
    const uint32_t is_long = read_a(work->a, i) | read_window(work->window, shift - 1) | read_window(work->window + kBlock, shift);
    if (is_long || arguments.q != kShortPrime) gather(work);
    else gather_short(work);
  }
}

int main(void) {
  struct Work *work = &works[me()];
  const uint32_t first = arguments.first / kBlock, count = arguments.count / kBlock;
  for (uint32_t block = me(); block < count; block += NR_TASKLETS) {
    convolve_block(work, first + block);
    const uint32_t out = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + arguments.out + block * kBlock * 4;
    mram_write(work->out, (__mram_ptr void *)(uintptr_t)out, kBlock * 4);
  }
  return 0;
}
