// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernel accumulate, which the host writes before a launch. The kernel computes out[i] = sum over
// rows of data[row][i] mod q, for a matrix of consecutive rows of residues in MRAM. Offsets are bytes from the start of
// the heap.
#pragma once

#include <stdint.h>

enum { kMostRows = 65536, kSplitBits = 23 };

struct AccumulateArguments {
  uint32_t q;       // 1 mod 2^16, below 2^30, or below 2^24 if narrow
  uint32_t narrow;  // 1: products are divided by 2^24 instead of 2^32
  uint32_t words;   // words per row, even
  uint32_t rows;    // 1 .. kMostRows
  uint32_t data, out;
  uint32_t one, split;  // 1 and 2^kSplitBits in Montgomery form: times 2^32 or 2^24, mod q
};
