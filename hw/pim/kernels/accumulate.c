// SPDX-License-Identifier: Apache-2.0
// The kernel accumulate sums the rows of a matrix (accumulate.h). It makes only one addition for each word that it
// reads. Therefore it gains more from processors in memory than kernels with products. Each tasklet processes at most
// 64 neighbouring columns of the matrix at a time. The code calls these one column. One DPU instruction loads two
// words. A tasklet adds eight rows at a time: it adds four words in 32 bits, then the next four words, and adds these
// two sums to a 64-bit sum in registers. With at most kMostRows rows, a 64-bit sum is below 2^46. It is reduced mod q
// once, at the end. hw/pim/README.md explains the terms.
#include "accumulate.h"

#include <defs.h>
#include <mram.h>

#include "modular.h"

enum { kColumn = 64, kPairs = kColumn / 2, kRowsAtOnce = 8 };

__host struct AccumulateArguments arguments;

static __dma_aligned uint64_t rows[NR_TASKLETS][kRowsAtOnce * kPairs];
static __dma_aligned uint64_t sums[NR_TASKLETS][kColumn];

static void clear(uint64_t* pairs, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) pairs[i] = 0;
}

static void read_column(uint32_t mram, uint64_t* to, uint32_t words) {
  if (words == kColumn) {
    mram_read((__mram_ptr void*)(uintptr_t)mram, to, kColumn * 4);
  } else {
    mram_read((__mram_ptr void*)(uintptr_t)mram, to, words * 4);
  }
}

// Adds two words of each of four rows. Residues are below 2^30. Therefore the sum of four residues fits 32 bits.
__attribute__((always_inline)) static inline void add_four(uint64_t* sum, const uint64_t* row) {
  const uint64_t a = row[0], b = row[kPairs], c = row[2 * kPairs], d = row[3 * kPairs];
  sum[0] += (uint32_t)a + (uint32_t)b + (uint32_t)c + (uint32_t)d;
  sum[1] += (uint32_t)(a >> 32) + (uint32_t)(b >> 32) + (uint32_t)(c >> 32) + (uint32_t)(d >> 32);
}

// Adds two words of each of eight rows.
__attribute__((always_inline)) static inline void add_rows_at(uint64_t* sum, const uint64_t* row) {
  uint64_t both[2] = {sum[0], sum[1]};
  add_four(both, row);
  add_four(both, row + 4 * kPairs);
  sum[0] = both[0];
  sum[1] = both[1];
}

__attribute__((noinline)) static void add_rows(uint64_t* sum, const uint64_t* row) {
  const uint64_t* end = row + kPairs;
  do {
    add_rows_at(sum, row);
    add_rows_at(sum + 2, row + 1);
    row += 2;
    sum += 4;
  } while (row != end);
}

// Returns sum mod q. The sum is below 2^46. Therefore it is low + 2^23 high, with low and high below 2^23.
static uint32_t reduced(uint64_t sum, uint32_t q) {
  const uint32_t low = (uint32_t)sum & ((1u << kSplitBits) - 1), high = (uint32_t)(sum >> kSplitBits);
  if (arguments.narrow)
    return add_mod(montgomery_24(low, arguments.one, q), montgomery_24(high, arguments.split, q), q);
  return add_mod(montgomery_30(low, arguments.one, q), montgomery_30(high, arguments.split, q), q);
}

static void sum_column(uint32_t first, uint32_t words) {
  uint64_t *row = rows[me()], *sum = sums[me()];
  uint32_t* result = (uint32_t*)row;
  const uint32_t stride = arguments.words * 4, heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER;
  clear(sum, kColumn);
  uint32_t at = heap + arguments.data + first * 4;
  for (uint32_t left = arguments.rows; left != 0;) {
    const uint32_t count = left < kRowsAtOnce ? left : kRowsAtOnce;
    for (uint32_t r = 0; r < count; r++, at += stride) read_column(at, row + r * kPairs, words);
    if (count < kRowsAtOnce) clear(row + count * kPairs, (kRowsAtOnce - count) * kPairs);
    add_rows(sum, row);
    left -= count;
  }
  for (uint32_t i = 0; i < words; i++) result[i] = reduced(sum[i], arguments.q);
  mram_write(result, (__mram_ptr void*)(uintptr_t)(heap + arguments.out + first * 4), words * 4);
}

int main(void) {
  // add_rows() adds whole buffers. Behind a short column, the words of a buffer are zeros or residues.
  clear(rows[me()], kRowsAtOnce * kPairs);
  for (uint32_t first = me() * kColumn; first < arguments.words; first += NR_TASKLETS * kColumn) {
    const uint32_t left = arguments.words - first;
    sum_column(first, left < kColumn ? left : kColumn);
  }
  return 0;
}
