// SPDX-License-Identifier: Apache-2.0
// Primality, NTT primes and minimal roots of unity.
#pragma once

#include <vector>

#include "base/result.h"
#include "math/types.h"

namespace ringfort {

// Tells whether value is prime: exact below 2^64 (Miller-Rabin with the first twelve primes as bases); Baillie-PSW
// above (no counterexample known).
[[nodiscard]] bool is_prime(u128 value) noexcept;

// The two parts of the Baillie-PSW test, for odd values above 41. Some composite numbers pass one part; none is known
// that passes both. base >= 2, not a multiple of value.
[[nodiscard]] bool is_strong_probable_prime(u128 value, u32 base) noexcept;
[[nodiscard]] bool is_strong_lucas_probable_prime(u128 value) noexcept;  // Selfridge's D, P = 1, Q = (1 - D) / 4

// Returns the `count` largest primes below 2^bits that are 1 mod 2n, descending. bits in 2..128, n a power of two,
// count at most 2^20. Failure: invalid_argument (ranges), unsupported (fewer than `count` exist).
[[nodiscard]] Result<std::vector<u128>> ntt_primes(u32 bits, u64 n, std::size_t count);

// Returns the smallest psi with psi^n = -1 mod q, the minimal primitive 2n-th root of unity. Failure: invalid_argument
// if q is not a prime that is 1 mod 2n.
[[nodiscard]] Result<u128> minimal_root(u128 q, u64 n);

}  // namespace ringfort
