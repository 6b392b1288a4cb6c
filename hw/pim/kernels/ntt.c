// SPDX-License-Identifier: Apache-2.0
// Negacyclic number-theoretic transforms of whole polynomials, n = 2^6 .. 2^16: Cooley-Tukey forward, Gentleman-Sande
// inverse. The 2n-th root is merged into the twiddles, and values are canonical between stages. Each tasklet computes a
// sixteenth of a stage's butterflies; a barrier ends the stage. Twiddles 0 .. 4095 stay in WRAM. The one stage that
// uses the upper half of 8192 reads its twiddles in pieces. Polynomials longer than 2^13 take one more pass through
// MRAM (ntt.h).
#include "ntt.h"

#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "modular.h"

enum { kResidentTwiddles = 4096, kPieceWords = 128, kChunk = 64 };

BARRIER_INIT(stage_end, NR_TASKLETS)

__host struct NttArguments arguments;

static __dma_aligned uint32_t data[1 << kMostLog];
static __dma_aligned uint32_t twiddles[kResidentTwiddles];
static __dma_aligned uint32_t pieces[NR_TASKLETS][kPieceWords];
static uint32_t table;  // MRAM address of this row's twiddles; all tasklets write the same value

typedef uint32_t (*Multiply)(uint32_t a, uint32_t b, uint32_t q);

// Butterflies: `forward` maps (a, b) to (a + w b, a - w b); `inverse` reverses this, times 2.
__attribute__((always_inline)) static inline void forward(uint32_t* a, uint32_t* b, uint32_t w, uint32_t q,
                                                          Multiply multiply) {
  uint32_t u = *a, v = multiply(*b, w, q);
  *a = add_mod(u, v, q);
  *b = subtract_mod(u, v, q);
}

__attribute__((always_inline)) static inline void inverse(uint32_t* a, uint32_t* b, uint32_t w, uint32_t q,
                                                          Multiply multiply) {
  uint32_t u = *a, v = *b;
  *a = add_mod(u, v, q);
  *b = multiply(subtract_mod(u, v, q), w, q);
}

typedef void (*Butterfly)(uint32_t* a, uint32_t* b, uint32_t w, uint32_t q, Multiply multiply);

// Functions that a stage's inner loops call; constants after inlining.
struct Kind {
  Butterfly butterfly;
  Multiply multiply;
};

// Computes `count` (even) butterflies at a, a + 1, ... with one twiddle.
__attribute__((always_inline)) static inline void butterflies(uint32_t* a, uint32_t distance, uint32_t count,
                                                              uint32_t w, struct Kind kind) {
  const uint32_t q = arguments.q, *end = a + count;
  uint32_t* b = a + distance;
  do {
    kind.butterfly(a, b, w, q, kind.multiply);
    kind.butterfly(a + 1, b + 1, w, q, kind.multiply);
    a += 2;
    b += 2;
  } while (a < end);
}

// Computes butterflies first .. first + count - 1 of the stage whose operands are `distance` >= 2 apart.
__attribute__((always_inline)) static inline void wide_stage(uint32_t first, uint32_t count, uint32_t log_distance,
                                                             struct Kind kind) {
  const uint32_t distance = 1u << log_distance, group = first >> log_distance;
  const uint32_t length = count < distance ? count : distance;
  const uint32_t* w = twiddles + (1u << (arguments.log_n - log_distance - 1)) + group;
  uint32_t* a = data + first + (group << log_distance);
  for (uint32_t done = 0; done < count; done += length, a += 2 * distance) butterflies(a, distance, length, *w++, kind);
}

// Computes butterflies of neighbours, each pair with its own twiddle.
__attribute__((always_inline)) static inline void neighbours(uint32_t* a, const uint32_t* w, uint32_t count,
                                                             struct Kind kind) {
  const uint32_t q = arguments.q, *end = a + 2 * count;
  do {
    kind.butterfly(a, a + 1, w[0], q, kind.multiply);
    kind.butterfly(a + 2, a + 3, w[1], q, kind.multiply);
    a += 4;
    w += 2;
  } while (a < end);
}

// Returns the twiddles of `count` neighbouring pairs from `first` on; reads them from MRAM if they are not in WRAM.
static const uint32_t* pair_twiddles(uint32_t first, uint32_t count) {
  const uint32_t half = 1u << (arguments.log_n - 1);
  if (half < kResidentTwiddles) return twiddles + half + first;
  mram_read((__mram_ptr void*)(uintptr_t)(table + (half + first) * 4), pieces[me()], count * 4);
  return pieces[me()];
}

__attribute__((always_inline)) static inline void neighbour_stage(uint32_t first, uint32_t count, struct Kind kind) {
  const uint32_t length = count < kPieceWords ? count : kPieceWords;
  for (uint32_t end = first + count; first < end; first += length)
    neighbours(data + 2 * first, pair_twiddles(first, length), length, kind);
}

// Computes the last inverse stage with the division by n: (a, b) to ((a + b) / n, (a - b) w / n).
__attribute__((always_inline)) static inline void scaled_stage(uint32_t first, uint32_t count, Multiply multiply) {
  const uint32_t q = arguments.q, scale = arguments.scale, w = multiply(twiddles[1], scale, q);
  uint32_t *a = data + first, *b = a + (1u << (arguments.log_n - 1));
  for (const uint32_t* end = a + count; a < end; a++, b++) {
    uint32_t u = *a, v = *b;
    *a = multiply(add_mod(u, v, q), scale, q);
    *b = multiply(subtract_mod(u, v, q), w, q);
  }
}

__attribute__((always_inline)) static inline void transform_forward(Multiply multiply) {
  const struct Kind kind = {forward, multiply};
  const uint32_t count = (1u << (arguments.log_n - 1)) / NR_TASKLETS, first = me() * count;
  for (uint32_t log_distance = arguments.log_n - 1; log_distance > 0; log_distance--) {
    wide_stage(first, count, log_distance, kind);
    barrier_wait(&stage_end);
  }
  neighbour_stage(first, count, kind);
}

__attribute__((always_inline)) static inline void transform_inverse(Multiply multiply) {
  const struct Kind kind = {inverse, multiply};
  const uint32_t count = (1u << (arguments.log_n - 1)) / NR_TASKLETS, first = me() * count;
  neighbour_stage(first, count, kind);
  for (uint32_t log_distance = 1; log_distance < arguments.log_n - 1; log_distance++) {
    barrier_wait(&stage_end);
    wide_stage(first, count, log_distance, kind);
  }
  barrier_wait(&stage_end);
  scaled_stage(first, count, multiply);
}

// Computes the stages between rows for `words` (even) columns at `rows`; the row stride is kChunk words.
__attribute__((always_inline)) static inline void between_rows(uint32_t* rows, uint32_t distance, struct Kind kind) {
  const uint32_t count = 1u << arguments.log_rows, groups = count / (2 * distance);
  for (uint32_t group = 0; group < groups; group++) {
    for (uint32_t row = 0; row < distance; row++)
      butterflies(rows + (2 * group * distance + row) * kChunk, distance * kChunk, kChunk,
                  arguments.columns[groups + group], kind);
  }
}

__attribute__((always_inline)) static inline void columns_forward(uint32_t* rows, Multiply multiply) {
  const struct Kind kind = {forward, multiply};
  for (uint32_t distance = (1u << arguments.log_rows) / 2; distance > 0; distance /= 2)
    between_rows(rows, distance, kind);
}

__attribute__((always_inline)) static inline void columns_inverse(uint32_t* rows, Multiply multiply) {
  const struct Kind kind = {inverse, multiply};
  for (uint32_t distance = 1; distance < 1u << arguments.log_rows; distance *= 2) between_rows(rows, distance, kind);
}

__attribute__((noinline)) static void forward_30(void) { transform_forward(montgomery_30); }
__attribute__((noinline)) static void forward_24(void) { transform_forward(montgomery_24); }
__attribute__((noinline)) static void inverse_30(void) { transform_inverse(montgomery_30); }
__attribute__((noinline)) static void inverse_24(void) { transform_inverse(montgomery_24); }
__attribute__((noinline)) static void columns_forward_30(uint32_t* rows) { columns_forward(rows, montgomery_30); }
__attribute__((noinline)) static void columns_forward_24(uint32_t* rows) { columns_forward(rows, montgomery_24); }
__attribute__((noinline)) static void columns_inverse_30(uint32_t* rows) { columns_inverse(rows, montgomery_30); }
__attribute__((noinline)) static void columns_inverse_24(uint32_t* rows) { columns_inverse(rows, montgomery_24); }

static void transform(void) {
  if (arguments.verb == kForward) {
    if (arguments.narrow) forward_24();
    else forward_30();
  } else {
    if (arguments.narrow) inverse_24();
    else inverse_30();
  }
}

static void transform_columns(uint32_t* rows) {
  if (arguments.verb == kForward) {
    if (arguments.narrow) columns_forward_24(rows);
    else columns_forward_30(rows);
  } else {
    if (arguments.narrow) columns_inverse_24(rows);
    else columns_inverse_30(rows);
  }
}

// Computes the stages between rows of the polynomial at `place`, one chunk of columns at a time, in this tasklet's part
// of `data`.
static void pass_columns(uint32_t place) {
  uint32_t* rows = data + me() * (1u << kMostLogRows) * kChunk;
  const uint32_t count = 1u << arguments.log_rows, stride = 4u << arguments.log_n;
  for (uint32_t at = place + me() * kChunk * 4; at < place + stride; at += NR_TASKLETS * kChunk * 4) {
    for (uint32_t row = 0; row < count; row++)
      mram_read((__mram_ptr void*)(uintptr_t)(at + row * stride), rows + row * kChunk, kChunk * 4);
    transform_columns(rows);
    for (uint32_t row = 0; row < count; row++)
      mram_write(rows + row * kChunk, (__mram_ptr void*)(uintptr_t)(at + row * stride), kChunk * 4);
  }
  barrier_wait(&stage_end);
}

static void read_twiddles(uint32_t row) {
  const uint32_t n = 1u << arguments.log_n, resident = (n < kResidentTwiddles ? n : kResidentTwiddles) / NR_TASKLETS;
  table = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + arguments.twiddles + row * n * 4;
  mram_read((__mram_ptr void*)(uintptr_t)(table + me() * resident * 4), twiddles + me() * resident, resident * 4);
}

static void transform_row(uint32_t place) {
  const uint32_t share = (1u << arguments.log_n) / NR_TASKLETS;
  uint32_t* mine = data + me() * share;
  __mram_ptr void* there = (__mram_ptr void*)(uintptr_t)(place + me() * share * 4);
  mram_read(there, mine, share * 4);
  barrier_wait(&stage_end);
  transform();
  barrier_wait(&stage_end);
  mram_write(mine, there, share * 4);
}

// Transforms a polynomial of several rows. Every row has its own twiddles: after the barrier at the end of a row's
// stages no tasklet uses the twiddles of earlier rows.
static void transform_long(uint32_t place) {
  if (arguments.verb == kForward) pass_columns(place);
  for (uint32_t row = 0; row < 1u << arguments.log_rows; row++) {
    read_twiddles(row);
    transform_row(place + (row << (arguments.log_n + 2)));
  }
  if (arguments.verb == kForward) return;
  barrier_wait(&stage_end);
  pass_columns(place);
}

int main(void) {
  const uint32_t bytes = 4u << arguments.log_n << arguments.log_rows;
  uint32_t place = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + arguments.data;
  if (arguments.log_rows == 0) read_twiddles(0);
  for (uint32_t p = 0; p < arguments.polynomials; p++, place += bytes) {
    if (arguments.log_rows == 0) transform_row(place);
    else transform_long(place);
  }
  return 0;
}
