// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernel barrett. The host writes them before a launch. The kernel computes products or sums of
// residues of up to 60 bits, or the butterflies of one Cooley-Tukey iteration. Before an iteration, the host gathers
// the operands of the butterflies. After it, the host scatters the results. The verbs are:
//   kProduct60: out[i] = a[i] b[i] mod q;   kSum60: out[i] = a[i] + b[i] mod q;
//   kButterfly60: (out[i], out_low[i]) = (a[i] + w[i] b[i], a[i] - w[i] b[i]) mod q.
// Offsets are bytes from the start of the MRAM heap, multiples of 8. hw/pim/README.md explains the terms.
#pragma once

#include <stdint.h>

enum BarrettVerb { kProduct60 = 0, kButterfly60 = 1, kSum60 = 2 };

struct BarrettArguments {
  uint64_t q;   // any modulus of `bits` bits, 33 .. 60
  uint64_t mu;  // floor(2^(2 bits) / q)
  uint32_t bits;
  uint32_t words;  // 64-bit words
  uint32_t verb;
  uint32_t a, b, w, out, out_low;
};
