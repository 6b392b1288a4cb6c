// SPDX-License-Identifier: Apache-2.0
// Roots of unity, and the reference transform with which every generated program is compared: a negacyclic
// number-theoretic transform of length n modulo a prime q = 1 mod 2n. Its input is coefficients in natural order. Its
// output is evaluations at the odd powers of the minimal primitive 2n-th root psi, in bit-reversed order.
#pragma once

#include <span>
#include <vector>

#include "sim/word.h"

namespace ringfort::rpu {

// Runs Miller-Rabin with the first sixteen primes as bases: no composite below 2^64 passes, and no larger composite is
// known to pass.
[[nodiscard]] bool is_probable_prime(u128 q) noexcept;

[[nodiscard]] u128 power(const Modulus& q, u128 base, u128 exponent) noexcept;

// Returns the smallest psi with psi^n = -1. Throws Refusal unless q is a prime = 1 mod 2n.
[[nodiscard]] u128 minimal_root(const Modulus& q, u32 n);

// Returns the largest prime = 1 mod `step` below 2^bits. Throws Refusal if there is none.
[[nodiscard]] u128 largest_prime(u32 bits, u32 step);

// Transforms x in place, one butterfly at a time [Harvey14 without its lazy ranges]. The root of group g of stage s is
// at 2^s + g.
void reference_transform(const Modulus& q, std::span<const u128> roots, std::span<u128> x) noexcept;

// Returns the value of the polynomial at one point. Tests compare the reference with it.
[[nodiscard]] u128 evaluate(const Modulus& q, std::span<const u128> coefficients, u128 point) noexcept;

}  // namespace ringfort::rpu
