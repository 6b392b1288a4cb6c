// SPDX-License-Identifier: Apache-2.0
// Bounds of errors in the canonical embedding: the largest |e(zeta)| over the complex roots of x^n + 1. There products
// multiply, automorphisms change nothing, and no coefficient is larger. Every bound holds except with probability
// 2^-150 for one random polynomial: 22 bits are left for the union over all those of a program and its keys, so that a
// program of 2^20 verbs by hand fails with 2^-128. A verb has three at most (BFV's product: two phases and a rounding),
// and one for each key that it switches with. Random are secrets, errors, and the uniform parts of keys and
// ciphertexts; plaintexts depend on none of them, operands may be equal.
#pragma once

#include <limits>
#include <span>

#include "math/types.h"

namespace ringfort {

// of a program; log2 of the random polynomials that it may have
inline constexpr u32 kFailureBits = 128, kUnionBits = 22;
inline constexpr u32 kVerbBits = 20, kMostPolynomialsOfAVerb = 3;

// A number >= 0 by its base-2 logarithm: moduli of thousands of bits pass any double. Sums are rounded up by 2^-40.
struct Bound {
  double log2 = -std::numeric_limits<double>::infinity();
  [[nodiscard]] static Bound of(double value) noexcept;  // value >= 0
  [[nodiscard]] static Bound power_of_two(double exponent) noexcept { return {exponent}; }
  [[nodiscard]] double value() const noexcept;  // may be infinity
  auto operator<=>(const Bound&) const = default;
};

[[nodiscard]] Bound operator+(Bound a, Bound b) noexcept;
[[nodiscard]] inline Bound operator*(Bound a, Bound b) noexcept { return {a.log2 + b.log2}; }
[[nodiscard]] inline Bound operator/(Bound a, Bound b) noexcept { return {a.log2 - b.log2}; }

inline constexpr double kTernaryVariance = 2.0 / 3.0;
// of what rounding to an integer leaves of a uniform residue
inline constexpr double kRoundingVariance = 1.0 / 12.0;

// The bounds of ring degree n. At a root, a polynomial of independent coefficients of variance v, strictly sub-Gaussian
// as all of ours are (centred binomial, ternary, uniform), is a vector of the plane with E exp(u . e) <= exp(|u|^2 n v
// / 4), the same in all directions; so E exp(mu |e|^2 / n v) <= 1 / (1 - mu), and a sum e + sum_i a_i b_i of such
// polynomials has
//   log E exp(u . sum) <= |u|^2 n v / 4 - sum_i log(1 - |u|^2 s_i^2 / 4),   s_i = n sqrt(v(a_i) v(b_i)).
// Chernoff's bound with any |u| holds in each of 32 directions of the plane and at n/2 roots at once; a vector is at
// most 1 / cos(pi / 32) times its largest component. (Norms multiplied, instead, would cost another bit or two.)
class EmbeddingBound {
 public:
  explicit EmbeddingBound(u32 n);

  [[nodiscard]] Bound random(double variance) const noexcept;  // sqrt(n v log(16 n 2^150)) / cos(pi / 32)
  [[nodiscard]] Bound secret() const noexcept { return random(kTernaryVariance); }
  // Any polynomial with |coefficients| <= largest: largest / sin(pi / 2n), about 2 n / pi of it.
  [[nodiscard]] Bound any(Bound largest) const noexcept;

  // Error of an encryption of zero: e under the secret key, r e' + e_0 + e_1 s under the public key.
  [[nodiscard]] Bound fresh_secret() const noexcept;
  [[nodiscard]] Bound fresh_public() const noexcept;
  // What rounding every part of a ciphertext (2 or 3) to integers leaves in its phase: tau_0 + tau_1 s + tau_2 s^2.
  [[nodiscard]] Bound rounding(u32 components) const noexcept;
  // The phase of centred parts uniform modulo Q, in units of Q: the same sum.
  [[nodiscard]] Bound uniform_phase(u32 components) const noexcept { return rounding(components); }
  // Key switching: the sum of D_d e_d over the digits, centred and uniform modulo D_d, divided by the product of the
  // special primes, and the rounding of both parts. log2_digits: log2 of each D_d; log2_divisor: of what the end
  // divides by.
  [[nodiscard]] Bound key_switch(std::span<const double> log2_digits, double log2_divisor) const noexcept;

 private:
  // normal: n v of the single terms; products: s_i.
  [[nodiscard]] Bound tail(double normal, std::span<const double> products) const noexcept;
  double n_;
  double log_events_;  // natural
  double log2_any_;
};

}  // namespace ringfort
