// SPDX-License-Identifier: Apache-2.0
// The kernel decompose: gadget digits of 32-bit words (decompose.h). The code is in decompose_digits.h.
#include "decompose.h"

#include "word32.h"

typedef struct DecomposeArguments Arguments;

#include "decompose_digits.h"
