// SPDX-License-Identifier: Apache-2.0
// The choice of parameters for BFV and BGV. Each scheme gives two functions: the lengths of primes for a depth, and the
// budgets that remain with these lengths.
#pragma once

#include "rlwe/parameters.h"

namespace ringfort {

struct IntegerSearch {
  // Returns lengths for a degree and a depth, without digits and special primes, or nothing if no chain fits.
  std::function<std::optional<ChainSizes>(u32 n, u32 depth)> fit;
  // Returns the budget in bits after 0, 1, 2 .. products, while it is positive.
  std::function<std::vector<double>(const ChainSizes& sizes, u64 plain_modulus)> budgets;
};

// Returns the smallest ring whose budgets suffice. All primes are 1 modulo `also`. Errors: invalid_argument;
// unsupported, with the missing amount.
[[nodiscard]] ChainParameters choose_integers(const RingRequirements& requirements, u64 plain_modulus,
                                              const IntegerSearch& search, u64 also = 1);
[[nodiscard]] Explanation explain_integers(const ChainParameters& chain, u64 plain_modulus,
                                           const IntegerSearch& search);

// "SCHEME-8192" and "SCHEME-16384": log QP <= 214 and 430, for t = 65537. Errors: invalid_argument.
inline constexpr u64 kPresetPlainModulus = 65537;
[[nodiscard]] ChainParameters integer_preset(std::string_view scheme, std::string_view name);

}  // namespace ringfort
