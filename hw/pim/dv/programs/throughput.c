// SPDX-License-Identifier: Apache-2.0
// A DPU program with which a test measures the throughput of arithmetic, like the micro-benchmarks of the PrIM suite
// [GomezLuna22]. Every active tasklet has its own piece of an array in WRAM, and combines each element with a scalar.
// The command line of the compiler defines the type of the elements (TYPE) and the operation (OPERATION).
// hw/pim/README.md explains the terms.
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
