// SPDX-License-Identifier: Apache-2.0
// The common code of the kernels ntt and ntt64: negacyclic number-theoretic transforms of polynomials with 2^6 to 2^16
// coefficients. The forward transform is Cooley-Tukey's, and the inverse transform is Gentleman-Sande's. The 2n-th root
// is merged into the twiddles. Values are canonical between stages. Each tasklet computes a sixteenth of a stage's
// butterflies, and a barrier ends the stage. If a row has fewer than 2^kRowLog words, WRAM has all its twiddles. If it
// has 2^kRowLog words, WRAM has the first half of its twiddles. Only the stage of neighbouring pairs uses the second
// half, and reads it from MRAM in pieces. A polynomial of several rows takes one more pass through MRAM (ntt.h). Each
// kernel defines types and sizes, and then includes this file. hw/pim/README.md explains the terms.
#pragma once

#include <barrier.h>
#include <defs.h>
#include <mram.h>

BARRIER_INIT(stage_end, NR_TASKLETS)

__host Arguments arguments;

static __dma_aligned Word data[1 << kRowLog];
static __dma_aligned Word twiddles[kResidentTwiddles];
static __dma_aligned Word pieces[NR_TASKLETS][kPieceWords];
static uint32_t table;  // MRAM address of the current row's twiddles. All tasklets write the same value.

typedef Word (*Multiply)(Word a, Word b, Word q);

// Butterflies. forward() maps (a, b) to (a + w b, a - w b). inverse() maps the result back to (2 a, 2 b), if its
// argument w is the inverse of the w of forward().
__attribute__((always_inline)) static inline void forward(Word* a, Word* b, Word w, Word q, Multiply multiply) {
  Word u = *a, v = multiply(*b, w, q);
  *a = add_mod(u, v, q);
  *b = subtract_mod(u, v, q);
}

__attribute__((always_inline)) static inline void inverse(Word* a, Word* b, Word w, Word q, Multiply multiply) {
  Word u = *a, v = *b;
  *a = add_mod(u, v, q);
  *b = multiply(subtract_mod(u, v, q), w, q);
}

typedef void (*Butterfly)(Word* a, Word* b, Word w, Word q, Multiply multiply);

// The functions that the inner loops of a stage call. They are compile-time constants after inlining.
struct Kind {
  Butterfly butterfly;
  Multiply multiply;
};

// Computes `count` (even) butterflies at a, a + 1, ... with one twiddle.
__attribute__((always_inline)) static inline void butterflies(Word* a, uint32_t distance, uint32_t count, Word w,
                                                              struct Kind kind) {
  const Word q = arguments.q, *end = a + count;
  Word* b = a + distance;
  do {
    kind.butterfly(a, b, w, q, kind.multiply);
    kind.butterfly(a + 1, b + 1, w, q, kind.multiply);
    a += 2;
    b += 2;
  } while (a < end);
}

// Computes the butterflies first .. first + count - 1 of a stage. The operands of a butterfly are 2^log_distance >= 2
// words apart.
__attribute__((always_inline)) static inline void wide_stage(uint32_t first, uint32_t count, uint32_t log_distance,
                                                             struct Kind kind) {
  const uint32_t distance = 1u << log_distance, group = first >> log_distance;
  const uint32_t length = count < distance ? count : distance;
  const Word* w = twiddles + (1u << (arguments.log_n - log_distance - 1)) + group;
  Word* a = data + first + (group << log_distance);
  for (uint32_t done = 0; done < count; done += length, a += 2 * distance) butterflies(a, distance, length, *w++, kind);
}

// Computes `count` (even) butterflies of neighbouring words, each with its own twiddle.
__attribute__((always_inline)) static inline void neighbours(Word* a, const Word* w, uint32_t count, struct Kind kind) {
  const Word q = arguments.q, *end = a + 2 * count;
  do {
    kind.butterfly(a, a + 1, w[0], q, kind.multiply);
    kind.butterfly(a + 2, a + 3, w[1], q, kind.multiply);
    a += 4;
    w += 2;
  } while (a < end);
}

// Returns the twiddles for `count` pairs of neighbouring words, from pair `first` on. Reads them from MRAM if they are
// not in WRAM.
static const Word* pair_twiddles(uint32_t first, uint32_t count) {
  const uint32_t half = 1u << (arguments.log_n - 1);
  if (half < kResidentTwiddles) return twiddles + half + first;
  mram_read((__mram_ptr void*)(uintptr_t)(table + (half + first) * sizeof(Word)), pieces[me()], count * sizeof(Word));
  return pieces[me()];
}

__attribute__((always_inline)) static inline void neighbour_stage(uint32_t first, uint32_t count, struct Kind kind) {
  const uint32_t length = count < kPieceWords ? count : kPieceWords;
  for (uint32_t end = first + count; first < end; first += length)
    neighbours(data + 2 * first, pair_twiddles(first, length), length, kind);
}

// Computes the last stage of a row's inverse transform together with the division by n: maps (a, b) to ((a + b) / n, (a
// - b) w / n).
__attribute__((always_inline)) static inline void scaled_stage(uint32_t first, uint32_t count, Multiply multiply) {
  const Word q = arguments.q, scale = arguments.scale, w = multiply(twiddles[1], scale, q);
  Word *a = data + first, *b = a + (1u << (arguments.log_n - 1));
  for (const Word* end = a + count; a < end; a++, b++) {
    Word u = *a, v = *b;
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

// Computes one of the stages between rows, for kChunk columns. In the buffer `rows`, consecutive rows are kChunk words
// apart. The operands of a butterfly are `distance` rows apart.
__attribute__((always_inline)) static inline void between_rows(Word* rows, uint32_t distance, struct Kind kind) {
  const uint32_t count = 1u << arguments.log_rows, groups = count / (2 * distance);
  for (uint32_t group = 0; group < groups; group++) {
    for (uint32_t row = 0; row < distance; row++)
      butterflies(rows + (2 * group * distance + row) * kChunk, distance * kChunk, kChunk,
                  arguments.columns[groups + group], kind);
  }
}

__attribute__((always_inline)) static inline void columns_forward(Word* rows, Multiply multiply) {
  const struct Kind kind = {forward, multiply};
  for (uint32_t distance = (1u << arguments.log_rows) / 2; distance > 0; distance /= 2)
    between_rows(rows, distance, kind);
}

__attribute__((always_inline)) static inline void columns_inverse(Word* rows, Multiply multiply) {
  const struct Kind kind = {inverse, multiply};
  for (uint32_t distance = 1; distance < 1u << arguments.log_rows; distance *= 2) between_rows(rows, distance, kind);
}

__attribute__((noinline)) static void forward_wide(void) { transform_forward(multiply_wide); }
__attribute__((noinline)) static void forward_narrow(void) { transform_forward(multiply_narrow); }
__attribute__((noinline)) static void inverse_wide(void) { transform_inverse(multiply_wide); }
__attribute__((noinline)) static void inverse_narrow(void) { transform_inverse(multiply_narrow); }
__attribute__((noinline)) static void columns_forward_wide(Word* rows) { columns_forward(rows, multiply_wide); }
__attribute__((noinline)) static void columns_forward_narrow(Word* rows) { columns_forward(rows, multiply_narrow); }
__attribute__((noinline)) static void columns_inverse_wide(Word* rows) { columns_inverse(rows, multiply_wide); }
__attribute__((noinline)) static void columns_inverse_narrow(Word* rows) { columns_inverse(rows, multiply_narrow); }

static void transform(void) {
  if (arguments.verb == kForward) {
    if (arguments.narrow) forward_narrow();
    else forward_wide();
  } else {
    if (arguments.narrow) inverse_narrow();
    else inverse_wide();
  }
}

static void transform_columns(Word* rows) {
  if (arguments.verb == kForward) {
    if (arguments.narrow) columns_forward_narrow(rows);
    else columns_forward_wide(rows);
  } else {
    if (arguments.narrow) columns_inverse_narrow(rows);
    else columns_inverse_wide(rows);
  }
}

// Computes the stages between rows of the polynomial at MRAM address `address`. Each tasklet takes one chunk of columns
// at a time into its part of `data`.
static void pass_columns(uint32_t address) {
  Word* rows = data + me() * (1u << kRowsLog) * kChunk;
  const uint32_t count = 1u << arguments.log_rows, stride = sizeof(Word) << arguments.log_n;
  for (uint32_t at = address + me() * kChunk * sizeof(Word); at < address + stride;
       at += NR_TASKLETS * kChunk * sizeof(Word)) {
    for (uint32_t row = 0; row < count; row++)
      mram_read((__mram_ptr void*)(uintptr_t)(at + row * stride), rows + row * kChunk, kChunk * sizeof(Word));
    transform_columns(rows);
    for (uint32_t row = 0; row < count; row++)
      mram_write(rows + row * kChunk, (__mram_ptr void*)(uintptr_t)(at + row * stride), kChunk * sizeof(Word));
  }
  barrier_wait(&stage_end);
}

static void read_twiddles(uint32_t row) {
  const uint32_t n = 1u << arguments.log_n, resident = (n < kResidentTwiddles ? n : kResidentTwiddles) / NR_TASKLETS;
  table = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + arguments.twiddles + row * n * sizeof(Word);
  mram_read((__mram_ptr void*)(uintptr_t)(table + me() * resident * sizeof(Word)), twiddles + me() * resident,
            resident * sizeof(Word));
}

static void transform_row(uint32_t address) {
  const uint32_t share = (1u << arguments.log_n) / NR_TASKLETS;
  Word* mine = data + me() * share;
  __mram_ptr void* there = (__mram_ptr void*)(uintptr_t)(address + me() * share * sizeof(Word));
  mram_read(there, mine, share * sizeof(Word));
  barrier_wait(&stage_end);
  transform();
  barrier_wait(&stage_end);
  mram_write(mine, there, share * sizeof(Word));
}

// Transforms a polynomial of several rows. Every row has its own twiddles. After the barrier at the end of a row's
// stages, no tasklet uses the twiddles of this row any more. Therefore the twiddles of the next row may replace them.
static void transform_long(uint32_t address) {
  if (arguments.verb == kForward) pass_columns(address);
  for (uint32_t row = 0; row < 1u << arguments.log_rows; row++) {
    read_twiddles(row);
    transform_row(address + row * (sizeof(Word) << arguments.log_n));
  }
  if (arguments.verb == kForward) return;
  barrier_wait(&stage_end);
  pass_columns(address);
}

int main(void) {
  const uint32_t bytes = sizeof(Word) << arguments.log_n << arguments.log_rows;
  uint32_t address = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + arguments.data;
  if (arguments.log_rows == 0) read_twiddles(0);
  for (uint32_t p = 0; p < arguments.polynomials; p++, address += bytes) {
    if (arguments.log_rows == 0) transform_row(address);
    else transform_long(address);
  }
  return 0;
}
