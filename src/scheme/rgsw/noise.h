// SPDX-License-Identifier: Apache-2.0
// The noise of Ring-GSW as the variance of one coefficient (absolute, not relative to q). docs/notes/0003-rgsw-noise.md
// derives it.
// noise_model() gives the variance that measurements are expected to show. noise_bound() gives a variance that is
// exceeded with probability at most 2^-failure_bits.
#pragma once

#include "math/types.h"
#include "ringfort/rgsw.h"

namespace ringfort::rgsw {

struct Noise {
  double fresh = 0;         // variance of a fresh row's error
  double product_gain = 0;  // an external product adds product_gain * (variance of the RGSW operand) + drop, a variance
  double drop = 0;          // variance due to the low bits that an approximate gadget drops
};

[[nodiscard]] Noise noise_model(const Parameters& parameters, Mode mode);
[[nodiscard]] Noise noise_bound(const Parameters& parameters, Mode mode);

// Returns z with n * P(|sum| > z * deviation) <= 2^-(failure_bits + 1) for a sub-Gaussian sum.
[[nodiscard]] double bound_factor(const Parameters& parameters);

// Returns S, a bound on the number of steps whose noise is in the sum. The sum has `words` chains of `factors` steps; a
// step is an external product. At a factor 0, a chain loses the noise of its earlier steps. At most max_matches words
// equal the query, and every other hash occurs at most max_matches times. For random hash bits, the number of steps
// exceeds S with probability <= 2^-(failure_bits + 1).
[[nodiscard]] u64 surviving_steps(u64 words, u64 max_matches, u32 factors, u32 failure_bits);

// Returns the scale of counts, 2^bit_width(q) / T for the count range T: a count c is encoded as c times the scale.
[[nodiscard]] u64 count_scale(const Parameters& parameters, u32 count_range) noexcept;

// The gadget row that starts a chain; its gadget value divides the scale.
struct FirstRow {
  u32 row = 0;     // 0 .. l - 1
  u64 factor = 1;  // scale / gadget value
};
[[nodiscard]] FirstRow first_row(const Parameters& parameters, u64 scale) noexcept;

}  // namespace ringfort::rgsw
