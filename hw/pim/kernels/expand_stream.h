// SPDX-License-Identifier: Apache-2.0
// The common code of the kernels expand and expand64: expands a seed to random words by ChaCha20 [RFC8439] (expand.h).
// Tasklets take chunks of at most 64 words in turn. A cipher block gives four words. Each kernel defines the
// function that reduces a sample mod q, and then includes this file.
#pragma once

enum { kChunk = 64, kStateWords = 16 };

static __dma_aligned Word buffers[NR_TASKLETS][kChunk];

__attribute__((always_inline)) static inline uint32_t rotated(uint32_t a, uint32_t count) {
  return a << count | a >> (32 - count);
}

__attribute__((always_inline)) static inline void quarter_round(uint32_t* a, uint32_t* b, uint32_t* c, uint32_t* d) {
  *a += *b, *d = rotated(*d ^ *a, 16);
  *c += *d, *b = rotated(*b ^ *c, 12);
  *a += *b, *d = rotated(*d ^ *a, 8);
  *c += *d, *b = rotated(*b ^ *c, 7);
}

__attribute__((always_inline)) static inline void double_round(uint32_t* s) {
  quarter_round(s, s + 4, s + 8, s + 12);
  quarter_round(s + 1, s + 5, s + 9, s + 13);
  quarter_round(s + 2, s + 6, s + 10, s + 14);
  quarter_round(s + 3, s + 7, s + 11, s + 15);
  quarter_round(s, s + 5, s + 10, s + 15);
  quarter_round(s + 1, s + 6, s + 11, s + 12);
  quarter_round(s + 2, s + 7, s + 8, s + 13);
  quarter_round(s + 3, s + 4, s + 9, s + 14);
}

// Writes the initial state: "expand 32-byte k", key, counter, nonce.
static void first_state(uint32_t* state, uint32_t counter, uint32_t polynomial) {
  state[0] = 0x61707865, state[1] = 0x3320646e, state[2] = 0x79622d32, state[3] = 0x6b206574;
  for (uint32_t i = 0; i < 8; i++) state[4 + i] = arguments.key[i];
  state[12] = counter;
  state[13] = arguments.nonce[0], state[14] = arguments.nonce[1];
  state[15] = arguments.nonce[2] + (polynomial << 16);
}

// Writes cipher block `counter` as words.
__attribute__((noinline)) static void keystream(uint32_t* out, uint32_t counter, uint32_t polynomial) {
  uint32_t first[kStateWords], state[kStateWords];
  first_state(first, counter, polynomial);
  for (uint32_t i = 0; i < kStateWords; i++) state[i] = first[i];
  for (uint32_t round = 0; round < 10; round++) double_round(state);
  for (uint32_t i = 0; i < kStateWords; i++) out[i] = state[i] + first[i];
}

// Writes samples, four from each cipher block.
static void fill(Word* out, uint32_t first, uint32_t words, uint32_t polynomial) {
  uint32_t stream[kStateWords];
  for (uint32_t i = 0; i < words; i += 4) {
    keystream(stream, (first + i) / 4, polynomial);
    for (uint32_t j = 0; j < 4; j++) out[i + j] = remainder_of(stream + 4 * j);
  }
}

int main(void) {
  Word* chunk = buffers[me()];
  uint32_t out = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + arguments.out;
  for (uint32_t p = 0; p < arguments.polynomials; p++, out += arguments.words * sizeof(Word)) {
    for (uint32_t first = me() * kChunk; first < arguments.words; first += NR_TASKLETS * kChunk) {
      const uint32_t left = arguments.words - first, words = left < kChunk ? left : kChunk;
      fill(chunk, first, words, p);
      mram_write(chunk, (__mram_ptr void*)(uintptr_t)(out + first * sizeof(Word)), words * sizeof(Word));
    }
  }
  return 0;
}
