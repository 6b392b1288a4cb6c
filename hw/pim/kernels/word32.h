// SPDX-License-Identifier: Apache-2.0
// The types of residues of 32 bits. A kernel that exists for two widths includes this header or word64.h,
// and then its common code.
#pragma once

#include <stdint.h>

typedef uint32_t Word;
typedef int32_t SignedWord;
