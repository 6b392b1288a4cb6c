// SPDX-License-Identifier: Apache-2.0
// Residues of 32 bits. Kernels for both widths include this header or word64.h before their common part.
#pragma once

#include <stdint.h>

typedef uint32_t Word;
typedef int32_t SignedWord;
