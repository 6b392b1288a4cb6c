// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernels convert (32-bit words) and convert64 (64-bit words). The host writes them before a
// launch. The kernels convert residues x_i mod q_i, for i < k, to residues mod p_j, for j < m (base conversion). Q is
// the product of all q_i, and bits_i is the number of bits of q_i. Every device of the library computes exactly these
// integers:
//   v_i = x_i (Q/q_i)^-1 mod q_i,   F = sum_i floor(v_i floor(2^(63 + bits_i) / q_i) / 2^(bits_i + 7)),
//   c = 0 (approximate), floor(F / 2^56) (floor), floor((F + 2^55) / 2^56) (centred),
//   r_j = sum_i v_i (Q/q_i mod p_j) - c (Q mod p_j) mod p_j;   out_j = r_j, or (a_j - r_j) Q^-1 mod p_j for kModDown.
// Let x in [0, Q) have the residues x_i. Then sum_i v_i Q/q_i exceeds x by a multiple of Q, and F / 2^56 is about sum_i
// v_i / q_i. Therefore kFloor converts x itself, kCentred converts x or x - Q, whichever is nearer to 0, and
// kApproximate keeps that multiple of Q. To make the rounding error of a division by Q a multiple of a number t, the
// host multiplies `inverse` of the sources by t^-1, and the weights by t. Residues and results are consecutive vectors
// of `words` words. Offsets are bytes from the start of the MRAM heap. hw/pim/README.md explains the terms.
#pragma once

#include <stdint.h>

enum { kMostSources = 128, kMostTargets = 36, kMostWeights = 1368, kMostWeights64 = 684 };

enum ConvertVerb { kConvert = 0, kModDown = 1 };
enum ConvertKind { kApproximate = 0, kFloor = 1, kCentred = 2 };

// Constants of a source prime. Montgomery form means times 2^32, or times 2^24 if narrow, modulo the prime.
struct ConvertSource {
  uint32_t q;
  uint32_t inverse;                          // (Q/q)^-1 mod q, in Montgomery form
  uint32_t reciprocal_low, reciprocal_high;  // floor(2^(63 + bits) / q)
  uint32_t shift, unused;                    // 30 - bits
};

struct ConvertTarget {
  uint32_t p;
  uint32_t inverse;  // for kModDown: Q^-1 mod p, in Montgomery form
};

// Returns the number of words in a row of weights: one weight for each source, one for c, and one of padding if the
// number would be odd.
static inline uint32_t convert_row(uint32_t sources) { return (sources + 2) & ~1u; }

struct ConvertArguments {
  uint32_t verb, kind;
  uint32_t narrow;            // 1: all moduli are below 2^24; 0: all are below 2^30. All moduli are 1 mod 2^16.
  uint32_t words;             // even
  uint32_t sources, targets;  // k and m
  uint32_t x, a, out;
  uint32_t source_table;  // k ConvertSource
  uint32_t target_table;  // m ConvertTarget
  // m rows of convert_row(k) words, at most kMostWeights together: Q/q_i mod p_j for every i, then -Q mod p_j, in
  // Montgomery form
  uint32_t weights;
};

// Constants of a source prime for convert64, which has only the verb kConvert. Montgomery form means times 2^64, modulo
// the prime.
struct Convert64Source {
  uint64_t q;           // 1 mod 128, below 2^62
  uint64_t inverse;     // in Montgomery form
  uint64_t reciprocal;  // floor(2^(63 + bits) / q)
  uint64_t shift;       // 64 - bits
};

// Returns the number of words in a row of weights: one weight for each source, and one for c.
static inline uint32_t convert_row_64(uint32_t sources) { return sources + 1; }

struct Convert64Arguments {
  uint32_t kind;
  uint32_t words;
  uint32_t sources, targets;
  uint32_t x, out;
  uint32_t source_table;  // k Convert64Source
  uint32_t target_table;  // m primes p
  uint32_t weights;       // m rows of convert_row_64(k) words, at most kMostWeights64 together
  uint32_t unused;
};
