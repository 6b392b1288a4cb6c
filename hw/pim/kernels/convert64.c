// SPDX-License-Identifier: Apache-2.0
// The kernel convert64: base conversion of 64-bit words with a fixed-point quotient [HPS19]. convert.h has the
// formulas. A DPU has all limbs of its coefficients, that is, the residues modulo all primes. A tasklet loads eight
// words of every source limb at a time, or 4 or 2 if there are many source limbs. From these words it computes the rows
// y_i (v_i in convert.h) and one row c. Each target limb is an inner product of these rows with the weights of the
// target. One reduction serves up to eight products. hw/pim/README.md explains the terms.
#include "convert.h"

#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "modular64.h"

enum { kPiece = 8, kRows = 38 };

BARRIER_INIT(tables_read, NR_TASKLETS)

__host struct Convert64Arguments arguments;

static __dma_aligned struct Convert64Source sources[kMostSources];
static __dma_aligned Word targets[kMostTargets];
static __dma_aligned Word weights[kMostWeights64];
// the buffer of a tasklet: the rows y_i, the row c, and the results of one target
static __dma_aligned Word buffers[NR_TASKLETS][kRows * kPiece];

// A tasklet takes a piece of each row at a time. Returns the number of words of a piece, chosen so that the pieces of
// all rows fit the buffer.
static inline uint32_t piece_words(void) {
  const uint32_t rows = arguments.sources + 2;
  return rows <= kRows ? kPiece : rows <= 2 * kRows ? kPiece / 2 : kPiece / 4;
}

// Replaces the words x_i by y_i, and computes the row c. The unit of the fractions y_i / q_i is 2^-56.
static void weigh_all(Word* y) {
  Word shares[kPiece];
  const uint32_t piece = piece_words();
  for (uint32_t i = 0; i < piece; i++) shares[i] = arguments.kind == kCentred ? 1ull << 55 : 0;
  for (uint32_t k = 0; k < arguments.sources; k++, y += piece) {
    const struct Convert64Source* source = sources + k;
    for (uint32_t i = 0; i < piece; i++) {
      y[i] = multiply_wide(y[i], source->inverse, source->q);
      if (arguments.kind != kApproximate)
        shares[i] += upper_product(y[i] << (uint32_t)source->shift, source->reciprocal) >> 7;
    }
  }
  for (uint32_t i = 0; i < piece; i++) y[i] = arguments.kind == kApproximate ? 0 : shares[i] >> 56;
}

// Returns the sum of y_i weight_i over `count` rows, mod p. All y_i are below 2^62.
__attribute__((noinline)) static Word sum_of_products(const Word* y, const Word* weight, uint32_t count, Word p) {
  const uint32_t piece = piece_words();
  struct Columns sum = {{0}};
  for (; count != 0; count--, y += piece, weight++) add_product(&sum, *y, *weight);
  return reduce_once(reduce_once(reduce_columns(sum, p), 2 * p), p);
}

// Returns the sum of y_i weight_i over all sources, plus c times its weight, mod p.
static Word weighted_sum(const Word* y, const Word* weight, Word p) {
  Word total = 0;
  for (uint32_t left = arguments.sources + 1; left != 0;) {
    const uint32_t count = left < kProductsAtOnce ? left : kProductsAtOnce;
    total = add_mod(total, sum_of_products(y, weight, count, p), p);
    y += count * piece_words();
    weight += count;
    left -= count;
  }
  return total;
}

static void read_table(uint32_t from, void* to, uint32_t bytes) {
  const uint32_t longest = 2048;
  for (uint32_t at = me() * longest; at < bytes; at += NR_TASKLETS * longest) {
    const uint32_t left = bytes - at;
    mram_read((__mram_ptr void*)(uintptr_t)((uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + from + at), (uint8_t*)to + at,
              left < longest ? left : longest);
  }
}

static void convert_piece(uint32_t first, uint32_t words) {
  const uint32_t piece = piece_words(), row = convert_row_64(arguments.sources);
  Word *y = buffers[me()], *out = y + row * piece;
  const uint32_t vector = arguments.words * sizeof(Word),
                 heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + first * sizeof(Word);
  uint32_t x = heap + arguments.x, to = heap + arguments.out;
  for (uint32_t k = 0; k < arguments.sources; k++, x += vector)
    mram_read((__mram_ptr void*)(uintptr_t)x, y + k * piece, words * sizeof(Word));
  weigh_all(y);
  for (uint32_t j = 0; j < arguments.targets; j++, to += vector) {
    for (uint32_t i = 0; i < piece; i++) out[i] = weighted_sum(y + i, weights + j * row, targets[j]);
    mram_write(out, (__mram_ptr void*)(uintptr_t)to, words * sizeof(Word));
  }
}

int main(void) {
  read_table(arguments.source_table, sources, arguments.sources * sizeof(struct Convert64Source));
  read_table(arguments.target_table, targets, arguments.targets * sizeof(Word));
  read_table(arguments.weights, weights, arguments.targets * convert_row_64(arguments.sources) * sizeof(Word));
  barrier_wait(&tables_read);
  const uint32_t piece = piece_words();
  for (uint32_t first = me() * piece; first < arguments.words; first += NR_TASKLETS * piece) {
    const uint32_t left = arguments.words - first;
    convert_piece(first, left < piece ? left : piece);
  }
  return 0;
}
