// SPDX-License-Identifier: Apache-2.0
// What the host writes into `arguments` of the program ntt before a launch: a batch of polynomials in MRAM, transformed
// one after the other in place. Up to 2^13 coefficients fit WRAM at once; longer ones are a matrix of 2, 4 or 8 rows of
// 2^13 words: one pass through MRAM does the stages between rows, then each row is transformed in WRAM with a table of
// its own (the inverse the other way round). Offsets are bytes from the start of the MRAM heap, multiples of 8.
#pragma once

#include <stdint.h>

enum { kLeastLog = 6, kMostLog = 13, kMostLogRows = 3 };

// Forward: coefficients in natural order to values in bit-reversed order of the powers of the 2n-th root; inverse:
// back.
enum NttVerb { kForward = 0, kInverse = 1 };

// With n coefficients, of which a row has m = 2^log_n = n >> log_rows, W[j] = root^reversed(j), reversed over the bits
// of n, for the forward verb, and its inverses for the inverse verb, all in Montgomery form (times 2^32 or 2^24 mod q):
// `columns[j]` = W[j] for j < 2^log_rows; `twiddles` are 2^log_rows tables of m words, table g has W[(2^log_rows + g)
// 2^u + j] at 2^u + j. `scale` = 1 / n for the inverse, in the same form.
struct NttArguments {
  uint32_t verb;
  uint32_t narrow;    // 0: q < 2^30, products divide by 2^32; 1: q < 2^24, they divide by 2^24
  uint32_t q;         // 1 mod 2^16
  uint32_t log_n;     // of a row: kLeastLog .. kMostLog; kMostLog where log_rows > 0
  uint32_t log_rows;  // 0 .. kMostLogRows
  uint32_t polynomials;
  uint32_t data, twiddles;
  uint32_t scale;
  uint32_t columns[1 << kMostLogRows];
};
