// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernel accumulate. The host writes them before a launch. The kernel sums the rows of a matrix of
// residues in MRAM: out[i] is the sum of data[row][i] over all rows, mod q. The rows are consecutive in MRAM. Offsets
// are bytes from the start of the MRAM heap. hw/pim/README.md explains the terms.
#pragma once

#include <stdint.h>

enum { kMostRows = 65536, kSplitBits = 23 };

struct AccumulateArguments {
  uint32_t q;       // 1 mod 2^16, below 2^30, or below 2^24 if narrow
  uint32_t narrow;  // 1: the Montgomery products of the reduction divide by 2^24; 0: by 2^32
  uint32_t words;   // words per row, even
  uint32_t rows;    // 1 .. kMostRows
  uint32_t data, out;
  uint32_t one, split;  // 1 and 2^kSplitBits in Montgomery form: times 2^32, or times 2^24 if narrow, mod q
};
