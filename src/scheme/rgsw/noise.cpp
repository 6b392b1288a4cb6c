// SPDX-License-Identifier: Apache-2.0
// The noise formulas of Ring-GSW (noise.h). All inputs of the formulas are public. Floating point decides only whether
// an operation is accepted. No word of a ciphertext depends on floating point.
#include "scheme/rgsw/noise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "rlwe/zero.h"

namespace ringfort::rgsw {

namespace {

constexpr double kTernary = 2.0 / 3.0;  // variance of a ternary coefficient

u32 modulus_bits(const Parameters& p) { return static_cast<u32>(std::bit_width(p.q - 1)); }

// Returns the sum of the second moments of all l digits of a uniform residue.
double digit_moment(const Parameters& p) {
  if (!p.centred) return 0.5 * p.digits;  // bits: mean 1/2, second moment 1/2
  const double base = std::ldexp(1.0, static_cast<int>(p.base_bits));
  const double top = std::ldexp(static_cast<double>(p.q), -static_cast<int>(p.shift + p.base_bits * (p.digits - 1)));
  return ((p.digits - 1) * base * base + std::min(top, base) * std::min(top, base)) / 12 + p.digits / 6.0;
}

// Returns w for which the following probability is at most 2^-(failure_bits + 3): a ternary polynomial has more than w
// n nonzero coefficients. The proof is Hoeffding's bound exp(-2 n delta^2).
double weight_bound(const Parameters& p) {
  return std::min(1.0, kTernary + std::sqrt((p.failure_bits + 3) * std::numbers::ln2 / (2.0 * p.n)));
}

Noise noise(const Parameters& p, Mode mode, double weight, double slack) {
  Noise out;
  out.fresh = kErrorVariance;
  if (mode == Mode::public_key) out.fresh *= 1 + p.n * (kTernary + weight);
  out.product_gain = 2.0 * p.n * digit_moment(p) * slack;
  out.drop = p.shift == 0 ? 0 : std::ldexp(1.0, 2 * static_cast<int>(p.shift)) / 12 * (1 + p.n * weight) * slack;
  return out;
}

double entropy(double share) {
  return share <= 0 || share >= 1 ? 0 : -share * std::log2(share) - (1 - share) * std::log2(1 - share);
}

// Returns the least s for which the Chernoff bound 2^(-s (1 - H(chains / s))) is at most 2^-bits, where H is the binary
// entropy. The bound limits the probability that s fair coins show fewer than `chains` heads.
u64 run_lengths(u64 chains, u32 bits) {
  const auto enough = [&](u64 s) {
    const double share = static_cast<double>(chains) / static_cast<double>(s);
    return share < 0.5 && static_cast<double>(s) * (1 - entropy(share)) >= bits;
  };
  u64 low = 2 * chains, high = 4 * chains + 16 * u64{bits};
  while (low + 1 < high) {
    const u64 middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

Noise noise_model(const Parameters& p, Mode mode) { return noise(p, mode, kTernary, 1); }

double bound_factor(const Parameters& p) {
  return std::sqrt(2 * std::numbers::ln2 * (p.failure_bits + 2 + std::log2(p.n)));
}

// `slack` covers the deviation of a sum of 2 l n squared digits from its mean. The bound is larger if digits are plain
// bits and the encryption is under a public key. The reason is that half of a bit's second moment comes from its mean.
// The polynomial of these means is a multiple of the all-ones polynomial, which is large at two roots only. At these
// two roots, |e|^2 and |t|^2 exceed x times their average with probability exp(-x).
Noise noise_bound(const Parameters& p, Mode mode) {
  double slack = 1 + 2 * bound_factor(p) / std::sqrt(2.0 * p.digits * p.n);
  if (!p.centred && mode == Mode::public_key) slack += 0.5 * (p.failure_bits + 3) * std::numbers::ln2;
  return noise(p, mode, weight_bound(p), slack);
}

u64 surviving_steps(u64 words, u64 max_matches, u32 factors, u32 failure_bits) {
  if (words == 0 || max_matches == 0) return 0;
  const u64 matches = std::min(words, max_matches), most = words * factors;
  const u64 groups = (words + matches - 1) / matches;
  const u64 others = std::min(run_lengths(groups, failure_bits + 1), groups * factors);
  return std::min(most, matches * factors + matches * others);
}

u64 count_scale(const Parameters& p, u32 count_range) noexcept { return (u64{1} << modulus_bits(p)) / count_range; }

FirstRow first_row(const Parameters& p, u64 scale) noexcept {
  const u32 scale_bits = static_cast<u32>(std::countr_zero(scale));
  const u32 row = std::min((scale_bits - p.shift) / p.base_bits, p.digits - 1);
  return {row, scale >> (p.shift + p.base_bits * row)};
}

}  // namespace ringfort::rgsw
