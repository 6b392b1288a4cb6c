// SPDX-License-Identifier: Apache-2.0
// The kernel automorphism64: automorphisms of polynomials of 64-bit words (automorphism.h). The code is in
// automorphism_gather.h.
#include "automorphism.h"

#include "word64.h"

typedef struct Automorphism64Arguments Arguments;

enum { kResidentLog = 12 };

#include "automorphism_gather.h"
