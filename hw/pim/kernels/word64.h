// SPDX-License-Identifier: Apache-2.0
// The types of residues of 64 bits. A kernel that exists for two widths includes this header or word32.h,
// and then its common code.
#pragma once

#include <stdint.h>

typedef uint64_t Word;
typedef int64_t SignedWord;
