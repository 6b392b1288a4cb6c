// SPDX-License-Identifier: Apache-2.0
// The sequential baseline of the word search: Algorithm 2 of [MartinsSousa16], one word after another. An encrypted bit
// is a matrix D of N = 2 l rows of two polynomials, where l is the number of digits of a residue. The algorithm
// multiplies the matrix of binary digits of the running product, BD(match), by D. This takes N x N x 2 products of
// entries, which are polynomials. Each product takes two forward transforms and one inverse transform on the reference
// device (radix 2, scalar). No result of a transform is used twice. This explains the published 111 to 122 s per word.
// Tests compare the library's engines with this baseline.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ringfort/rgsw_search.h"

namespace ringfort::bench {

struct SequentialMatch {
  // the match: N x 2 polynomials in the coefficient domain; row r and column c begin at ((2 r + c) n)
  std::vector<std::uint64_t> matrix;
  double seconds = 0;  // time of the products only
};

// Returns the match of one word by the first `products` factors of `pattern`. Takes minutes per word. Supports only
// plain binary digits (the preset paper-gsw). The context's device reads the word. Errors: those of this device.
[[nodiscard]] SequentialMatch match_sequentially(const rgsw::Context& context, const rgsw::EncryptedWord& word,
                                                 std::span<const rgsw::PatternBit> pattern, std::uint32_t products);

}  // namespace ringfort::bench
