// SPDX-License-Identifier: Apache-2.0
// Sums of many rows: the work that gains most from memory with processors, one addition a word read. Tasklets take columns
// of 64 words; eight rows are added in registers, four of them without carry, and the sums kept in 64 bits, so that one
// reduction a column follows at the end. Below 2^46 in all: rows * q.
#include "accumulate.h"

#include <defs.h>
#include <mram.h>

#include "modular.h"

enum { kColumn = 64, kRowsAtOnce = 8 };

__host struct AccumulateArguments arguments;

static __dma_aligned uint32_t rows[NR_TASKLETS][kRowsAtOnce * kColumn];
static __dma_aligned uint64_t sums[NR_TASKLETS][kColumn];

static void clear(uint32_t *words, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) words[i] = 0;
}

static void read_column(uint32_t mram, uint32_t *to, uint32_t words) {
  if (words == kColumn) {
    mram_read((__mram_ptr void *)(uintptr_t)mram, to, kColumn * 4);
  } else {
    mram_read((__mram_ptr void *)(uintptr_t)mram, to, words * 4);
  }
}

// Eight rows into one sum. Residues are below 2^30: four of them fit 32 bits.
__attribute__((always_inline)) static inline void add_rows_at(uint64_t *sum, const uint32_t *row) {
  uint64_t total = *sum;
  total += row[0] + row[kColumn] + row[2 * kColumn] + row[3 * kColumn];
  total += row[4 * kColumn] + row[5 * kColumn] + row[6 * kColumn] + row[7 * kColumn];
  *sum = total;
}

__attribute__((noinline)) static void add_rows(uint64_t *sum, const uint32_t *row) {
  const uint32_t *end = row + kColumn;
  do {
    add_rows_at(sum, row);
    add_rows_at(sum + 1, row + 1);
    add_rows_at(sum + 2, row + 2);
    add_rows_at(sum + 3, row + 3);
    row += 4;
    sum += 4;
  } while (row != end);
}

// sum mod q = low + 2^23 high, both below 2^23.
static uint32_t reduced(uint64_t sum, uint32_t q) {
  const uint32_t low = (uint32_t)sum & ((1u << kSplitBits) - 1), high = (uint32_t)(sum >> kSplitBits);
  if (arguments.narrow) return add_mod(montgomery_24(low, arguments.one, q), montgomery_24(high, arguments.split, q), q);
  return add_mod(montgomery_30(low, arguments.one, q), montgomery_30(high, arguments.split, q), q);
}

static void sum_column(uint32_t first, uint32_t words) {
  uint32_t *row = rows[me()];
  uint64_t *sum = sums[me()];
  const uint32_t stride = arguments.words * 4, heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER;
  clear((uint32_t *)sum, 2 * kColumn);
  uint32_t at = heap + arguments.data + first * 4;
  for (uint32_t left = arguments.rows; left != 0;) {
    const uint32_t count = left < kRowsAtOnce ? left : kRowsAtOnce;
    for (uint32_t r = 0; r < count; r++, at += stride) read_column(at, row + r * kColumn, words);
    if (count < kRowsAtOnce) clear(row + count * kColumn, (kRowsAtOnce - count) * kColumn);
    add_rows(sum, row);
    left -= count;
  }
  for (uint32_t i = 0; i < words; i++) row[i] = reduced(sum[i], arguments.q);
  mram_write(row, (__mram_ptr void *)(uintptr_t)(heap + arguments.out + first * 4), words * 4);
}

int main(void) {
  clear(rows[me()], kRowsAtOnce * kColumn);  // what a short column leaves untouched is added, and must be small
  for (uint32_t first = me() * kColumn; first < arguments.words; first += NR_TASKLETS * kColumn) {
    const uint32_t left = arguments.words - first;
    sum_column(first, left < kColumn ? left : kColumn);
  }
  return 0;
}
