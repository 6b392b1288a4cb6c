// SPDX-License-Identifier: Apache-2.0
// Negacyclic number-theoretic transforms of whole polynomials in WRAM, n = 2^6 .. 2^13: Cooley-Tukey forward, Gentleman-Sande
// inverse, the 2n-th root merged into the twiddles, every value canonical between stages. Each tasklet owns a sixteenth of
// a stage's butterflies; a barrier ends the stage. Twiddles 0 .. 4095 stay in WRAM; those of the one stage that uses the upper
// half of 8192 come in pieces. Polynomials beyond 2^13 take passes through MRAM, which are not here.
#include "ntt.h"

#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "modular.h"

enum { kResidentTwiddles = 4096, kPieceWords = 128 };

BARRIER_INIT(stage_end, NR_TASKLETS)

__host struct NttArguments arguments;

static __dma_aligned uint32_t data[1 << kMostLog];
static __dma_aligned uint32_t twiddles[kResidentTwiddles];
static __dma_aligned uint32_t pieces[NR_TASKLETS][kPieceWords];

typedef uint32_t (*Multiply)(uint32_t a, uint32_t b, uint32_t q);

// (a, b) to (a + w b, a - w b), and back without the factor 2.
__attribute__((always_inline)) static inline void forward(uint32_t *a, uint32_t *b, uint32_t w, uint32_t q, Multiply multiply) {
  uint32_t u = *a, v = multiply(*b, w, q);
  *a = add_mod(u, v, q);
  *b = sub_mod(u, v, q);
}

__attribute__((always_inline)) static inline void inverse(uint32_t *a, uint32_t *b, uint32_t w, uint32_t q, Multiply multiply) {
  uint32_t u = *a, v = *b;
  *a = add_mod(u, v, q);
  *b = multiply(sub_mod(u, v, q), w, q);
}

typedef void (*Butterfly)(uint32_t *a, uint32_t *b, uint32_t w, uint32_t q, Multiply multiply);

// What a stage's inner loops are made of; known where they are inlined.
struct Kind {
  Butterfly butterfly;
  Multiply multiply;
};

// `count` butterflies (even) at a, a + 1, ... with one twiddle.
__attribute__((always_inline)) static inline void run(uint32_t *a, uint32_t distance, uint32_t count, uint32_t w, struct Kind kind) {
  const uint32_t q = arguments.q, *end = a + count;
  uint32_t *b = a + distance;
  do {
    kind.butterfly(a, b, w, q, kind.multiply);
    kind.butterfly(a + 1, b + 1, w, q, kind.multiply);
    a += 2;
    b += 2;
  } while (a < end);
}

// Butterflies first .. first + count - 1 of the stage whose partners are `distance` >= 2 apart.
__attribute__((always_inline)) static inline void wide_stage(uint32_t first, uint32_t count, uint32_t log_distance, struct Kind kind) {
  const uint32_t distance = 1u << log_distance, group = first >> log_distance;
  const uint32_t length = count < distance ? count : distance;
  const uint32_t *w = twiddles + (1u << (arguments.log_n - log_distance - 1)) + group;
  uint32_t *a = data + first + (group << log_distance);
  for (uint32_t done = 0; done < count; done += length, a += 2 * distance) run(a, distance, length, *w++, kind);
}

// Neighbours, each pair with a twiddle of its own.
__attribute__((always_inline)) static inline void neighbours(uint32_t *a, const uint32_t *w, uint32_t count, struct Kind kind) {
  const uint32_t q = arguments.q, *end = a + 2 * count;
  do {
    kind.butterfly(a, a + 1, w[0], q, kind.multiply);
    kind.butterfly(a + 2, a + 3, w[1], q, kind.multiply);
    a += 4;
    w += 2;
  } while (a < end);
}

// The twiddles of `count` neighbouring pairs from `first` on: in WRAM already, or fetched.
static const uint32_t *pair_twiddles(uint32_t first, uint32_t count) {
  const uint32_t half = 1u << (arguments.log_n - 1);
  if (half < kResidentTwiddles) return twiddles + half + first;
  mram_read((__mram_ptr void *)(uintptr_t)((uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + arguments.twiddles + (half + first) * 4), pieces[me()], count * 4);
  return pieces[me()];
}

__attribute__((always_inline)) static inline void neighbour_stage(uint32_t first, uint32_t count, struct Kind kind) {
  const uint32_t length = count < kPieceWords ? count : kPieceWords;
  for (uint32_t end = first + count; first < end; first += length) neighbours(data + 2 * first, pair_twiddles(first, length), length, kind);
}

// The inverse's last stage, with the division by n: (a, b) to ((a + b) / n, (a - b) w / n).
__attribute__((always_inline)) static inline void scaled_stage(uint32_t first, uint32_t count, Multiply multiply) {
  const uint32_t q = arguments.q, scale = arguments.scale, w = arguments.scaled_twiddle;
  uint32_t *a = data + first, *b = a + (1u << (arguments.log_n - 1));
  for (const uint32_t *end = a + count; a < end; a++, b++) {
    uint32_t u = *a, v = *b;
    *a = multiply(add_mod(u, v, q), scale, q);
    *b = multiply(sub_mod(u, v, q), w, q);
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

__attribute__((noinline)) static void forward_30(void) { transform_forward(montgomery_30); }
__attribute__((noinline)) static void forward_24(void) { transform_forward(montgomery_24); }
__attribute__((noinline)) static void inverse_30(void) { transform_inverse(montgomery_30); }
__attribute__((noinline)) static void inverse_24(void) { transform_inverse(montgomery_24); }

static void transform(void) {
  if (arguments.verb == kForward) {
    if (arguments.narrow) forward_24();
    else forward_30();
  } else {
    if (arguments.narrow) inverse_24();
    else inverse_30();
  }
}

int main(void) {
  const uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER, n = 1u << arguments.log_n;
  const uint32_t share = n / NR_TASKLETS, resident = (n < kResidentTwiddles ? n : kResidentTwiddles) / NR_TASKLETS;
  mram_read((__mram_ptr void *)(uintptr_t)(heap + arguments.twiddles + me() * resident * 4), twiddles + me() * resident, resident * 4);
  uint32_t *mine = data + me() * share;
  for (uint32_t p = 0; p < arguments.polynomials; p++) {
    __mram_ptr void *place = (__mram_ptr void *)(uintptr_t)(heap + arguments.data + (p * n + me() * share) * 4);
    mram_read(place, mine, share * 4);
    barrier_wait(&stage_end);
    transform();
    barrier_wait(&stage_end);
    mram_write(mine, place, share * 4);
  }
  return 0;
}
