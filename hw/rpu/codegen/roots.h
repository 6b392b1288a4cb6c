// SPDX-License-Identifier: Apache-2.0
// Roots of unity, and the reference transform. The verifier (verify.cpp) checks generated programs with the reference
// transform. It compares transforms directly. For a product of polynomials, it compares the transforms of factors and
// result. The reference is a number-theoretic transform of length n modulo a prime q. Its input is coefficients in
// natural order. Its output is evaluations in bit-reversed order. The points of a negacyclic transform are the odd
// powers of the minimal primitive 2n-th root psi. The points of a cyclic transform are the powers of the minimal
// primitive n-th root (field.h). hw/rpu/README.md explains the terms.
#pragma once

#include <span>
#include <vector>

#include "sim/word.h"

namespace ringfort::rpu {

// The test of Baillie, Pomerance, Selfridge and Wagstaff: a strong test to base 2 and a strong Lucas test. It accepts
// no composite number below 2^64, and no larger composite number is known that it accepts.
[[nodiscard]] bool is_probable_prime(u128 q) noexcept;

[[nodiscard]] u128 power(const Modulus& q, u128 base, u128 exponent) noexcept;

// Returns the smallest psi with psi^n = -1. Throws Refusal if q is not a prime that is 1 mod 2n.
[[nodiscard]] u128 minimal_root(const Modulus& q, u32 n);

// Returns the largest prime below 2^bits that is 1 mod `step`. Throws Refusal if there is none.
[[nodiscard]] u128 largest_prime(u32 bits, u32 step);

// Transforms x in place, one butterfly at a time, like [Harvey14] but with canonical residues. The root of group g of
// stage s is roots[2^s + g].
void reference_transform(const Modulus& q, std::span<const u128> roots, std::span<u128> x) noexcept;

// Returns the value of a polynomial at one point. Tests compare the reference transform with it.
[[nodiscard]] u128 evaluate(const Modulus& q, std::span<const u128> coefficients, u128 point) noexcept;

}  // namespace ringfort::rpu
