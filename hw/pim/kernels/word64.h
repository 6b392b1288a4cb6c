// SPDX-License-Identifier: Apache-2.0
// Residues of 64 bits. Kernels for both widths include this header or word32.h before their common part.
#pragma once

#include <stdint.h>

typedef uint64_t Word;
typedef int64_t SignedWord;
