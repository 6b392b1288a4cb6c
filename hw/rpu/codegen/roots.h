// SPDX-License-Identifier: Apache-2.0
// Roots of unity and the reference transform that every generated program is compared with.
// Negacyclic number-theoretic transform of length n modulo a prime q = 1 mod 2n: coefficients in natural order in,
// evaluations at the odd powers of the minimal primitive 2n-th root psi out, in bit-reversed order.
#pragma once

#include <span>
#include <vector>

#include "sim/word.h"

namespace ringfort::rpu {

// Miller-Rabin with the first sixteen primes as bases: no composite below 2^64 passes, none is known above.
[[nodiscard]] bool is_probable_prime(u128 q) noexcept;

[[nodiscard]] u128 power(const Modulus& q, u128 base, u128 exponent) noexcept;

// The smallest psi with psi^n = -1. Refuses a q that is not a prime = 1 mod 2n.
[[nodiscard]] u128 minimal_root(const Modulus& q, u32 n);

// The largest prime = 1 mod `step` below 2^bits. Refuses where there is none.
[[nodiscard]] u128 largest_prime(u32 bits, u32 step);

// In place, one butterfly after the other [Harvey14 without its lazy ranges]. The root of group g of stage s stands at
// 2^s + g.
void reference_transform(const Modulus& q, std::span<const u128> roots, std::span<u128> x) noexcept;

// The value of the polynomial at one point: what the reference itself is tested with.
[[nodiscard]] u128 evaluate(const Modulus& q, std::span<const u128> coefficients, u128 point) noexcept;

}  // namespace ringfort::rpu
