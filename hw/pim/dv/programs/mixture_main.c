// SPDX-License-Identifier: Apache-2.0
// A DPU program in which every tasklet runs the integer operations of mixture.c with its own seed. hw/pim/README.md
// explains the terms.
#include <defs.h>

#include "mixture.h"

__host uint64_t seed;
__host uint32_t steps;
__host uint64_t results[NR_TASKLETS];

int main(void) {
  results[me()] = mixture(seed + me(), steps);
  return 0;
}
