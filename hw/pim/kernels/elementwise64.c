// SPDX-License-Identifier: Apache-2.0
// The kernel elementwise64: coefficient-wise operations (verbs) on vectors of 64-bit words in MRAM. A tasklet reads a
// block, computes in place, and writes the block back. hw/pim/README.md explains the terms.
#include "elementwise64.h"

#include "modular64.h"

#include "blocks.h"

__host struct Elementwise64Arguments arguments;

// blocks a, b, c of each tasklet
static __dma_aligned Word buffers[NR_TASKLETS][3 * kBlockWords];

typedef Word (*Multiply)(Word a, Word b, Word q);
typedef Word (*Product)(Word a, Word b, const struct Divisor* divisor);

__attribute__((noinline)) static void each_sum(Word* a, uint32_t words) {
  const Word q = arguments.q;
  const Word* end = a + words;
  switch (arguments.verb) {
    case kAdd64:
      for (; a < end; a++) *a = add_mod(*a, a[kBlockWords], q);
      break;
    case kSub64:
      for (; a < end; a++) *a = subtract_mod(*a, a[kBlockWords], q);
      break;
    default:
      for (; a < end; a++) *a = subtract_mod(0, *a, q);
      break;
  }
}

__attribute__((always_inline)) static inline void each_product(Word* a, uint32_t words, Product product,
                                                               Multiply multiply) {
  const struct Divisor divisor = {arguments.shifted, arguments.quotient, arguments.shift};
  const Word q = arguments.q, scalar = arguments.scalar;
  const Word* end = a + words;
  switch (arguments.verb) {
    case kMultiply64:
      for (; a < end; a++) *a = product(*a, a[kBlockWords], &divisor);
      break;
    case kMultiplyAdd64:
      for (; a < end; a++) *a = add_mod(a[2 * kBlockWords], product(*a, a[kBlockWords], &divisor), q);
      break;
    default:
      for (; a < end; a++) *a = multiply(*a, scalar, q);
      break;
  }
}

static void compute(Word* a, uint32_t words) {
  if (arguments.verb == kCopy64) return;
  if (arguments.verb < kMultiply64) each_sum(a, words);
  else if (arguments.narrow) each_product(a, words, product_narrow, multiply_narrow);
  else each_product(a, words, product_wide, multiply_wide);
}

static int takes_b(uint32_t verb) { return verb != kNegate64 && verb != kCopy64 && verb != kMultiplyScalar64; }

int main(void) {
  Word* a = buffers[me()];
  const uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER, verb = arguments.verb, total = arguments.words;
  const uint32_t block = block_words(total);
  for (uint32_t first = me() * block; first < total; first += NR_TASKLETS * block) {
    const uint32_t words = total - first < block ? total - first : block, at = heap + first * sizeof(Word);
    read_words(at + arguments.a, a, words);
    if (takes_b(verb)) read_words(at + arguments.b, a + kBlockWords, words);
    if (verb == kMultiplyAdd64) read_words(at + arguments.c, a + 2 * kBlockWords, words);
    compute(a, words);
    write_words(a, at + arguments.out, words);
  }
  return 0;
}
