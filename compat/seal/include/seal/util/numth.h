// SPDX-License-Identifier: Apache-2.0
// Number theory under SEAL's names: greatest common divisors, primality, and primes for transforms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "seal/modulus.h"

namespace seal {
namespace util {

[[nodiscard]] inline std::uint64_t gcd(std::uint64_t x, std::uint64_t y) { return std::gcd(x, y); }
[[nodiscard]] inline bool are_coprime(std::uint64_t x, std::uint64_t y) noexcept { return std::gcd(x, y) <= 1; }

// The test is exact. num_rounds has no effect: programs choose it for SEAL's probabilistic test.
[[nodiscard]] bool is_prime(const Modulus& modulus, std::size_t num_rounds = 40);
// Returns the largest primes that have bit_size bits and are 1 modulo `factor`, in descending order. Throws
// std::logic_error if there are fewer than `count`.
[[nodiscard]] std::vector<Modulus> get_primes(std::uint64_t factor, int bit_size, std::size_t count);
[[nodiscard]] inline Modulus get_prime(std::uint64_t factor, int bit_size) {
  return get_primes(factor, bit_size, 1).front();
}

// Returns (g, a, b) with g = gcd(x, y) = a x + b y.
[[nodiscard]] std::tuple<std::uint64_t, std::int64_t, std::int64_t> xgcd(std::uint64_t x, std::uint64_t y);
// Sets result to the inverse, in [0, modulus). false: there is none, and result is unchanged.
bool try_invert_uint_mod(std::uint64_t value, std::uint64_t modulus, std::uint64_t& result);
// Set destination to a primitive root of unity, which is the smallest one in both functions. The degree is a power of
// two. false: the prime modulus has no such root, and destination is unchanged.
bool try_primitive_root(std::uint64_t degree, const Modulus& prime_modulus, std::uint64_t& destination);
bool try_minimal_primitive_root(std::uint64_t degree, const Modulus& prime_modulus, std::uint64_t& destination);

// Tells whether `root` has this order modulo a prime. The degree is a power of two, and at least 2.
[[nodiscard]] bool is_primitive_root(std::uint64_t root, std::uint64_t degree, const Modulus& prime_modulus);

// Returns signed powers of two whose sum is `value`, the smallest first: its non-adjacent form, which has the fewest.
[[nodiscard]] std::vector<int> naf(int value);

}  // namespace util
}  // namespace seal
