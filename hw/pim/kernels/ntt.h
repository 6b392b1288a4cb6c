// SPDX-License-Identifier: Apache-2.0
// What the host writes into `arguments` of the program ntt before a launch: a batch of polynomials in MRAM, transformed one
// after the other in WRAM. Offsets are bytes from the start of the MRAM heap, multiples of 8.
#pragma once

#include <stdint.h>

enum { kLeastLog = 6, kMostLog = 13 };

// Forward: coefficients in natural order to values in bit-reversed order of the powers of the 2n-th root; inverse: back.
enum NttVerb { kForward = 0, kInverse = 1 };

// The tables hold n words in Montgomery form (times 2^32 or 2^24 mod q): `twiddles[j]` = root^reversed(j), reversed over log_n
// bits, for the forward verb, its inverses for the inverse verb. `scale` = 1 / n, `scaled_twiddle` = twiddles[1] / n, for
// the inverse, in the same form.
struct NttArguments {
  uint32_t verb;
  uint32_t narrow;  // 0: q < 2^30, products divide by 2^32; 1: q < 2^24, they divide by 2^24
  uint32_t q;       // 1 mod 2^16
  uint32_t log_n;   // kLeastLog .. kMostLog
  uint32_t polynomials;
  uint32_t data, twiddles;
  uint32_t scale, scaled_twiddle;
};
