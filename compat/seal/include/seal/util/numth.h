// SPDX-License-Identifier: Apache-2.0
// Number theory under SEAL's names: greatest common divisors, primality, and primes for transforms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
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

}  // namespace util
}  // namespace seal
