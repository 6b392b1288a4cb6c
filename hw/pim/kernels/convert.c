// SPDX-License-Identifier: Apache-2.0
// The kernel convert: base conversion, and division by Q, with a fixed-point quotient [HPS19]. convert.h has the
// formulas. A DPU has all limbs of its coefficients, that is, the residues modulo all primes. A tasklet loads 16 words
// of every source limb at a time, or 8 or 4 if there are many source limbs. From these words it computes the rows y_i
// (v_i in convert.h) and one row c. The residues r_j of a target are an inner product of these rows with the weights of
// the target. One reduction serves up to eight products. hw/pim/README.md explains the terms.
#include "convert.h"

#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "wide.h"

enum { kPiece = 16, kRows = 38 };

BARRIER_INIT(tables_read, NR_TASKLETS)

__host struct ConvertArguments arguments;

static __dma_aligned struct ConvertSource sources[kMostSources];
static __dma_aligned struct ConvertTarget targets[kMostTargets];
static __dma_aligned uint32_t weights[kMostWeights];
// the buffer of a tasklet: the rows y_i, the row c, and the results of one target
static __dma_aligned uint32_t buffers[NR_TASKLETS][kRows * kPiece];

// A tasklet takes a piece of each row at a time. Returns the number of words of a piece, chosen so that the pieces of
// all rows fit the buffer.
static inline uint32_t piece_words(void) {
  const uint32_t rows = arguments.sources + 2;
  return rows <= kRows ? kPiece : rows <= 2 * kRows ? kPiece / 2 : kPiece / 4;
}

typedef uint32_t (*Multiply)(uint32_t a, uint32_t b, uint32_t q);
typedef uint64_t (*Product)(uint32_t a, uint32_t b);
typedef uint32_t (*Reduce)(uint64_t sum, uint32_t q);

struct Kind {
  Multiply multiply;
  Product product;
  Reduce reduce;
};

// Returns a b, for a < 2^30 and any b.
static inline uint64_t full_product(uint32_t a, uint32_t b) {
  const uint32_t a_high = a >> 16, b_high = b >> 16;
  const uint64_t ends = (uint64_t)product_16(a_high, b_high) << 32 | product_16(a, b);
  return ends + (((uint64_t)product_16(a, b_high) + product_16(a_high, b)) << 16);
}

// Replaces x_i by y_i, and adds the fraction y_i / q_i to the sum of fractions. The unit of fractions is 2^-56. In this
// unit, the fraction is y_i 2^shift times the reciprocal, without the lowest 37 bits.
__attribute__((always_inline)) static inline void weigh(uint32_t* x, const struct ConvertSource* source,
                                                        uint64_t* shares, uint32_t piece, Multiply multiply) {
  for (uint32_t i = 0; i < piece; i++) {
    const uint32_t y = multiply(x[i], source->inverse, source->q), scaled = y << source->shift;
    const uint64_t upper =
        full_product(scaled, source->reciprocal_high) + (full_product(scaled, source->reciprocal_low) >> 32);
    x[i] = y;
    shares[i] += upper >> 5;
  }
}

__attribute__((always_inline)) static inline void weigh_all(uint32_t* y, Multiply multiply) {
  uint64_t shares[kPiece];
  const uint32_t piece = piece_words();
  for (uint32_t i = 0; i < piece; i++) shares[i] = arguments.kind == kCentred ? 1ull << 55 : 0;
  for (uint32_t k = 0; k < arguments.sources; k++, y += piece) weigh(y, sources + k, shares, piece, multiply);
  for (uint32_t i = 0; i < piece; i++) y[i] = arguments.kind == kApproximate ? 0 : (uint32_t)(shares[i] >> 56);
}

// Returns the sum of y_i weight_i over all sources, plus c times its weight, mod p.
__attribute__((always_inline)) static inline uint32_t weighted_sum(const uint32_t* y, uint32_t piece,
                                                                   const uint32_t* weight, uint32_t p,
                                                                   struct Kind kind) {
  uint32_t total = 0;
  for (uint32_t left = arguments.sources + 1; left != 0;) {
    const uint32_t count = left < kProductsAtOnce ? left : kProductsAtOnce;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < count; k++, y += piece) sum += kind.product(*y, *weight++);
    total = add_mod(total, kind.reduce(sum, p), p);
    left -= count;
  }
  return total;
}

// Computes target j. For kModDown, `out` contains a_j before the call.
__attribute__((always_inline)) static inline void convert_to(const uint32_t* y, uint32_t* out, uint32_t j,
                                                             struct Kind kind) {
  const uint32_t p = targets[j].p, inverse = targets[j].inverse, piece = piece_words(),
                 *row = weights + j * convert_row(arguments.sources);
  for (uint32_t i = 0; i < piece; i++) {
    const uint32_t x = weighted_sum(y + i, piece, row, p, kind);
    out[i] = arguments.verb == kConvert ? x : kind.multiply(subtract_mod(out[i], x, p), inverse, p);
  }
}

__attribute__((noinline)) static void weigh_all_30(uint32_t* y) { weigh_all(y, montgomery_30); }
__attribute__((noinline)) static void weigh_all_24(uint32_t* y) { weigh_all(y, montgomery_24); }

__attribute__((noinline)) static void convert_to_30(const uint32_t* y, uint32_t* out, uint32_t j) {
  const struct Kind kind = {montgomery_30, wide_product_30, reduce_wide_30};
  convert_to(y, out, j, kind);
}

__attribute__((noinline)) static void convert_to_24(const uint32_t* y, uint32_t* out, uint32_t j) {
  const struct Kind kind = {montgomery_24, wide_product_24, reduce_wide_24};
  convert_to(y, out, j, kind);
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
  const uint32_t piece = piece_words();
  uint32_t *y = buffers[me()], *out = y + (arguments.sources + 1) * piece;
  const uint32_t vector = arguments.words * 4, heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + first * 4;
  uint32_t x = heap + arguments.x, a = heap + arguments.a, to = heap + arguments.out;
  for (uint32_t k = 0; k < arguments.sources; k++, x += vector)
    mram_read((__mram_ptr void*)(uintptr_t)x, y + k * piece, words * 4);
  if (arguments.narrow) weigh_all_24(y);
  else weigh_all_30(y);
  for (uint32_t j = 0; j < arguments.targets; j++, a += vector, to += vector) {
    if (arguments.verb == kModDown) mram_read((__mram_ptr void*)(uintptr_t)a, out, words * 4);
    if (arguments.narrow) convert_to_24(y, out, j);
    else convert_to_30(y, out, j);
    mram_write(out, (__mram_ptr void*)(uintptr_t)to, words * 4);
  }
}

int main(void) {
  read_table(arguments.source_table, sources, arguments.sources * sizeof(struct ConvertSource));
  read_table(arguments.target_table, targets, arguments.targets * sizeof(struct ConvertTarget));
  read_table(arguments.weights, weights, arguments.targets * convert_row(arguments.sources) * 4);
  barrier_wait(&tables_read);
  const uint32_t piece = piece_words();
  for (uint32_t first = me() * piece; first < arguments.words; first += NR_TASKLETS * piece) {
    const uint32_t left = arguments.words - first;
    convert_piece(first, left < piece ? left : piece);
  }
  return 0;
}
