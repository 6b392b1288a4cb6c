// SPDX-License-Identifier: Apache-2.0
// The kernel barrett: products, sums and butterflies modulo numbers of 33 to 60 bits, by Barrett's reduction
// [Barrett86], without tuning. A product takes nine 64-bit multiplications. Each of them is a call of the run-time
// library. Published comparisons measure processing in memory with a kernel of this kind. Therefore this kernel is the
// baseline here. A product modulo a 30-bit prime (modular.h) takes a twentieth of the cycles of a product here.
// hw/pim/README.md explains the terms.
#include "barrett.h"

#include <defs.h>
#include <mram.h>

enum { kBlock = 128 };

__host struct BarrettArguments arguments;

static __dma_aligned uint64_t buffers[NR_TASKLETS][3 * kBlock];

struct Wide {
  uint64_t low, high;
};

static inline struct Wide multiply_wide(uint64_t a, uint64_t b) {
  const uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
  const uint64_t low = a_low * b_low, cross = a_low * b_high, other = a_high * b_low, high = a_high * b_high;
  const uint64_t middle = (low >> 32) + (uint32_t)cross + (uint32_t)other;
  const struct Wide product = {(middle << 32) | (uint32_t)low, high + (cross >> 32) + (other >> 32) + (middle >> 32)};
  return product;
}

// Returns the low word of a >> shift, for 0 < shift < 64.
static inline uint64_t shifted(struct Wide a, uint32_t shift) { return (a.low >> shift) | (a.high << (64 - shift)); }

// Returns a b mod q. The estimated quotient is too small by at most two. Therefore at most two subtractions of q are
// needed at the end.
static uint64_t multiply_mod(uint64_t a, uint64_t b) {
  const uint64_t q = arguments.q;
  const struct Wide product = multiply_wide(a, b);
  const uint64_t quotient =
      shifted(multiply_wide(shifted(product, arguments.bits - 1), arguments.mu), arguments.bits + 1);
  uint64_t r = product.low - quotient * q;
  if (r >= q) r -= q;
  if (r >= q) r -= q;
  return r;
}

static uint64_t sum_mod(uint64_t a, uint64_t b) {
  const uint64_t sum = a + b;
  return sum >= arguments.q ? sum - arguments.q : sum;
}

static void compute(uint64_t* a, uint32_t words) {
  uint64_t* b = a + kBlock;
  const uint64_t* w = b + kBlock;
  switch (arguments.verb) {
    case kProduct60:
      for (uint32_t i = 0; i < words; i++) a[i] = multiply_mod(a[i], b[i]);
      break;
    case kSum60:
      for (uint32_t i = 0; i < words; i++) a[i] = sum_mod(a[i], b[i]);
      break;
    default:
      for (uint32_t i = 0; i < words; i++) {
        const uint64_t product = multiply_mod(b[i], w[i]), first = a[i];
        a[i] = sum_mod(first, product);
        b[i] = sum_mod(first, arguments.q - product);
      }
  }
}

int main(void) {
  uint64_t *a = buffers[me()], *b = a + kBlock, *w = b + kBlock;
  const uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER, total = arguments.words,
                 is_butterfly = arguments.verb == kButterfly60;
  const uint32_t share = (total + NR_TASKLETS - 1) / NR_TASKLETS, block = share < kBlock ? share : kBlock;
  for (uint32_t first = me() * block; first < total; first += NR_TASKLETS * block) {
    const uint32_t words = total - first < block ? total - first : block, at = heap + first * 8;
    mram_read((__mram_ptr void*)(uintptr_t)(at + arguments.a), a, words * 8);
    mram_read((__mram_ptr void*)(uintptr_t)(at + arguments.b), b, words * 8);
    if (is_butterfly) mram_read((__mram_ptr void*)(uintptr_t)(at + arguments.w), w, words * 8);
    compute(a, words);
    mram_write(a, (__mram_ptr void*)(uintptr_t)(at + arguments.out), words * 8);
    if (is_butterfly) mram_write(b, (__mram_ptr void*)(uintptr_t)(at + arguments.out_low), words * 8);
  }
  return 0;
}
