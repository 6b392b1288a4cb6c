// SPDX-License-Identifier: Apache-2.0
// Gadget decomposition (decompose.h). A block of residues is decomposed in place: each step writes one block of digits
// and keeps the remaining parts. Signed values are in two's complement.
#include "decompose.h"

#include "blocks.h"

__host struct DecomposeArguments arguments;

// the rest, then the digits of this turn
static __dma_aligned uint32_t buffers[NR_TASKLETS][2 * kBlockWords];

static uint32_t shifted_right(uint32_t y, uint32_t count) { return (uint32_t)((int32_t)y >> count); }

static void lift(uint32_t* y, uint32_t words) {
  const uint32_t q = arguments.q, shift = arguments.shift, half = q / 2;
  for (uint32_t* end = y + words; y < end; y++) {
    if (!arguments.centred) {
      *y = *y >> shift / 2 >> (shift - shift / 2);
      continue;
    }
    const uint32_t centred = *y > half ? *y - q : *y;
    *y = shift == 0 ? centred : shifted_right(shifted_right(centred, shift - 1) + 1, 1);
  }
}

static void split_plain(uint32_t* y, uint32_t words) {
  const uint32_t mask = (1u << arguments.base_bits) - 1, bits = arguments.base_bits;
  for (uint32_t* end = y + words; y < end; y++) {
    y[kBlockWords] = *y & mask;
    *y >>= bits;
  }
}

// Splits off a centred digit. Shifting y to the top of the word and back extends the digit's sign.
static void split_centred(uint32_t* y, uint32_t words) {
  const uint32_t bits = arguments.base_bits, rest = 32 - bits, q = arguments.q;
  for (uint32_t* end = y + words; y < end; y++) {
    const uint32_t digit = shifted_right(*y << rest, rest);
    y[kBlockWords] = (int32_t)digit < 0 ? digit + q : digit;
    *y = shifted_right(*y - digit, bits);
  }
}

static void take_rest(uint32_t* y, uint32_t words) {
  const uint32_t q = arguments.q;
  for (uint32_t* end = y + words; y < end; y++) y[kBlockWords] = (int32_t)*y < 0 ? *y + q : *y;
}

static void split(uint32_t* y, uint32_t words, uint32_t is_last) {
  if (!arguments.centred) split_plain(y, words);
  else if (is_last) take_rest(y, words);
  else split_centred(y, words);
}

static void decompose_polynomial(uint32_t from, uint32_t to) {
  uint32_t* y = buffers[me()];
  const uint32_t total = arguments.words;
  for (uint32_t first = me() * kBlockWords; first < total; first += NR_TASKLETS * kBlockWords) {
    const uint32_t words = total - first < kBlockWords ? total - first : kBlockWords;
    read_words(from + first * 4, y, words);
    lift(y, words);
    for (uint32_t j = 0; j < arguments.digits; j++) {
      split(y, words, j + 1 == arguments.digits);
      write_words(y + kBlockWords, to + (j * total + first) * 4, words);
    }
  }
}

int main(void) {
  const uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER, bytes = arguments.words * 4;
  uint32_t from = heap + arguments.data, to = heap + arguments.out;
  for (uint32_t p = 0; p < arguments.polynomials; p++) {
    decompose_polynomial(from, to);
    from += bytes;
    for (uint32_t j = 0; j < arguments.digits; j++) to += bytes;
  }
  return 0;
}
