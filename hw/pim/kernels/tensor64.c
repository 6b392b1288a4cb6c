// SPDX-License-Identifier: Apache-2.0
// The kernel tensor64: the tensor product of two ciphertexts of 64-bit words (tensor.h). A tasklet has four blocks in
// WRAM, and computes in place. hw/pim/README.md explains the terms.
#include "tensor.h"

#include <defs.h>
#include <mram.h>

#include "modular64.h"

enum { kTensorWords = 64 };

__host struct Tensor64Arguments arguments;

static __dma_aligned Word buffers[NR_TASKLETS][4 * kTensorWords];

typedef Word (*Product)(Word a, Word b, const struct Divisor* divisor);

// Overwrites a0, a1, b0 with the three results.
__attribute__((always_inline)) static inline void each(Word* a, uint32_t words, Product product) {
  const struct Divisor divisor = {arguments.shifted, arguments.quotient, arguments.shift};
  for (const Word* end = a + words; a < end; a++) {
    const Word a0 = a[0], a1 = a[kTensorWords], b0 = a[2 * kTensorWords], b1 = a[3 * kTensorWords];
    a[0] = product(a0, b0, &divisor);
    a[kTensorWords] = add_mod(product(a0, b1, &divisor), product(a1, b0, &divisor), arguments.q);
    a[2 * kTensorWords] = product(a1, b1, &divisor);
  }
}

int main(void) {
  Word* buffer = buffers[me()];
  const uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER, total = arguments.words;
  const uint32_t inputs[4] = {arguments.a0, arguments.a1, arguments.b0, arguments.b1};
  const uint32_t outputs[3] = {arguments.out0, arguments.out1, arguments.out2};
  for (uint32_t first = me() * kTensorWords; first < total; first += NR_TASKLETS * kTensorWords) {
    const uint32_t words = total - first < kTensorWords ? total - first : kTensorWords,
                   at = heap + first * sizeof(Word);
    for (uint32_t i = 0; i < 4; i++)
      mram_read((__mram_ptr void*)(uintptr_t)(at + inputs[i]), buffer + i * kTensorWords, words * sizeof(Word));
    if (arguments.narrow) each(buffer, words, product_narrow);
    else each(buffer, words, product_wide);
    for (uint32_t i = 0; i < 3; i++)
      mram_write(buffer + i * kTensorWords, (__mram_ptr void*)(uintptr_t)(at + outputs[i]), words * sizeof(Word));
  }
  return 0;
}
