// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernels automorphism (32-bit words) and automorphism64 (64-bit words). The host writes them
// before a launch. The kernels map a(x) to a(x^k) modulo x^n + 1, for a batch of polynomials in the coefficient domain
// or in the evaluation domain. In the evaluation domain, a polynomial is given by its values at the odd powers of a
// 2n-th root of unity modulo q, in bit-reversed order. Offsets are bytes from the start of the MRAM heap, and multiples
// of 8. `out` and `data` must not overlap. hw/pim/README.md explains the terms.
#pragma once

#include <stdint.h>

enum { kAutomorphismLeastLog = 6, kAutomorphismMostLog = 16 };

enum AutomorphismDomain { kCoefficients = 0, kValues = 1 };

struct AutomorphismArguments {
  uint32_t domain;
  uint32_t q;  // below 2^31
  uint32_t log_n;
  uint32_t step;  // kValues: k, odd, below 2n. kCoefficients: the inverse of k modulo 2n
  uint32_t polynomials;
  uint32_t data, out;
};

struct Automorphism64Arguments {
  uint64_t q;  // below 2^63
  uint32_t domain;
  uint32_t log_n;
  uint32_t step;
  uint32_t polynomials;
  uint32_t data, out;
};
