// SPDX-License-Identifier: Apache-2.0
// The kernel convolve: a schoolbook convolution of a and b (convolve.h). A tasklet computes 64 results at a time. It
// computes 16 results at a time if a tasklet would otherwise have no work, or if the number of results is not a
// multiple of 64. The tasklet takes one chunk of 64 words of a after the other. For each chunk, it reads the words of b
// that the chunk needs (a window), and adds a[i] b[k - i] to result k. If k - i is negative, b[k - i] is -b[k - i + n].
// For q = 2^16 + 1, all residues have 16 bits, except the residue 2^16. A chunk or window that contains 2^16 is
// computed as for other primes. hw/pim/README.md explains the terms.
#include "convolve.h"

#include <defs.h>
#include <mram.h>

#include "modular.h"

enum { kChunk = kConvolveChunk, kPiece = kConvolvePiece, kShortPrime = 65537 };

__host struct ConvolveArguments arguments;

// The buffers of a tasklet: a chunk of a, the window of b, and the results. The window begins at index (number of the
// first result - index of the first word of the chunk - 64) of b.
struct Work {
  uint32_t a[kChunk], window[2 * kChunk], out[kChunk];
};
static __dma_aligned struct Work works[NR_TASKLETS];

// Reads a piece of b from `index` on. If `index` is negative, reads the negated words from index + n on. Returns the
// bitwise OR of the words.
static uint32_t read_piece(uint32_t* to, int32_t index) {
  const uint32_t q = arguments.q, wraps = index < 0, first = (uint32_t)index + (wraps ? arguments.words : 0);
  mram_read((__mram_ptr void*)(uintptr_t)((uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + arguments.b + first * 4), to,
            kPiece * 4);
  uint32_t all = 0;
  for (uint32_t i = 0; i < kPiece; i++) {
    if (wraps && to[i] != 0) to[i] = q - to[i];
    all |= to[i];
  }
  return all;
}

// Reads a chunk of a and the window of b that the chunk needs. Returns a non-zero number if a word has more than 16
// bits.
static uint32_t read_operands(struct Work* work, uint32_t chunk, int32_t difference, uint32_t results) {
  uint32_t all = 0;
  mram_read((__mram_ptr void*)(uintptr_t)((uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + arguments.a + chunk * 4),
            work->a, kChunk * 4);
  for (uint32_t i = 0; i < kChunk; i++) all |= work->a[i];
  for (uint32_t i = 0; i < kChunk + results; i += kPiece)
    all |= read_piece(work->window + i, difference - kChunk + (int32_t)i);
  return all >> 16;
}

// Reduces a sum of products of 16-bit words modulo 2^16 + 1. Because 2^16 is -1 modulo 2^16 + 1, the function adds the
// even 16-bit digits of the sum, and subtracts the odd digits.
static uint32_t reduce_short(uint64_t sum) {
  const uint32_t low = (uint32_t)sum, high = (uint32_t)(sum >> 32);
  const uint32_t plus = (low & 0xffff) + (high & 0xffff), minus = (low >> 16) + (high >> 16);
  const uint32_t difference = plus + 2 * kShortPrime - minus;
  return reduce_once(reduce_once(reduce_once(difference, 2 * kShortPrime), kShortPrime), kShortPrime);
}

__attribute__((always_inline)) static inline uint64_t four_products(uint64_t sum, const uint32_t* a,
                                                                    const uint32_t* b) {
  sum += product_16(a[0], b[0]);
  sum += product_16(a[1], b[-1]);
  sum += product_16(a[2], b[-2]);
  return sum + product_16(a[3], b[-3]);
}

__attribute__((noinline)) static void gather_short(struct Work* work, uint32_t results) {
  for (uint32_t k = 0; k < results; k++) {
    uint64_t sum = 0;
    const uint32_t* b = work->window + kChunk + k;
    for (const uint32_t *a = work->a, *end = a + kChunk; a < end; a += 8, b -= 8)
      sum = four_products(four_products(sum, a, b), a + 4, b - 4);
    work->out[k] = add_mod(work->out[k], reduce_short(sum), kShortPrime);
  }
}

__attribute__((noinline)) static void gather(struct Work* work, uint32_t results) {
  const uint32_t q = arguments.q;
  for (uint32_t k = 0; k < results; k++) {
    uint32_t sum = work->out[k];
    const uint32_t* b = work->window + kChunk + k;
    for (const uint32_t *a = work->a, *end = a + kChunk; a < end; a++, b--)
      sum = add_mod(sum, montgomery_30(*a, *b, q), q);
    work->out[k] = sum;
  }
}

static void convolve(struct Work* work, uint32_t first, uint32_t results) {
  for (uint32_t k = 0; k < results; k++) work->out[k] = 0;
  for (uint32_t chunk = 0; chunk < arguments.words; chunk += kChunk) {
    const uint32_t is_long = read_operands(work, chunk, (int32_t)(first - chunk), results);
    if (is_long || arguments.q != kShortPrime) gather(work, results);
    else gather_short(work, results);
  }
}

int main(void) {
  struct Work* work = &works[me()];
  const uint32_t count = arguments.count,
                 results = count >= NR_TASKLETS * kChunk && count % kChunk == 0 ? kChunk : kPiece;
  for (uint32_t at = me() * results; at < count; at += NR_TASKLETS * results) {
    convolve(work, arguments.first + at, results);
    mram_write(work->out,
               (__mram_ptr void*)(uintptr_t)((uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + arguments.out + at * 4),
               results * 4);
  }
  return 0;
}
