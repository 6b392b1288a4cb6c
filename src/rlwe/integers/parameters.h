// SPDX-License-Identifier: Apache-2.0
// Chooses parameters for BFV and BGV. Each scheme supplies two functions. The first returns the lengths of primes that
// a depth needs. The second returns the noise budgets that products leave in a chain with these lengths.
#pragma once

#include "rlwe/parameters.h"

namespace ringfort {

struct IntegerSearch {
  // Returns the lengths of the data primes for a degree and a depth, with `spare` bits for missing primes
  // (with_spare_bits). Sets no digits and no special primes. Returns nothing if no chain fits.
  std::function<std::optional<ChainSizes>(u32 n, u32 depth, double spare)> fit;
  // Returns the noise budgets in bits after 0, 1, 2 .. products. The list ends before the first budget that is not
  // positive.
  std::function<std::vector<double>(const ChainSizes& sizes, u64 plain_modulus)> budgets;
};

// Returns the smallest ring whose budgets suffice. Every prime is 1 modulo `also`, and none divides the plain modulus.
// Errors: invalid_argument; unsupported, whose message states what is missing.
[[nodiscard]] ChainParameters choose_integers(const RingRequirements& requirements, u64 plain_modulus,
                                              const IntegerSearch& search, u64 also = 1);
[[nodiscard]] Explanation explain_integers(const ChainParameters& chain, u64 plain_modulus,
                                           const IntegerSearch& search);

// Presets "SCHEME-8192" and "SCHEME-16384", for t = 65537. The product of the data and special primes is at most 2^214
// for the first preset, and at most 2^430 for the second. Errors: invalid_argument.
inline constexpr u64 kPresetPlainModulus = 65537;
[[nodiscard]] ChainParameters integer_preset(std::string_view scheme, std::string_view name);

}  // namespace ringfort
