// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernels ntt (32-bit words) and ntt64 (64-bit words). The host writes them before a launch. The
// kernels transform a batch of polynomials in MRAM, in place and one polynomial at a time. The buffer in WRAM is for
// 2^13 coefficients of 32 bits, or for 2^12 coefficients of 64 bits. A polynomial of at most this length is one row. A
// longer polynomial is a matrix of 2 to 16 rows of this length. The forward transform of a matrix first computes the
// stages between rows, in one pass through MRAM. Then it transforms each row in WRAM, with a table of twiddles (the
// powers of the root by which butterflies multiply) for this row. The inverse transform takes the same steps in reverse
// order. Offsets are bytes from the start of the MRAM heap, and multiples of 8. hw/pim/README.md explains the terms.
#pragma once

#include <stdint.h>

enum { kLeastLog = 6, kMostLog = 13, kMostLogRows = 3, kMostLog64 = 12, kMostLogRows64 = 4 };

// The forward transform takes coefficients in natural order to values. The values are in bit-reversed order of the odd
// powers of a 2n-th root of unity modulo q. The inverse transform takes values back to coefficients.
enum NttVerb { kForward = 0, kInverse = 1 };

// A polynomial has n coefficients. A row has m = 2^log_n coefficients, and m = n >> log_rows. W[j] is root^reversed(j),
// where root is the 2n-th root of unity, and reversed() reverses the log2(n) bits of j. For the inverse verb, W[j] is
// the inverse of this power. `columns[j]` is W[j], for j < 2^log_rows. `twiddles` is the offset of 2^log_rows tables of
// m words. Table g is for row g. In the forward transform, stage u of a row uses 2^u twiddles, for u = 0 .. log_n - 1.
// They are the words 2^u + j of the row's table, for j < 2^u. Word 2^u + j of table g is W[(2^log_rows + g) 2^u + j].
// No stage uses word 0. The inverse transform takes the stages in reverse order, and `scale` is then 1 / n. All these
// constants are in Montgomery form, times 2^32 or 2^24 mod q.
struct NttArguments {
  uint32_t verb;
  uint32_t narrow;    // 0: q < 2^30, products are divided by 2^32; 1: q < 2^24, products are divided by 2^24
  uint32_t q;         // 1 mod 2^16
  uint32_t log_n;     // log2 of a row's length: kLeastLog .. kMostLog, and kMostLog if log_rows > 0
  uint32_t log_rows;  // 0 .. kMostLogRows
  uint32_t polynomials;
  uint32_t data, twiddles;
  uint32_t scale;
  uint32_t columns[1 << kMostLogRows];
};

// The arguments of ntt64. Words have 64 bits. Montgomery form means times 2^64, or times 2^56 if narrow, mod q.
struct Ntt64Arguments {
  uint64_t q;  // 1 mod 128, below 2^62; below 2^54 if narrow
  uint64_t scale;
  uint32_t verb, narrow;
  uint32_t log_n;     // kLeastLog .. kMostLog64, and kMostLog64 if log_rows > 0
  uint32_t log_rows;  // 0 .. kMostLogRows64
  uint32_t polynomials;
  uint32_t data, twiddles, unused;
  uint64_t columns[1 << kMostLogRows64];
};
