// SPDX-License-Identifier: Apache-2.0
// The kernel ntt64: transforms of polynomials of 64-bit words (ntt.h). The code is in ntt_stages.h.
#include "ntt.h"

#include "modular64.h"

typedef struct Ntt64Arguments Arguments;

enum { kRowLog = kMostLog64, kRowsLog = kMostLogRows64, kResidentTwiddles = 2048, kPieceWords = 32, kChunk = 16 };

#include "ntt_stages.h"
