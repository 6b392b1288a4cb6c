// SPDX-License-Identifier: Apache-2.0
// The noise of Ring-GSW, as the variance of one coefficient. The variance is absolute, and not relative to q.
// docs/notes/0003-rgsw-noise.md derives the formulas. noise_model() returns the variances that measurements should
// show. noise_bound() returns upper bounds on these variances. They fail with probability at most 2^-failure_bits.
#pragma once

#include "math/types.h"
#include "ringfort/rgsw.h"

namespace ringfort::rgsw {

struct Noise {
  double fresh = 0;  // variance of the error in a row of a fresh encryption
  // An external product adds the variance product_gain * (variance of the Ring-GSW operand) + drop.
  double product_gain = 0;
  double drop = 0;  // variance caused by the low bits that an approximate gadget drops
};

[[nodiscard]] Noise noise_model(const Parameters& parameters, Mode mode);
[[nodiscard]] Noise noise_bound(const Parameters& parameters, Mode mode);

// Returns z such that n * P(|sum| > z * deviation) <= 2^-(failure_bits + 1) for a sub-Gaussian sum.
[[nodiscard]] double bound_factor(const Parameters& parameters);

// Returns S, a bound on the number of steps whose noise reaches the sum. The sum has `words` chains. A chain is the
// product of all factors of a word, and has `factors` steps. A step is an external product. If a factor is 0, the chain
// loses the noise of its earlier steps. The bound assumes that at most max_matches words equal the query, and that
// every other hash occurs at most max_matches times. For random hash bits, the number of steps exceeds S with
// probability at most 2^-(failure_bits + 1).
[[nodiscard]] u64 surviving_steps(u64 words, u64 max_matches, u32 factors, u32 failure_bits);

// Returns the scale of counts, 2^bit_width(q - 1) / T, where T is the count range. A count c is encoded as c times the
// scale.
[[nodiscard]] u64 count_scale(const Parameters& parameters, u32 count_range) noexcept;

// The gadget row that starts a chain. The gadget value of this row divides the scale.
struct FirstRow {
  u32 row = 0;     // 0 .. l - 1
  u64 factor = 1;  // scale / gadget value
};
[[nodiscard]] FirstRow first_row(const Parameters& parameters, u64 scale) noexcept;

}  // namespace ringfort::rgsw
