// SPDX-License-Identifier: Apache-2.0
// Parameters of the leveled schemes CKKS, BFV and BGV.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringfort {

// Ring and primes. A level is a group of limbs_per_level data primes; the top level has all of them, level 0 the first group.
struct ChainParameters {
  std::uint32_t n = 0;                       // ring degree, a power of two
  std::vector<std::uint64_t> data;           // q_0, q_1, ...: primes, 1 mod 2n; all primes < 2^31: 32-bit words
  std::vector<std::uint64_t> special;        // p_0, ...: what key switching divides by; none: no evaluation keys
  std::uint32_t limbs_per_level = 1;
  std::uint32_t digit_limbs = 1;             // data primes in a digit of key switching (dnum = data / digit_limbs, rounded up)
  std::string insecure_reason;               // not empty: below 128 bits of the 2024 table, and why that was accepted
};

namespace ckks {

struct Parameters {
  ChainParameters chain;
  double scale = 0;                          // of plaintexts at the top level; each data prime but q_0 should be near it
  std::uint32_t slots = 0;                   // a power of two; 0: n/2
  double magnitude = 1;                      // |values| of what is encrypted are at most this
};

}  // namespace ckks

namespace bfv {

struct Parameters {
  ChainParameters chain;
  std::uint64_t plain_modulus = 65537;       // t: a prime; 1 mod 2n for batches
};

}  // namespace bfv

namespace bgv {

struct Parameters {
  ChainParameters chain;
  std::uint64_t plain_modulus = 65537;
};

}  // namespace bgv

}  // namespace ringfort
