// SPDX-License-Identifier: Apache-2.0
// Arithmetic throughput as in the PrIM micro-benchmarks: every active tasklet combines the words of its own piece of a
// WRAM array with a scalar, by OPERATION. The command line defines TYPE and OPERATION.
#include <defs.h>
#include <stdint.h>

enum { kElements = 64 };

__host TYPE scalar, value;
__host uint32_t rounds, active;
static struct {
  TYPE in[kElements], out[kElements];
} pieces[NR_TASKLETS];
__host TYPE last[NR_TASKLETS];

int main(void) {
  if (me() >= active) return 0;
  const TYPE* in = pieces[me()].in;
  TYPE* out = pieces[me()].out;
  for (uint32_t i = 0; i < kElements; i++) pieces[me()].in[i] = value;
  for (uint32_t round = 0; round < rounds; round++) {
#pragma clang loop unroll(disable)
    for (uint32_t i = 0; i < kElements; i++) out[i] = in[i] OPERATION scalar;
    __asm__ volatile("" ::: "memory");
  }
  last[me()] = out[kElements - 1];
  return 0;
}
