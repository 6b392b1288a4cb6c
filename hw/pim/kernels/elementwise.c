// SPDX-License-Identifier: Apache-2.0
// The kernel elementwise: coefficient-wise operations (verbs) on vectors in MRAM. elementwise.h has the arguments and
// their ranges. A tasklet reads a block, computes in place, and writes the block back. Each verb has its own loop. The
// loops are unrolled, so that pointer updates and branches cost little compared with the arithmetic. hw/pim/README.md
// explains the terms.
#include "elementwise.h"

#include "modular.h"

#include "blocks.h"

__host struct ElementwiseArguments arguments;

typedef uint32_t (*Combine)(uint32_t a, uint32_t b, uint32_t c, uint32_t q);

__attribute__((always_inline)) static inline uint32_t add(uint32_t a, uint32_t b, uint32_t c, uint32_t q) {
  return (void)c, add_mod(a, b, q);
}
__attribute__((always_inline)) static inline uint32_t subtract(uint32_t a, uint32_t b, uint32_t c, uint32_t q) {
  return (void)c, subtract_mod(a, b, q);
}
__attribute__((always_inline)) static inline uint32_t negate(uint32_t a, uint32_t b, uint32_t c, uint32_t q) {
  return (void)b, (void)c, subtract_mod(0, a, q);
}
__attribute__((always_inline)) static inline uint32_t multiply_30(uint32_t a, uint32_t b, uint32_t c, uint32_t q) {
  return (void)c, montgomery_30(a, b, q);
}
__attribute__((always_inline)) static inline uint32_t multiply_24(uint32_t a, uint32_t b, uint32_t c, uint32_t q) {
  return (void)c, montgomery_24(a, b, q);
}
__attribute__((always_inline)) static inline uint32_t multiply_add_30(uint32_t a, uint32_t b, uint32_t c, uint32_t q) {
  return add_mod(c, montgomery_30(a, b, q), q);
}
__attribute__((always_inline)) static inline uint32_t multiply_add_24(uint32_t a, uint32_t b, uint32_t c, uint32_t q) {
  return add_mod(c, montgomery_24(a, b, q), q);
}

// blocks a, b, c of each tasklet
static __dma_aligned uint32_t buffers[NR_TASKLETS][3 * kBlockWords];

__attribute__((always_inline)) static inline void one(uint32_t* a, uint32_t q, Combine combine) {
  *a = combine(*a, a[kBlockWords], a[2 * kBlockWords], q);
}

__attribute__((always_inline)) static inline void two(uint32_t* a, uint32_t q, Combine combine) {
  one(a, q, combine);
  one(a + 1, q, combine);
}

// Computes a[i] = combine(a[i], b[i], c[i]), with two or eight coefficients per iteration. `combine` must be a constant
// after inlining.
__attribute__((always_inline)) static inline void each_two(uint32_t* a, uint32_t words, Combine combine) {
  const uint32_t q = arguments.q;
  const uint32_t* end = a + words;
  do {
    two(a, q, combine);
    a += 2;
  } while (a < end);
}

__attribute__((always_inline)) static inline void each_eight(uint32_t* a, uint32_t words, Combine combine) {
  const uint32_t q = arguments.q;
  const uint32_t* end = a + words;
  do {
    two(a, q, combine);
    two(a + 2, q, combine);
    two(a + 4, q, combine);
    two(a + 6, q, combine);
    a += 8;
  } while (a < end);
}

// Computes a[i] = combine(a[i], scalar).
__attribute__((always_inline)) static inline void each_by_scalar(uint32_t* a, uint32_t words, Combine combine) {
  const uint32_t q = arguments.q, scalar = arguments.scalar;
  const uint32_t* end = a + words;
  do {
    a[0] = combine(a[0], scalar, 0, q);
    a[1] = combine(a[1], scalar, 0, q);
    a += 2;
  } while (a < end);
}

__attribute__((noinline)) static void each_times_byte(uint32_t* a, uint32_t words) {
  const uint32_t q = arguments.q, s = arguments.scalar, quotient = arguments.byte_quotient,
                 shift = arguments.byte_shift;
  const uint32_t* end = a + words;
  do {
    a[0] = times_byte(a[0], s, quotient, shift, q);
    a[1] = times_byte(a[1], s, quotient, shift, q);
    a += 2;
  } while (a < end);
}

__attribute__((noinline)) static void each_sum(uint32_t* a, uint32_t words) {
  switch (arguments.verb) {
    case kAdd: each_eight(a, words, add); break;
    case kSub: each_eight(a, words, subtract); break;
    default: each_eight(a, words, negate); break;
  }
}

__attribute__((noinline)) static void each_product_30(uint32_t* a, uint32_t words) {
  switch (arguments.verb) {
    case kMultiply30: each_two(a, words, multiply_30); break;
    case kMultiplyAdd30: each_two(a, words, multiply_add_30); break;
    default: each_by_scalar(a, words, multiply_30); break;
  }
}

__attribute__((noinline)) static void each_product_24(uint32_t* a, uint32_t words) {
  switch (arguments.verb) {
    case kMultiply24: each_two(a, words, multiply_24); break;
    case kMultiplyAdd24: each_two(a, words, multiply_add_24); break;
    default: each_by_scalar(a, words, multiply_24); break;
  }
}

static void compute(uint32_t* a, uint32_t words) {
  switch (arguments.verb) {
    case kMultiply30:
    case kMultiplyAdd30:
    case kMultiplyScalar30: each_product_30(a, words); break;
    case kMultiply24:
    case kMultiplyAdd24:
    case kMultiplyScalar24: each_product_24(a, words); break;
    case kMultiplyByte: each_times_byte(a, words); break;
    default: each_sum(a, words); break;
  }
}

static int takes_b(uint32_t verb) { return verb != kNegate && verb < kMultiplyScalar30; }
static int takes_c(uint32_t verb) { return verb == kMultiplyAdd30 || verb == kMultiplyAdd24; }

int main(void) {
  uint32_t* a = buffers[me()];
  const uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER, verb = arguments.verb, total = arguments.words;
  const uint32_t block = block_words(total);
  for (uint32_t first = me() * block; first < total; first += NR_TASKLETS * block) {
    const uint32_t words = total - first < block ? total - first : block, at = heap + first * 4;
    read_words(at + arguments.a, a, words);
    if (takes_b(verb)) read_words(at + arguments.b, a + kBlockWords, words);
    if (takes_c(verb)) read_words(at + arguments.c, a + 2 * kBlockWords, words);
    compute(a, words);
    write_words(a, at + arguments.out, words);
  }
  return 0;
}
