// SPDX-License-Identifier: Apache-2.0
// The kernel inner_product: a product of two matrices whose entries are vectors (inner_product.h). A tasklet computes a
// piece of 32 words of one entry of the result at a time. It reads the same 32 words of eight pairs of vectors, sums
// their products in registers, reduces the sums, and adds them to the result. Therefore one reduction serves up to
// eight products (wide.h). hw/pim/README.md explains the terms.
#include "inner_product.h"

#include <defs.h>
#include <mram.h>

#include "wide.h"

enum { kColumn = 32 };

__host struct InnerProductArguments arguments;

// the buffer of a tasklet: eight pieces of a, eight of b, one of the result
static __dma_aligned uint32_t buffers[NR_TASKLETS][(2 * kProductsAtOnce + 1) * kColumn];

typedef uint64_t (*Product)(uint32_t a, uint32_t b);
typedef uint32_t (*Reduce)(uint64_t sum, uint32_t q);

// Adds the sum of a[i] b[i] over `count` pieces to out[i].
__attribute__((always_inline)) static inline void add_products(const uint32_t* a, uint32_t count, Product product,
                                                               Reduce reduce) {
  const uint32_t* b = a + kProductsAtOnce * kColumn;
  uint32_t* out = (uint32_t*)b + kProductsAtOnce * kColumn;
  const uint32_t q = arguments.q;
  for (const uint32_t* end = a + kColumn; a < end; a++, b++, out++) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < count; k++) sum += product(a[k * kColumn], b[k * kColumn]);
    *out = add_mod(*out, reduce(sum, q), q);
  }
}

__attribute__((noinline)) static void add_products_30(const uint32_t* a, uint32_t count) {
  add_products(a, count, wide_product_30, reduce_wide_30);
}
__attribute__((noinline)) static void add_products_24(const uint32_t* a, uint32_t count) {
  add_products(a, count, wide_product_24, reduce_wide_24);
}

static void read_piece(uint32_t mram, uint32_t* to, uint32_t words) {
  mram_read((__mram_ptr void*)(uintptr_t)mram, to, words * 4);
}

// Computes one piece (up to 32 words) of one entry of the result. The arguments are MRAM addresses of this piece: `a`
// in the first vector of a row of a, `b` in the first vector of a column of b, and `out` in the entry of the result.
static void compute_piece(uint32_t a, uint32_t b, uint32_t out, uint32_t words) {
  uint32_t *pieces = buffers[me()], *result = pieces + 2 * kProductsAtOnce * kColumn;
  const uint32_t vector = arguments.words * 4;
  uint32_t b_stride = 0;
  for (uint32_t c = 0; c < arguments.columns; c++) b_stride += vector;
  if (arguments.accumulate) read_piece(out, result, words);
  else
    for (uint32_t i = 0; i < kColumn; i++) result[i] = 0;
  for (uint32_t k = 0; k < arguments.inner; k += kProductsAtOnce) {
    const uint32_t left = arguments.inner - k, count = left < kProductsAtOnce ? left : kProductsAtOnce;
    for (uint32_t j = 0; j < count; j++, a += vector, b += b_stride) {
      read_piece(a, pieces + j * kColumn, words);
      read_piece(b, pieces + (kProductsAtOnce + j) * kColumn, words);
    }
    if (arguments.narrow) add_products_24(pieces, count);
    else add_products_30(pieces, count);
  }
  mram_write(result, (__mram_ptr void*)(uintptr_t)out, words * 4);
}

int main(void) {
  const uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER, total = arguments.words, vector = total * 4;
  for (uint32_t first = me() * kColumn; first < total; first += NR_TASKLETS * kColumn) {
    const uint32_t words = total - first < kColumn ? total - first : kColumn;
    uint32_t a = heap + arguments.a + first * 4, out = heap + arguments.out + first * 4;
    for (uint32_t r = 0; r < arguments.rows; r++) {
      uint32_t b = heap + arguments.b + first * 4;
      for (uint32_t c = 0; c < arguments.columns; c++, b += vector, out += vector) compute_piece(a, b, out, words);
      for (uint32_t k = 0; k < arguments.inner; k++) a += vector;
    }
  }
  return 0;
}
