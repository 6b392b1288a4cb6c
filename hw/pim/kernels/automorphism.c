// SPDX-License-Identifier: Apache-2.0
// The kernel automorphism: automorphisms of polynomials of 32-bit words (automorphism.h). The code is in
// automorphism_gather.h.
#include "automorphism.h"

#include "word32.h"

typedef struct AutomorphismArguments Arguments;

enum { kResidentLog = 13 };

#include "automorphism_gather.h"
