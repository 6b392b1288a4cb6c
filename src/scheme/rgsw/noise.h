// SPDX-License-Identifier: Apache-2.0
// The noise of Ring-GSW, in variances of one coefficient (absolute, not relative to q); docs/notes/0003-rgsw-noise.md
// derives it.
//   model: what a measurement should show.   bound: what holds except with probability 2^-failure_bits.
#pragma once

#include "math/types.h"
#include "ringfort/rgsw.h"

namespace ringfort::rgsw {

struct Noise {
  double fresh = 0;         // variance of a fresh row's error
  double product_gain = 0;  // an external product adds gain * (variance of the RGSW operand) ...
  double drop = 0;          // ... + drop, the digits that an approximate gadget leaves out
};

[[nodiscard]] Noise noise_model(const Parameters& parameters, Mode mode);
[[nodiscard]] Noise noise_bound(const Parameters& parameters, Mode mode);

// z with n * P(|sum| > z * deviation) <= 2^-(failure_bits + 1) for a sub-Gaussian sum.
[[nodiscard]] double bound_factor(const Parameters& parameters);

// S: steps whose noise is in the sum of `words` chains of `factors`, at most max_matches of them equal to the query,
// each other hash at most max_matches times; exceeded with probability <= 2^-(failure_bits + 1) over the hash bits.
[[nodiscard]] u64 surviving_steps(u64 words, u64 max_matches, u32 factors, u32 failure_bits);

// The top of the plaintext scale of a search: 2^bit_width(q) / T. Counts are multiples of it.
[[nodiscard]] u64 count_scale(const Parameters& parameters, u32 count_range) noexcept;

// The gadget row that starts a chain: its value divides the scale.
struct FirstRow {
  u32 row = 0;     // 0 .. l - 1
  u64 factor = 1;  // scale / gadget value
};
[[nodiscard]] FirstRow first_row(const Parameters& parameters, u64 scale) noexcept;

}  // namespace ringfort::rgsw
