// SPDX-License-Identifier: Apache-2.0
// The kernel tensor: the tensor product of two ciphertexts (tensor.h). Each coefficient takes four products and gives
// three results. A tasklet has four blocks in WRAM, and computes in place. hw/pim/README.md explains the terms.
#include "tensor.h"

#include <defs.h>
#include <mram.h>

#include "modular.h"

enum { kTensorWords = 128 };

__host struct TensorArguments arguments;

static __dma_aligned uint32_t buffers[NR_TASKLETS][4 * kTensorWords];

typedef uint32_t (*Multiply)(uint32_t a, uint32_t b, uint32_t q);

// Overwrites a0, a1, b0 with the three results.
__attribute__((always_inline)) static inline void each(uint32_t* a, uint32_t words, Multiply multiply) {
  const uint32_t q = arguments.q;
  for (const uint32_t* end = a + words; a < end; a++) {
    const uint32_t a0 = a[0], a1 = a[kTensorWords], b0 = a[2 * kTensorWords], b1 = a[3 * kTensorWords];
    a[0] = multiply(a0, b0, q);
    a[kTensorWords] = add_mod(multiply(a0, b1, q), multiply(a1, b0, q), q);
    a[2 * kTensorWords] = multiply(a1, b1, q);
  }
}

__attribute__((noinline)) static void each_30(uint32_t* a, uint32_t words) { each(a, words, montgomery_30); }
__attribute__((noinline)) static void each_24(uint32_t* a, uint32_t words) { each(a, words, montgomery_24); }

int main(void) {
  uint32_t* a = buffers[me()];
  const uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER, total = arguments.words;
  const uint32_t inputs[4] = {arguments.a0, arguments.a1, arguments.b0, arguments.b1};
  const uint32_t outputs[3] = {arguments.out0, arguments.out1, arguments.out2};
  for (uint32_t first = me() * kTensorWords; first < total; first += NR_TASKLETS * kTensorWords) {
    const uint32_t words = total - first < kTensorWords ? total - first : kTensorWords, at = heap + first * 4;
    for (uint32_t i = 0; i < 4; i++)
      mram_read((__mram_ptr void*)(uintptr_t)(at + inputs[i]), a + i * kTensorWords, words * 4);
    if (arguments.narrow) {
      each_24(a, words);
    } else {
      each_30(a, words);
    }
    for (uint32_t i = 0; i < 3; i++)
      mram_write(a + i * kTensorWords, (__mram_ptr void*)(uintptr_t)(at + outputs[i]), words * 4);
  }
  return 0;
}
