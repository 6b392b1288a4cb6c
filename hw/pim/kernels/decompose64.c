// SPDX-License-Identifier: Apache-2.0
// The kernel decompose64: gadget digits of 64-bit words (decompose.h). The code is in decompose_digits.h.
#include "decompose.h"

#include "word64.h"

typedef struct Decompose64Arguments Arguments;

#include "decompose_digits.h"
