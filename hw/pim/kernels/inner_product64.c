// SPDX-License-Identifier: Apache-2.0
// The kernel inner_product64: a product of two matrices whose entries are vectors of 64-bit words (inner_product.h). A
// tasklet computes a piece of 16 words of one entry of the result at a time. It reads the same 16 words of eight pairs
// of vectors, sums their products in columns (modular64.h), reduces the sums, and adds them to the result. Therefore
// one reduction serves up to eight products. hw/pim/README.md explains the terms.
#include "inner_product.h"

#include <defs.h>
#include <mram.h>

#include "modular64.h"

enum { kPiece = 16 };

__host struct InnerProduct64Arguments arguments;

// the buffer of a tasklet: eight pieces of a, eight of b, one of the result
static __dma_aligned Word buffers[NR_TASKLETS][(2 * kProductsAtOnce + 1) * kPiece];

// Returns the sum of `count` products mod q.
__attribute__((noinline)) static Word sum_of_products(const Word* a, const Word* b, uint32_t count) {
  struct Columns sum = {{0}};
  for (uint32_t k = 0; k < count; k++, a += kPiece, b += kPiece) add_product(&sum, *a, *b);
  return multiply_wide(reduce_columns(sum, arguments.q), arguments.square, arguments.q);
}

static void add_products(const Word* a, uint32_t count) {
  const Word *b = a + kProductsAtOnce * kPiece, q = arguments.q;
  Word* out = buffers[me()] + 2 * kProductsAtOnce * kPiece;
  for (uint32_t i = 0; i < kPiece; i++) out[i] = add_mod(out[i], sum_of_products(a + i, b + i, count), q);
}

static void read_piece(uint32_t mram, Word* to, uint32_t words) {
  mram_read((__mram_ptr void*)(uintptr_t)mram, to, words * sizeof(Word));
}

// Computes one piece (up to 16 words) of one entry of the result. The arguments are MRAM addresses of this piece: `a`
// in the first vector of a row of a, `b` in the first vector of a column of b, and `out` in the entry of the result.
static void compute_piece(uint32_t a, uint32_t b, uint32_t out, uint32_t words) {
  Word *pieces = buffers[me()], *result = pieces + 2 * kProductsAtOnce * kPiece;
  const uint32_t vector = arguments.words * sizeof(Word);
  uint32_t b_stride = 0;
  for (uint32_t c = 0; c < arguments.columns; c++) b_stride += vector;
  if (arguments.accumulate) read_piece(out, result, words);
  else
    for (uint32_t i = 0; i < kPiece; i++) result[i] = 0;
  for (uint32_t k = 0; k < arguments.inner; k += kProductsAtOnce) {
    const uint32_t left = arguments.inner - k, count = left < kProductsAtOnce ? left : kProductsAtOnce;
    for (uint32_t j = 0; j < count; j++, a += vector, b += b_stride) {
      read_piece(a, pieces + j * kPiece, words);
      read_piece(b, pieces + (kProductsAtOnce + j) * kPiece, words);
    }
    add_products(pieces, count);
  }
  mram_write(result, (__mram_ptr void*)(uintptr_t)out, words * sizeof(Word));
}

int main(void) {
  const uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER, total = arguments.words,
                 vector = total * sizeof(Word);
  for (uint32_t first = me() * kPiece; first < total; first += NR_TASKLETS * kPiece) {
    const uint32_t words = total - first < kPiece ? total - first : kPiece;
    uint32_t a = heap + arguments.a + first * sizeof(Word), out = heap + arguments.out + first * sizeof(Word);
    for (uint32_t r = 0; r < arguments.rows; r++) {
      uint32_t b = heap + arguments.b + first * sizeof(Word);
      for (uint32_t c = 0; c < arguments.columns; c++, b += vector, out += vector) compute_piece(a, b, out, words);
      for (uint32_t k = 0; k < arguments.inner; k++) a += vector;
    }
  }
  return 0;
}
