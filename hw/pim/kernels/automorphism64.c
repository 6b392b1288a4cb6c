// SPDX-License-Identifier: Apache-2.0
// Automorphisms of 64-bit words (automorphism.h). The code is in automorphism_gather.h.
#include "automorphism.h"

#include "word64.h"

typedef struct Automorphism64Arguments Arguments;

enum { kResidentLog = 12 };

#include "automorphism_gather.h"
