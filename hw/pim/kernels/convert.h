// SPDX-License-Identifier: Apache-2.0
// What the host writes into `arguments` of the program convert before a launch: a value x known modulo q_1 .. q_k, lifted to
// (-Q/2, Q/2], is reduced modulo p_1 .. p_m. Exact in integers, the same on every device: with y_i = x_i (Q/q_i)^-1 mod q_i,
//   v = floor((sum_i y_i floor(2^64 / q_i) + 2^63) / 2^64),   out_j = (sum_i y_i (Q/q_i) - v Q) mod p_j,
// which is the centred lift wherever |x| < Q/2 - k Q 2^-33, and x or x -+ Q in the rest. kModDown: out_j = (a_j - that) Q^-1 mod p_j,
// the rounded quotient of a by Q, for a with the residues a_j and x_i.
// Residues and results are vectors of `words` words that follow one another. Offsets are bytes from the start of the heap.
#pragma once

#include <stdint.h>

enum { kMostSources = 36, kMostTargets = 36 };

enum ConvertVerb { kConvert = 0, kModDown = 1 };

// Montgomery form: times 2^32 mod the modulus, or 2^24 if narrow.
struct ConvertSource {
  uint32_t q;
  uint32_t inverse;                         // (Q/q)^-1 mod q, in Montgomery form
  uint32_t quotient_low, quotient_high;     // floor(2^64 / q)
};

struct ConvertTarget {
  uint32_t p;
  uint32_t inverse;                         // Q^-1 mod p, in Montgomery form: kModDown
};

struct ConvertArguments {
  uint32_t verb;
  uint32_t narrow;            // all moduli below 2^24, else below 2^30; all 1 mod 2^16
  uint32_t words;             // even
  uint32_t sources, targets;  // k and m
  uint32_t x, a, out;
  uint32_t source_table;      // k ConvertSource
  uint32_t target_table;      // m ConvertTarget
  uint32_t weights;           // m rows of kMostSources + 2 words: Q/q_i mod p_j for every i, then -Q mod p_j, in Montgomery form
};
