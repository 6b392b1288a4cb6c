// SPDX-License-Identifier: Apache-2.0
// Bounds of errors in the canonical embedding: the largest |e(zeta)| over the complex roots of x^n + 1. Bounds of
// factors multiply, automorphisms change no bound, and no coefficient exceeds it. A bound fails for one random
// polynomial with probability 2^-150. That leaves 22 bits for the union over all random polynomials of a program and
// its keys: a program of 2^20 verbs by hand fails with 2^-128. A verb has at most three random polynomials (BFV's
// product: two phases and a rounding), and one more for each key that it switches with. Secrets, errors, and the
// uniform components of keys and ciphertexts are random; plaintexts are independent of them; operands may be equal.
#pragma once

#include <limits>
#include <span>

#include "math/types.h"

namespace ringfort {

// A program fails with probability at most 2^-kFailureBits, and may have at most 2^kUnionBits random polynomials.
inline constexpr u32 kFailureBits = 128, kUnionBits = 22;
inline constexpr u32 kVerbBits = 20, kMostPolynomialsOfAVerb = 3;

// A number >= 0, stored as its base-2 logarithm, because moduli of thousands of bits exceed a double. Sums are rounded
// up by 2^-40.
struct Bound {
  double log2 = -std::numeric_limits<double>::infinity();
  [[nodiscard]] static Bound of(double value) noexcept;  // value >= 0
  [[nodiscard]] static Bound power_of_two(double exponent) noexcept { return {exponent}; }
  [[nodiscard]] double value() const noexcept;  // perhaps infinity
  auto operator<=>(const Bound&) const = default;
};

[[nodiscard]] Bound operator+(Bound a, Bound b) noexcept;
[[nodiscard]] inline Bound operator*(Bound a, Bound b) noexcept { return {a.log2 + b.log2}; }
[[nodiscard]] inline Bound operator/(Bound a, Bound b) noexcept { return {a.log2 - b.log2}; }

inline constexpr double kTernaryVariance = 2.0 / 3.0;
// Variance of the error when a uniform residue is rounded.
inline constexpr double kRoundingVariance = 1.0 / 12.0;

// Bounds for ring degree n. Take a polynomial of independent, strictly sub-Gaussian coefficients of variance v; centred
// binomial, ternary and uniform coefficients are strictly sub-Gaussian. Its value at a root is a vector e of the plane
// with E exp(u . e) <= exp(|u|^2 n v / 4) in all directions. So E exp(mu |e|^2 / n v) <= 1 / (1 - mu), and a sum e +
// sum_i a_i b_i of such polynomials satisfies
//   log E exp(u . sum) <= |u|^2 n v / 4 - sum_i log(1 - |u|^2 s_i^2 / 4),   s_i = n sqrt(v(a_i) v(b_i)).
// Chernoff's bound with any |u| holds in each of 32 directions of the plane and at n/2 roots at once; a vector is at
// most 1 / cos(pi / 32) times its largest component. (The product of norms would cost another bit or two.)
class EmbeddingBound {
 public:
  explicit EmbeddingBound(u32 n);

  [[nodiscard]] Bound random(double variance) const noexcept;  // sqrt(n v log(16 n 2^150)) / cos(pi / 32)
  [[nodiscard]] Bound secret() const noexcept { return random(kTernaryVariance); }
  // Returns the bound for any polynomial with |coefficients| <= largest: largest / sin(pi / 2n), about 2 n / pi times
  // `largest`.
  [[nodiscard]] Bound any(Bound largest) const noexcept;

  // Return the bound of the error of an encryption of zero: e under the secret key, r e' + e_0 + e_1 s under the public
  // key.
  [[nodiscard]] Bound fresh_secret() const noexcept;
  [[nodiscard]] Bound fresh_public() const noexcept;
  // Returns the bound of the error in the phase when all 2 or 3 components are rounded to integers: tau_0 + tau_1 s +
  // tau_2 s^2.
  [[nodiscard]] Bound rounding(u32 components) const noexcept;
  // Returns the bound of the phase of centred components that are uniform modulo Q, in units of Q: the same sum.
  [[nodiscard]] Bound uniform_phase(u32 components) const noexcept { return rounding(components); }
  // Returns the bound of the error of a key switch: the sum of e_d times digit d, centred and uniform modulo D_d,
  // divided by the product of the special primes, plus the rounding of both components. log2_digits: log2 of each D_d;
  // log2_divisor: log2 of the product of the special primes.
  [[nodiscard]] Bound key_switch(std::span<const double> log2_digits, double log2_divisor) const noexcept;

 private:
  // Returns Chernoff's bound of a sum. normal: n v of the single terms; products: s_i.
  [[nodiscard]] Bound tail(double normal, std::span<const double> products) const noexcept;
  double n_;
  double log_events_;  // natural
  double log2_any_;
};

}  // namespace ringfort
