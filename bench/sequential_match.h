// SPDX-License-Identifier: Apache-2.0
// The sequential baseline of the word search: Algorithm 2 of [MartinsSousa16], one word after another. A matrix D of a
// bit has N = 2 l rows of two polynomials, with l digits per residue. Each of the N x N x 2 entry products of BD(match)
// x D takes two forward transforms and one inverse transform on the reference device (radix 2, scalar). The result of a
// transform is never used twice, which explains the published 111 to 122 s per word. Tests compare the library's
// engines with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ringfort/rgsw_search.h"

namespace ringfort::bench {

struct SequentialMatch {
  // the match: N x 2 polynomials in the coefficient domain, row r, column c at ((2 r + c) n)
  std::vector<std::uint64_t> matrix;
  double seconds = 0;  // time of the products only
};

// Returns the match of one word by the first `products` factors of `pattern`. Takes minutes per word. Supports only
// plain binary digits (paper-gsw). Errors: those of the context's device, which reads the word.
[[nodiscard]] SequentialMatch match_sequentially(const rgsw::Context& context, const rgsw::EncryptedWord& word,
                                                 std::span<const rgsw::PatternBit> pattern, std::uint32_t products);

}  // namespace ringfort::bench
