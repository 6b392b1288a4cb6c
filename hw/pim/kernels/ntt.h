// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernels ntt (32-bit words) and ntt64 (64-bit words), which the host writes before a launch. The
// kernels transform a batch of polynomials in MRAM, in place and one at a time. Up to 2^13 coefficients of 32 bits or
// 2^12 of 64 bits fit WRAM. A longer polynomial is a matrix of 2 .. 16 rows of that length. One pass through MRAM
// computes the stages between rows. Then each row is transformed in WRAM with its own table. The inverse does the same
// in reverse. Offsets are bytes from the start of the MRAM heap, multiples of 8.
#pragma once

#include <stdint.h>

enum { kLeastLog = 6, kMostLog = 13, kMostLogRows = 3, kMostLog64 = 12, kMostLogRows64 = 4 };

// Forward: coefficients in natural order to values in bit-reversed order of the powers of the 2n-th root. Inverse: from
// values back to coefficients.
enum NttVerb { kForward = 0, kInverse = 1 };

// A polynomial has n coefficients, a row m = 2^log_n = n >> log_rows. W[j] = root^reversed(j), where reversed()
// reverses log2(n) bits; for the inverse verb, W[j] is the inverse of this power. `columns[j]` = W[j] for j <
// 2^log_rows. `twiddles` has 2^log_rows tables of m words; table g has W[(2^log_rows + g) 2^u + j] at 2^u + j. `scale`
// = 1 / n for the inverse. All these constants are in Montgomery form, times 2^32 or 2^24 mod q.
struct NttArguments {
  uint32_t verb;
  uint32_t narrow;    // 0: q < 2^30, products are divided by 2^32; 1: q < 2^24, products are divided by 2^24
  uint32_t q;         // 1 mod 2^16
  uint32_t log_n;     // log2 of a row's length: kLeastLog .. kMostLog; kMostLog if log_rows > 0
  uint32_t log_rows;  // 0 .. kMostLogRows
  uint32_t polynomials;
  uint32_t data, twiddles;
  uint32_t scale;
  uint32_t columns[1 << kMostLogRows];
};

// The arguments of ntt64: words of 64 bits. Montgomery form is times 2^64 or, if narrow, times 2^56 mod q.
struct Ntt64Arguments {
  uint64_t q;  // 1 mod 128, below 2^62; narrow: below 2^54
  uint64_t scale;
  uint32_t verb, narrow;
  uint32_t log_n;     // kLeastLog .. kMostLog64; kMostLog64 if log_rows > 0
  uint32_t log_rows;  // 0 .. kMostLogRows64
  uint32_t polynomials;
  uint32_t data, twiddles, unused;
  uint64_t columns[1 << kMostLogRows64];
};
