// SPDX-License-Identifier: Apache-2.0
// The common code of the kernels decompose and decompose64 (decompose.h). A tasklet reads a block of residues. Each
// step splits the lowest digit off every word, and writes these digits to MRAM as one block. Signed values are in two's
// complement. hw/pim/README.md explains the terms.
#pragma once

#include "blocks.h"

__host Arguments arguments;

// The buffer of a tasklet. Its first half has what is left of the residues. Its second half has the digits that the
// current step splits off.
static __dma_aligned Word buffers[NR_TASKLETS][2 * kBlockWords];

static Word shifted_right(Word y, uint32_t count) { return (Word)((SignedWord)y >> count); }

static void lift(Word* y, uint32_t words) {
  const Word q = arguments.q, half = q / 2;
  const uint32_t shift = arguments.shift;
  for (Word* end = y + words; y < end; y++) {
    if (!arguments.centred) {
      *y = *y >> shift / 2 >> (shift - shift / 2);
      continue;
    }
    const Word centred = *y > half ? *y - q : *y;
    *y = shift == 0 ? centred : shifted_right(shifted_right(centred, shift - 1) + 1, 1);
  }
}

static void split_plain(Word* y, uint32_t words) {
  const uint32_t bits = arguments.base_bits;
  const Word mask = ((Word)1 << bits) - 1;
  for (Word* end = y + words; y < end; y++) {
    y[kBlockWords] = *y & mask;
    *y >>= bits;
  }
}

// Splits off a centred digit. Two shifts, of y to the top of the word and back, extend the sign of the digit.
static void split_centred(Word* y, uint32_t words) {
  const uint32_t bits = arguments.base_bits, rest = 8 * sizeof(Word) - bits;
  const Word q = arguments.q;
  for (Word* end = y + words; y < end; y++) {
    const Word digit = shifted_right(*y << rest, rest);
    y[kBlockWords] = (SignedWord)digit < 0 ? digit + q : digit;
    *y = shifted_right(*y - digit, bits);
  }
}

static void take_rest(Word* y, uint32_t words) {
  const Word q = arguments.q;
  for (Word* end = y + words; y < end; y++) y[kBlockWords] = (SignedWord)*y < 0 ? *y + q : *y;
}

static void split(Word* y, uint32_t words, uint32_t is_last) {
  if (!arguments.centred) split_plain(y, words);
  else if (is_last) take_rest(y, words);
  else split_centred(y, words);
}

static void decompose_polynomial(uint32_t from, uint32_t to) {
  Word* y = buffers[me()];
  const uint32_t total = arguments.words;
  for (uint32_t first = me() * kBlockWords; first < total; first += NR_TASKLETS * kBlockWords) {
    const uint32_t words = total - first < kBlockWords ? total - first : kBlockWords;
    read_words(from + first * sizeof(Word), y, words);
    lift(y, words);
    for (uint32_t j = 0; j < arguments.digits; j++) {
      split(y, words, j + 1 == arguments.digits);
      write_words(y + kBlockWords, to + (j * total + first) * sizeof(Word), words);
    }
  }
}

int main(void) {
  const uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER, bytes = arguments.words * sizeof(Word);
  uint32_t from = heap + arguments.data, to = heap + arguments.out;
  for (uint32_t p = 0; p < arguments.polynomials; p++) {
    decompose_polynomial(from, to);
    from += bytes;
    for (uint32_t j = 0; j < arguments.digits; j++) to += bytes;
  }
  return 0;
}
