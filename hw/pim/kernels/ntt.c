// SPDX-License-Identifier: Apache-2.0
// The kernel ntt: transforms of polynomials of 32-bit words (ntt.h). The code is in ntt_stages.h.
#include "ntt.h"

#include "modular.h"

typedef struct NttArguments Arguments;

enum { kRowLog = kMostLog, kRowsLog = kMostLogRows, kResidentTwiddles = 4096, kPieceWords = 128, kChunk = 64 };

__attribute__((always_inline)) static inline Word multiply_wide(Word a, Word b, Word q) {
  return montgomery_30(a, b, q);
}
__attribute__((always_inline)) static inline Word multiply_narrow(Word a, Word b, Word q) {
  return montgomery_24(a, b, q);
}

#include "ntt_stages.h"
