// SPDX-License-Identifier: Apache-2.0
// The common code of the kernels automorphism and automorphism64. An automorphism x -> x^k gathers the words of its
// result from the words of the polynomial a. In the coefficient domain, let i = j k^-1 mod 2n. Coefficient j of a(x^k)
// is coefficient i mod n of a, negated if i >= n. In the evaluation domain, value j of a(x^k) is the value of a at the
// k-th power of point j. A polynomial of up to 32 KB is copied to WRAM. A longer polynomial stays in MRAM. There, each
// word costs a transfer of 8 bytes, which takes 41 cycles of the DMA engine. Several passes through WRAM would cost
// more. hw/pim/README.md explains the terms.
#pragma once

#include <barrier.h>
#include <defs.h>
#include <mram.h>

enum { kBlock = 64, kGroup = 8, kTogether = 8 / sizeof(Word) };

BARRIER_INIT(polynomial_end, NR_TASKLETS)

__host Arguments arguments;

static __dma_aligned Word resident[1 << kResidentLog];
static __dma_aligned Word blocks[NR_TASKLETS][kBlock];
static uint8_t reversed_byte[256];

// Reads a word of the polynomial at MRAM address `address`.
static Word word_at(uint32_t address, uint32_t index) {
  if (arguments.log_n <= kResidentLog) return resident[index];
  __dma_aligned Word together[kTogether];
  mram_read((__mram_ptr void*)(uintptr_t)(address + (index & ~(kTogether - 1u)) * sizeof(Word)), together, 8);
  return together[index & (kTogether - 1)];
}

static void gather_coefficients(uint32_t address, uint32_t first, Word* out) {
  const uint32_t n = 1u << arguments.log_n, step = arguments.step;
  const Word q = arguments.q;
  uint32_t from = 0;
  for (uint32_t bit = 0; bit < arguments.log_n; bit++) from += (first >> bit & 1) * (step << bit);
  for (uint32_t i = 0; i < kBlock; i++, from += step) {
    const Word word = word_at(address, from & (n - 1));
    out[i] = (from & n) != 0 && word != 0 ? q - word : word;
  }
}

// Reverses the lower `bits` <= 16 bits of a.
static uint32_t reversed(uint32_t a, uint32_t bits) {
  return ((uint32_t)reversed_byte[a & 255] << 8 | reversed_byte[a >> 8 & 255]) >> (16 - bits);
}

// Gathers values of the evaluation domain. The point of index j is the root to the power 2 reversed(j) + 1. The k-th
// power of this point has the exponent k + 2 k reversed(j). Bit b of j contributes k 2^(log_n - b) to this exponent.
// The value at the point with exponent e has the index reversed(e / 2).
static void gather_values(uint32_t address, uint32_t first, Word* out) {
  const uint32_t log_n = arguments.log_n, step = arguments.step, mask = (1u << log_n) - 1;
  uint32_t exponent = step, offsets[kGroup];
  for (uint32_t bit = 0; bit < log_n; bit++) exponent += (first >> bit & 1) * (step << (log_n - bit));
  for (uint32_t i = 0; i < kBlock; i += kGroup) {
    const uint32_t at = exponent + (i >> 3 & 1) * (step << (log_n - 3)) + (i >> 4 & 1) * (step << (log_n - 4)) +
                        (i >> 5 & 1) * (step << (log_n - 5));
    for (uint32_t j = 0; j < kGroup; j++)
      offsets[j] = (j & 1) * (step << log_n) + (j >> 1 & 1) * (step << (log_n - 1)) + (j >> 2) * (step << (log_n - 2));
    for (uint32_t j = 0; j < kGroup; j++) out[i + j] = word_at(address, reversed((at + offsets[j]) >> 1 & mask, log_n));
  }
}

static void make_reversed_bytes(void) {
  for (uint32_t a = me(); a < 256; a += NR_TASKLETS) {
    uint32_t result = 0;
    for (uint32_t bit = 0; bit < 8; bit++) result |= (a >> bit & 1) << (7 - bit);
    reversed_byte[a] = (uint8_t)result;
  }
}

static void fetch(uint32_t address) {
  const uint32_t share = (1u << arguments.log_n) / NR_TASKLETS;
  if (arguments.log_n <= kResidentLog)
    mram_read((__mram_ptr void*)(uintptr_t)(address + me() * share * sizeof(Word)), resident + me() * share,
              share * sizeof(Word));
  barrier_wait(&polynomial_end);
}

int main(void) {
  const uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER, n = 1u << arguments.log_n;
  Word* block = blocks[me()];
  make_reversed_bytes();
  for (uint32_t p = 0; p < arguments.polynomials; p++) {
    const uint32_t done = p * n * sizeof(Word), address = heap + arguments.data + done,
                   out = heap + arguments.out + done;
    fetch(address);
    for (uint32_t first = me() * kBlock; first < n; first += NR_TASKLETS * kBlock) {
      if (arguments.domain == kCoefficients) gather_coefficients(address, first, block);
      else gather_values(address, first, block);
      mram_write(block, (__mram_ptr void*)(uintptr_t)(out + first * sizeof(Word)), kBlock * sizeof(Word));
    }
    barrier_wait(&polynomial_end);
  }
  return 0;
}
