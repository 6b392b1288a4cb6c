// SPDX-License-Identifier: Apache-2.0
// Primality, primes for transforms (NTT primes), and minimal roots of unity.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "math/types.h"

namespace ringfort {

// Tells whether `value` is prime. Below 2^64, the test is exact (Miller-Rabin with the first twelve primes as bases).
// Above 2^64, it is Baillie-PSW, for which no counterexample is known.
[[nodiscard]] bool is_prime(u128 value) noexcept;

// The two parts of the Baillie-PSW test, for odd values above 41. Some composite numbers pass one of the parts. No
// composite number is known that passes both. Requires base >= 2, and a base that is not a multiple of the value.
[[nodiscard]] bool is_strong_probable_prime(u128 value, u32 base) noexcept;
[[nodiscard]] bool is_strong_lucas_probable_prime(u128 value) noexcept;  // Selfridge's D, P = 1, Q = (1 - D) / 4

// Returns the `count` largest primes below 2^bits that are 1 mod 2n, in descending order. Requires 2 <= bits <= 128,
// count <= 2^20, and an n that is a power of two. Fails with invalid_argument if an argument is out of range, and with
// unsupported if there are fewer than `count` such primes.
[[nodiscard]] Result<std::vector<u128>> ntt_primes(u32 bits, u64 n, std::size_t count);

// Returns the inverse of a residue modulo any modulus above 0. Returns nothing if the residue is not coprime to the
// modulus. Public values only: the time depends on them.
[[nodiscard]] std::optional<u64> inverse_mod(u64 value, u64 modulus) noexcept;

// Returns the minimal primitive 2n-th root of unity: the smallest psi with psi^n = -1 mod q. Fails with
// invalid_argument if q is not a prime that is 1 mod 2n.
[[nodiscard]] Result<u128> minimal_root(u128 q, u64 n);

}  // namespace ringfort
