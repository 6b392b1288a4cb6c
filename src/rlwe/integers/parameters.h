// SPDX-License-Identifier: Apache-2.0
// What choosing parameters has in common for the schemes of integers modulo t: they differ in how a depth becomes
// lengths of primes, and in what budget those lengths leave.
#pragma once

#include "rlwe/parameters.h"

namespace ringfort {

struct IntegerSearch {
  // Lengths for a degree and a depth, digits and special primes not chosen; nothing: no chain does.
  std::function<std::optional<ChainSizes>(u32 n, u32 depth)> fit;
  // Budget in bits after 0, 1, 2 .. products, while there is any.
  std::function<std::vector<double>(const ChainSizes& sizes, u64 plain_modulus)> budgets;
};

// The smallest ring whose budgets keep the promise. Errors: invalid_argument; unsupported, with what is missing.
[[nodiscard]] ChainParameters choose_integers(const RingRequirements& requirements, u64 plain_modulus,
                                              const IntegerSearch& search);
[[nodiscard]] Explanation explain_integers(const ChainParameters& chain, u64 plain_modulus,
                                           const IntegerSearch& search);

// "SCHEME-8192" and "SCHEME-16384": log QP <= 214 and 430, for t = 65537. Errors: invalid_argument.
inline constexpr u64 kPresetPlainModulus = 65537;
[[nodiscard]] ChainParameters integer_preset(std::string_view scheme, std::string_view name);

}  // namespace ringfort
